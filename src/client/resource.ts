// What `client.posts` can do. Names become addresses as they are spelled: nothing of the definition is here when this runs.

import { kebab, snake } from '../resource/naming/casing.ts'
import type { Answer } from './answer.ts'
import type { BulkOptions, BulkResult } from './bulk.ts'
import { type BulkMethod, bulkRequest, type Which } from './bulk-request.ts'
import type { CallOptions, ChangeOptions, MoveOptions, WriteOptions } from './call.ts'
import { DuetError } from './error.ts'
import { lazily } from './lazily.ts'
import { type AnyQuery, listOf, pageOf, queryOf } from './list.ts'
import type { Page } from './query.ts'
import type { Sending } from './send.ts'
import { fromWire, type JsonFields, toWire } from './wire-form.ts'

export interface ResourceContext {
  readonly send: (sending: Sending) => Promise<Answer>
  /** `/api/v2`. */
  readonly prefix: string
  readonly json: JsonFields
  readonly makeKey: () => string
}

/** The id of a record; or, where it is about none, what comes next. */
type Whose = string | AnyQuery

/** The methods of a resource, by its plural; what is no usual method is a move, or a list that belongs to a record. */
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
    // With an id it is about that record, without one about the collection.
    const path = (id: string) => `${member(id)}/${kebab(name)}`
    const whole = `${collection}/${kebab(name)}`
    const move = (about?: Whose, ...[second, third]: readonly (object | undefined)[]) =>
      typeof about === 'string'
        ? post(path(about), second && wire(second), third as MoveOptions)
        : post(whole, about && wire(about), second as WriteOptions)
    return Object.assign(move, {
      many: (which: Which, input?: object, options?: BulkOptions & WriteOptions) =>
        writeMany('POST', whole, which, input, options),
      list: (about?: Whose, query?: AnyQuery) =>
        typeof about === 'string' ? list(path(about), query) : list(whole, about),
      page: (about?: Whose, query?: AnyQuery) =>
        typeof about === 'string' ? page(path(about), query) : page(whole, about),
      // What a key names within a tenant stands below it by the plural of its resource. (contract 11.2.11)
      by: (id: string, key: Key, options?: AnyQuery) => by(path(id), key, options),
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
  /** The record of an answer, the records, or their number. */
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
      // A try whose answer was lost is answered again to its key, before the condition is looked at.
      const headers = { 'X-Idempotency-Key': options.idempotencyKey ?? makeKey(), ...conditionOf(options) }
      return answered(await send({ method: 'POST', path, body, headers, isRepeatable: true, ...optionsOf(options) }))
    },
    change: async (method: string, path: string, body: unknown, options: ChangeOptions = {}) => {
      const headers = conditionOf(options)
      // Sent again, a condition would fail for what the first try did; and a PATCH might undo what came between.
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
      // Sent again, a change or a delete would reach what the condition holds for by then.
      const isRepeatable = method === 'POST' || dryRun === true
      return answered(await send({ method, ...request, headers, isRepeatable, ...optionsOf(options) }))
    },
  }
}

/** Of a write that answers no records, what it counted. (contract 13.7) */
const countOf = (meta: Readonly<Record<string, number>> = {}): BulkResult => ({ count: Object.values(meta)[0]! })

const etags = new WeakMap<object, string>()
const replays = new WeakSet<object>()

/** The ETag of a record as `get` or a write answered it; undefined for one of a list. (contract 4.11.4) */
export const etagOf = (record: object): string | undefined => etags.get(record)
/**
 * True for what a create answered again, because its first answer was lost or its key was used before. What is shown once,
 * such as an API key, is not shown again. (contract 4.7.6)
 */
export const isReplayed = (record: object): boolean => replays.has(record)

const conditionOf = ({ ifMatch }: ChangeOptions): { readonly 'If-Match'?: string } =>
  ifMatch === undefined ? {} : { 'If-Match': etagFor(ifMatch) }

function etagFor(match: object | string): string {
  const etag = typeof match === 'string' ? match : etagOf(match)
  if (etag !== undefined) return etag
  throw new DuetError('VALIDATION_ERROR', 'ifMatch is no record that get or a write has answered.')
}
