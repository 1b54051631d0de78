// Opens event streams of both faces, and reads what they send.

import assert from 'node:assert/strict'
import { withQuietService } from '../check/statement-counter.ts'
import type { Caller, ServiceOptions, TestService } from '../server/service.ts'
import { type Received, TestStream } from './event-stream.ts'

export const withStreams = (
  title: string,
  suite: (service: () => TestService) => void,
  { limits, ...options }: ServiceOptions = {},
): void => withQuietService(title, suite, { ...options, limits: { socketTickMs: 20, ...limits } })

export async function credential(service: TestService, as: Caller): Promise<Record<string, string>> {
  if (as === 'anonymous') return {}
  return { Authorization: `Bearer ${await service.token(await service.fixtures().idOf(as))}` }
}
export async function openStream(service: TestService, query: string, as: Caller = 'anonymous', headers = {}) {
  const all = { ...(await credential(service, as)), ...headers }
  return TestStream.open(`${service.url}/api/v2/event-stream${query}`, { headers: all })
}
export async function openOperation(service: TestService, request: object, as: Caller = 'anonymous', headers = {}) {
  return TestStream.ofOperation(service.url, request, { ...(await credential(service, as)), ...headers })
}
export async function write(service: TestService, line: string, body: object = {}): Promise<string> {
  const answer = await service.send(line, { as: 'editor', body })
  assert.ok(answer.status < 300, answer.text)
  return answer.body.data.id
}
export const writePost = (service: TestService, title: string, publish = true) =>
  write(service, 'POST /api/v2/posts', { title, content: 'C', publish })
export const json = ({ data }: Received) => JSON.parse(data)
export const titles = async (stream: TestStream, count: number) => {
  const found: string[] = []
  while (found.length < count) found.push(json(await stream.happened()).data.title)
  return found
}
export const refusal = async (stream: TestStream) => {
  const { status, body } = await stream.refusal()
  const { code, details } = body.error ?? body.errors![0]!.extensions
  return [status, code, details?.[0]?.field]
}
