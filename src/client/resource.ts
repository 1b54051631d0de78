// The methods of `client.posts`. Addresses are derived from names, as the client has no definition.

import { kebab, snake } from '../resource/naming/casing.ts'
import { type BulkMethod, bulkRequest, type Which } from './bulk-request.ts'
import { type AnyQuery, listOf, pageOf, queryOf } from './list.ts'
import type { Answer } from './send/answer.ts'
import { DuetError } from './send/error.ts'
import { lazily } from './send/lazily.ts'
import type { Sending } from './send/send.ts'
import { fromWire, type JsonFields, toWire } from './send/wire-form.ts'
import type { BulkOptions, BulkResult } from './type/bulk.ts'
import type { CallOptions, ChangeOptions, MoveOptions, WriteOptions } from './type/call.ts'
import type { Page } from './type/query.ts'

export interface ResourceContext {
  readonly send: (sending: Sending) => Promise<Answer>
  readonly prefix: string
  readonly json: JsonFields
  readonly makeKey: () => string
}

type IdOrQuery = string | AnyQuery

/** An unknown name is a move, or a list inside a record. */
export function resourceOf(plural: string, context: ResourceContext): object {
  const collection = `${context.prefix}/${kebab(plural)}`
  const member = (id: string) => `${collection}/${encodeURIComponent(id)}`
  const wire = (input: object) => toWire(input, context.json)
  const { get, post, change, writeMany, list, page } = verbsOf(context)
  const by = (path: string, key: Key, { fields = [], ...options }: AnyQuery = {}) =>
    get(keyed(path, key) + queryOfFields(fields), options)
  const upsert = (path: string, key: Key, input: object, options?: ChangeOptions) =>
    change('PUT', keyed(path, key), wire(input), options)
  const methods: Record<string, unknown> = Object.assign(Object.create(null), {
    list: (query?: AnyQuery) => list(collection, query),
    page: (query?: AnyQuery) => page(collection, query),
    get: (id: string, { fields = [], ...options }: AnyQuery = {}) => get(member(id) + queryOfFields(fields), options),
    by: (key: Key, options?: AnyQuery) => by(collection, key, options),
    upsert: (key: Key, input: object, options?: ChangeOptions) => upsert(collection, key, input, options),
    upsertMany: (key: readonly string[], inputs: readonly object[], options?: WriteOptions) =>
      post(`${collection}/batch?by=${key.map(snake).join()}`, { [snake(plural)]: wire(inputs) }, options),
    create: (input: object, options?: WriteOptions) => post(collection, wire(input), options),
    createMany: (inputs: readonly object[], options?: WriteOptions) =>
      post(`${collection}/batch`, { [snake(plural)]: wire(inputs) }, options),
    update: (id: string, changes: object, options?: ChangeOptions) =>
      change('PATCH', member(id), wire(changes), options),
    replace: (id: string, input: object, options?: ChangeOptions) => change('PUT', member(id), wire(input), options),
    updateMany: (which: Which, changes: object, options?: BulkOptions) =>
      writeMany('PATCH', collection, which, changes, options),
    delete: (id: string, options?: ChangeOptions) => change('DELETE', member(id), undefined, options),
    deleteMany: (which: Which, options?: BulkOptions) => writeMany('DELETE', collection, which, undefined, options),
  })
  const below = (name: string) => {
    // With an id it concerns that record, without one the collection.
    const path = (id: string) => `${member(id)}/${kebab(name)}`
    const whole = `${collection}/${kebab(name)}`
    const move = (about?: IdOrQuery, ...[second, third]: readonly (object | undefined)[]) =>
      typeof about === 'string'
        ? post(path(about), second && wire(second), third as MoveOptions)
        : post(whole, about && wire(about), second as WriteOptions)
    return Object.assign(move, {
      many: (which: Which, input?: object, options?: BulkOptions & WriteOptions) =>
        writeMany('POST', whole, which, input, options),
      list: (about?: IdOrQuery, query?: AnyQuery) =>
        typeof about === 'string' ? list(path(about), query) : list(whole, about),
      page: (about?: IdOrQuery, query?: AnyQuery) =>
        typeof about === 'string' ? page(path(about), query) : page(whole, about),
      // With an id, a record by key in that tenant; without one, a move by key. (contract 11.2.11, 11.2.28)
      by: (about: string | Key, second?: Key, third?: object) =>
        typeof about === 'string'
          ? by(path(about), second!, third)
          : post(`${keyed(collection, about)}/${kebab(name)}`, second && wire(second), third as MoveOptions),
      upsert: (id: string, key: Key, input: object, options?: ChangeOptions) => upsert(path(id), key, input, options),
    })
  }
  return lazily(methods, below)
}

