// The contract as tables: one row, one clause, one sentence, sent through the real server once per database.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CatalogueCode, Detail } from '../../../src/failure/failure.ts'
import { snake } from '../../../src/resource/naming/casing.ts'
import { type Clause, contract } from '../../contract/contract.ts'
import type { Answer } from '../client/http-client.ts'
import { type Caller, type ServiceOptions, type TestService, withService } from '../server/service.ts'
import type { Fixtures, Recipes } from './fixtures.ts'
import { difference } from './match.ts'

export interface Row extends Step {
  readonly clause: Clause
  readonly it: string
  /** Fixtures of this row alone, made at its beginning, in this order. */
  readonly given?: Recipes
  /** What happens before: each answer must be as it says, or a success. */
  readonly first?: readonly Preparation[]
  /** What must be true afterwards. */
  readonly then?: readonly Step[]
}

/** One question and its answer. Texts may name fixtures, such as `GET /api/v2/posts/{draft}`. */
export interface Step {
  /** Nobody where it does not say. */
  readonly as?: Caller
  readonly send?: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: unknown
  /** The same question to GraphQL, asked of fixtures of its own. Its answer must be the same. */
  readonly also?: string | Also
  readonly answer: Expected
  /** Names for what the answer says: `{ made: 'body.data.id', tag: 'headers.etag' }`. */
  readonly keep?: Readonly<Record<string, string>>
}
export type Preparation = Omit<Step, 'also' | 'answer'> & { readonly answer?: Expected }

export interface Also {
  readonly query: string
  readonly variables?: unknown
  /** Those of GraphQL's request: what REST sends beside its body need not mean anything to it. */
  readonly headers?: Readonly<Record<string, string>>
  /** Where GraphQL's answer differs: what it says beside or instead. */
  readonly answer?: Partial<Expected>
}

/** What an answer may be refused with: a code of the catalogue, or one of the service's own. */
export type AnswerCode = CatalogueCode | `${string}_NOT_FOUND`

export interface Expected {
  /** Of REST; GraphQL answers 200 unless its own answer says otherwise. */
  readonly status: number
  readonly code?: AnswerCode
  /** The one field that `details` name. */
  readonly field?: string
  /** All fields that `details` name, in any order. */
  readonly fields?: readonly string[]
  readonly message?: string | RegExp
  readonly headers?: Readonly<Record<string, string | RegExp | undefined>>
  /** Members that are named must be so; those that are `undefined` must not be there. */
  readonly data?: unknown
  readonly meta?: unknown
  /** The whole body, in part. */
  readonly body?: unknown
  /** GraphQL: where the error is. */
  readonly path?: readonly (string | number)[]
}

/** Declares a test for each row, on each database. */
export function clauses(section: string, rows: readonly Row[], options?: ServiceOptions): void {
  withService(
    section,
    (service) => {
      for (const row of rows) {
        assert(contract.clauses.has(row.clause), `${row.clause} is a clause of the contract`)
        assert(row.send !== undefined || row.also !== undefined, `${row.it} asks something`)
        const title = `${row.clause} ${row.it}`
        if (row.send !== undefined) test(title, () => runRow(row, service(), ask))
        if (row.also !== undefined) test(`${title}, through GraphQL`, () => runRow(row, service(), askGraphql))
      }
    },
    options,
  )
}

type Ask = (step: Step, service: TestService, fixtures: Fixtures) => Promise<void>

async function runRow(row: Row, service: TestService, main: Ask): Promise<void> {
  service.forgetLog()
  const fixtures = service.fixtures(row.given)
  for (const name of Object.keys(row.given ?? {})) await fixtures.idOf(name)
  for (const step of row.first ?? []) await prepare(step, service, fixtures)
  await main(row, service, fixtures)
  for (const step of row.then ?? []) await (step.send === undefined ? askGraphql : ask)(step, service, fixtures)
  service.assertLog()
}

async function prepare(step: Preparation, service: TestService, fixtures: Fixtures): Promise<void> {
  if (step.answer !== undefined) return ask(step as Step, service, fixtures)
  const { status, text } = await ask({ ...step, answer: { status: 0 } }, service, fixtures, (answer) => answer)
  assert(status < 300, `${step.send} prepares the row: ${status} ${text}`)
}

async function ask<T = void>(
  { as = 'anonymous', send, headers, body, answer: expected, keep }: Step,
  service: TestService,
  fixtures: Fixtures,
  judge: (answer: Answer, expected: Expected) => T = assertRest as (answer: Answer, expected: Expected) => T,
): Promise<T> {
  const question = {
    as,
    fixtures,
    ...(headers === undefined ? {} : { headers }),
    ...(body === undefined ? {} : { body }),
  }
  const answer = await service.send(send!, question)
  const verdict = judge(answer, await fixtures.fill(expected))
  remember(answer, keep, fixtures)
  return verdict
}

