// Requests to `/graphql` as rows: what is sent, and what its answer has to be.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Answer } from '../client/http-client.ts'
import type { Question, TestService } from '../server/service.ts'

export const strict = 'application/graphql-response+json'
export const post = 'POST /graphql'
export const get = (parameters: Record<string, string>): string => `GET /graphql?${new URLSearchParams(parameters)}`

export interface Expected {
  readonly status: number
  readonly code?: string
  readonly headers?: Readonly<Record<string, string | RegExp | undefined>>
  /** `undefined` where there must be none. */
  readonly data?: unknown
  readonly message?: string
}
export type Row = readonly [it: string, line: string, question: Question, expected: Expected]

export function assertAnswer({ status, headers, body, text }: Answer, expected: Expected): void {
  assert.equal(status, expected.status, text)
  assert.equal(body?.errors?.[0]?.extensions.code, expected.code, text)
  if (expected.message !== undefined) assert.equal(body.errors[0].message, expected.message)
  if ('data' in expected) assert.deepEqual(body?.data, expected.data)
  for (const [name, value] of Object.entries(expected.headers ?? {})) {
    if (value instanceof RegExp) assert.match(headers[name]?.toString() ?? '', value, name)
    else assert.equal(headers[name], value, name)
  }
}
export function declareRows(service: () => TestService, section: string, all: readonly Row[]): void {
  describe(section, () => {
    for (const [it, line, question, expected] of all)
      test(it, async () => assertAnswer(await service().send(line, question), expected))
  })
}