type Key = Readonly<Record<string, unknown>>
const keyed = (path: string, key: Key): string => {
  const pairs = Object.entries(key).map(([name, value]) => `${snake(name)}/${encodeURIComponent(textOf(value))}`)
  return `${path}/by/${pairs.join('/')}`
}

const textOf = (value: unknown): string => (value instanceof Date ? value.toISOString() : String(value))

const queryOfFields = (fields: readonly string[]): string =>
  fields.length === 0 ? '' : `?fields=${encodeURIComponent(fields.map(snake).join(','))}`

function verbsOf({ send, json, makeKey }: ResourceContext) {
  const optionsOf = ({ signal, timeoutMs }: CallOptions) => ({
    ...(signal === undefined ? {} : { signal }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  })
  function answered({ body, headers }: Answer): unknown {
    if (body === undefined) return undefined
    const { data: sent, meta } = body as { readonly data?: unknown; readonly meta?: Readonly<Record<string, number>> }
    const data = sent === undefined ? countOf(meta) : fromWire(sent, json)
    if (typeof data === 'object' && data !== null) {
      const etag = headers.get('ETag')
      if (etag !== null) etags.set(data, etag)
      if (headers.get('Idempotent-Replayed') === 'true') replays.add(data)
    }
    return data
  }
  async function page(path: string, query: AnyQuery = {}) {
    const { body } = await send({ method: 'GET', path: path + queryOf(query), isRepeatable: true, ...optionsOf(query) })
    return pageOf(body, json)
  }
  return {
    page,
    list: (path: string, query: AnyQuery = {}) =>
      listOf((cursor) => page(path, { ...query, cursor }) as Promise<Page<unknown>>),
    get: async (path: string, options: CallOptions) =>
      answered(await send({ method: 'GET', path, isRepeatable: true, ...optionsOf(options) })),
    post: async (path: string, body: unknown, options: MoveOptions = {}) => {
      // A repeated key is answered before the condition is tested.
      const headers = { 'X-Idempotency-Key': options.idempotencyKey ?? makeKey(), ...conditionOf(options) }
      return answered(await send({ method: 'POST', path, body, headers, isRepeatable: true, ...optionsOf(options) }))
    },
    change: async (method: string, path: string, body: unknown, options: ChangeOptions = {}) => {
      const headers = conditionOf(options)
      // A repeated condition would fail, and a repeated PATCH might undo a change in between.
      const isRepeatable = method !== 'PATCH' && options.ifMatch === undefined
      return answered(await send({ method, path, body, headers, isRepeatable, ...optionsOf(options) }))
    },
    writeMany: async (
      method: BulkMethod,
      path: string,
      which: Which,
      input: object | undefined,
      options: BulkOptions & WriteOptions = {},
    ) => {
      const { dryRun, idempotencyKey } = options
      const request = bulkRequest(method, path, which, { input: input && (toWire(input, json) as object), dryRun })
      const headers = method === 'POST' ? { 'X-Idempotency-Key': idempotencyKey ?? makeKey() } : {}
      // It would affect records that match only later.
      const isRepeatable = method === 'POST' || dryRun === true
      return answered(await send({ method, ...request, headers, isRepeatable, ...optionsOf(options) }))
    },
  }
}

/** (contract 13.7) */
const countOf = (meta: Readonly<Record<string, number>> = {}): BulkResult => ({ count: Object.values(meta)[0]! })

const etags = new WeakMap<object, string>()
const replays = new WeakSet<object>()

/** The ETag of a record returned by `get` or a write; undefined for records of a list. (contract 4.11.4) */
export const etagOf = (record: object): string | undefined => etags.get(record)
/**
 * Whether a create was replayed because its first answer was lost or its key used before. Values shown once, such as an API key,
 * are not repeated. (contract 4.7.6)
 */
export const isReplayed = (record: object): boolean => replays.has(record)

const conditionOf = ({ ifMatch }: ChangeOptions): { readonly 'If-Match'?: string } =>
  ifMatch === undefined ? {} : { 'If-Match': etagFor(ifMatch) }

function etagFor(match: object | string): string {
  const etag = typeof match === 'string' ? match : etagOf(match)
  if (etag !== undefined) return etag
  throw new DuetError('VALIDATION_ERROR', 'ifMatch is no record that get or a write has answered.')
}
