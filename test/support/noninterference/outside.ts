// What leaves a service besides answers and WebSockets: event streams of one user, and messages to the webhook of that user.

import assert from 'node:assert/strict'
import type { Outbound } from '../../../src/outbound/outbound.ts'
import { eventsOf } from '../../../src/resource/model/model.ts'
import type { RunningService } from '../../../src/service/service.ts'
import { TestStream } from '../client/event-stream.ts'
import type { Client } from '../client/http-client.ts'

export interface Outside {
  /** To be called after each write, so that what is sent does not depend on how soon it is sent. */
  settle(): Promise<void>
  /** What has left since, without ids of messages and of events. */
  drain(): Promise<readonly string[]>
}

/** One address for both services, which answers may show. */
const receiverUrl = 'https://receiver.example/'

/** Takes every message without sending it, and keeps those to the webhook of the person. */
export const takeMessages = (messages: string[]): Outbound => ({
  refusal: () => null,
  async send({ url, body }) {
    if (url === receiverUrl) messages.push(body!)
    return { status: 204, body: Buffer.alloc(0), isPublic: true }
  },
})

/** `credentials` as a WebSocket shows them. Only an account has a webhook here; `messages` are those that its service took. */
export async function openOutside(
  { url, model, settled, webhooks }: RunningService,
  client: Client,
  credentials: Readonly<Record<string, string>>,
  messages: string[],
): Promise<Outside> {
  const version = model.versions.at(-1)!.name
  const names = [...new Set(eventsOf(model).map(({ name }) => name))].sort()
  const { accessCode, ...own } = credentials
  const headers: Readonly<Record<string, string>> = {
    ...own,
    ...(accessCode === undefined ? {} : { 'X-Access-Code': accessCode }),
  }
  const lastIds = new Map<string, string>()

  /** Everything after the last id, up to the keep-alive that follows past events. (contract 6.4.7) */
  async function streamed(name: string): Promise<readonly string[]> {
    const lastId = lastIds.get(name)
    const stream = await TestStream.open(`${url}/api/${version}/event-stream?events=${name}`, {
      headers: { ...headers, ...(lastId === undefined ? {} : { 'Last-Event-ID': lastId }) },
    })
    if (stream.response.status !== 200) return [`${name}: ${JSON.stringify((await stream.refusal()).body)}`]
    const texts: string[] = []
    for (;;) {
      const { event, id, data } = await stream.next()
      lastIds.set(name, id!)
      if (event === 'keep-alive') break
      texts.push(`${event}: ${data}`)
    }
    stream.leave()
    return texts
  }
  const streams = async () => (await Promise.all(names.map(streamed))).flat()

  const hasWebhook = webhooks !== null && headers['Authorization'] !== undefined
  if (hasWebhook) {
    const body = { url: receiverUrl, events: names }
    const { status, text } = await client.send(`POST /api/${version}/webhooks`, { headers, body })
    assert.equal(status, 201, text)
  }
  /** In no promised order. */
  async function sentMessages(): Promise<readonly string[]> {
    await webhooks!.settled()
    return messages.splice(0).sort()
  }

  /** That something was not sent would show that it happened. */
  async function deliveries(): Promise<readonly string[]> {
    const { body } = await client.send(`GET /api/${version}/webhook-deliveries?per_page=100`, { headers })
    const listed = (body.data ?? []) as readonly Readonly<Record<string, unknown>>[]
    return listed.map(({ event, status, attempts }) => `${event} ${status} ${attempts}`).sort()
  }
  async function settle(): Promise<void> {
    if (!hasWebhook) return
    await settled()
    await webhooks!.settled()
  }

  await streams()
  return {
    settle,
    async drain() {
      await settled()
      return [...(await streams()), ...(hasWebhook ? [...(await sentMessages()), ...(await deliveries())] : [])]
    },
  }
}