async function askGraphql(step: Step, service: TestService, fixtures: Fixtures): Promise<void> {
  const { as = 'anonymous', also, answer: expected, keep } = step
  const { query, variables, headers = {}, answer: own } = typeof also === 'string' ? ({ query: also } as Also) : also!
  const question = await fixtures.fill({ query, ...(variables === undefined ? {} : { variables }) })
  const answer = await service.send('POST /graphql', { as, fixtures, headers, body: question })
  // Another code is another failure, with a message and details of its own.
  const same = own?.code === undefined ? expected : { status: expected.status }
  assertGraphql(answer, await fixtures.fill({ ...same, status: 200, ...own }))
  remember(answer, keep, fixtures)
}

function remember(answer: Answer, keep: Step['keep'] = {}, fixtures: Fixtures): void {
  for (const [name, path] of Object.entries(keep)) {
    // biome-ignore lint/suspicious/noExplicitAny: answers have whatever shape they have
    const value = path.split('.').reduce((found: any, part) => found?.[part], answer)
    assert(typeof value === 'string', `${path} is a text, to be kept as {${name}}`)
    fixtures.keep(name, value)
  }
}

function assertRest(answer: Answer, expected: Expected): void {
  const { status, headers, body, text } = answer
  assert.equal(status, expected.status, `answered ${status}: ${text.slice(0, 600)}`)
  assertHeaders(headers, expected)
  if (expected.code !== undefined) {
    assertFailure(body?.error ?? {}, body?.error?.code, body?.error?.details, expected, (field) => field)
  }
  fits(body?.data, expected.data, text)
  fits(body?.meta, expected.meta, text)
  fits(body, expected.body, text)
}

function assertGraphql(answer: Answer, expected: Expected): void {
  const { status, headers, body, text } = answer
  assert.equal(status, expected.status, `answered ${status}: ${text.slice(0, 600)}`)
  assertHeaders(headers, expected)
  fits(body, expected.body, text)
  if (expected.code === undefined) {
    assert.equal(body.errors, undefined, text.slice(0, 600))
    const values = Object.values(body.data)
    if (expected.data !== undefined) fits(asRest(values[0]), expected.data, text)
    return
  }
  assert.equal(body.errors?.length, 1, `one error: ${text.slice(0, 600)}`)
  const [error] = body.errors
  assertFailure(error, error.extensions.code, error.extensions.details, expected, snake)
  if (expected.path !== undefined) assert.deepEqual(error.path, expected.path)
  // A failure of a field has a path and stands beside what is left of the data; any other leaves no data at all.
  assert.equal('data' in body, error.path !== undefined, text.slice(0, 600))
  if (expected.data !== undefined) fits(asRest(Object.values(body.data)[0]), expected.data, text)
}

function assertFailure(
  error: { readonly message?: string },
  code: unknown,
  details: readonly Detail[] = [],
  expected: Expected,
  nameOf: (field: string) => string,
): void {
  assert.equal(code, expected.code, JSON.stringify(error))
  const fields = expected.field === undefined ? expected.fields : [expected.field]
  if (fields !== undefined) {
    const fieldNames = details.map((each) => nameOf(each.field))
    assert.deepEqual([...fieldNames].sort(), [...fields].sort(), JSON.stringify(error))
  }
  if (expected.message !== undefined) fits(error.message, expected.message, JSON.stringify(error))
  if (code === 'VALIDATION_ERROR') assertSentence(error, details)
}

/** The only problem of a request is its sentence; of several, none is more than the others. */
function assertSentence(error: { readonly message?: string }, details: readonly Detail[]): void {
  const sentences = details.map(({ field, message }) => `${field}: ${message}`)
  if (sentences.length === 1) assert.equal(error.message, sentences[0])
  else assert(!sentences.includes(error.message ?? ''), JSON.stringify(error))
}

function assertHeaders(headers: Answer['headers'], { headers: expected = {} }: Expected): void {
  for (const [name, value] of Object.entries(expected)) {
    const actual = headers[name.toLowerCase()]
    const found =
      value === undefined ? (actual === undefined ? null : `${name} is there`) : difference(actual, value, name)
    assert.equal(found, null)
  }
}

function fits(actual: unknown, expected: unknown, text: string): void {
  if (expected === undefined) return
  const found = difference(actual, expected)
  assert.equal(found, null, `${found}\n${text.slice(0, 800)}`)
}

/** What GraphQL answers, in the names and the shape of REST: `author { id }` is `author_id`, a connection is its list. */
function asRest(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asRest)
  if (typeof value !== 'object' || value === null) return value
  const members = value as Readonly<Record<string, unknown>>
  if (Array.isArray(members['nodes'])) return asRest(members['nodes'])
  if (Array.isArray(members['edges'])) return members['edges'].map((edge) => asRest(edge.node))
  return Object.fromEntries(
    Object.entries(members).map(([name, each]) => {
      const isReference = typeof each === 'object' && each !== null && Object.keys(each).join() === 'id'
      return isReference ? [`${snake(name)}_id`, (each as { id: unknown }).id] : [snake(name), asRest(each)]
    }),
  )
}
