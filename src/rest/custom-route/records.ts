// The records that a route of an author's own reads and writes: by the runner, as its caller, under every rule there is.

import { authorizeActor } from '../../action/authorize.ts'
import type { Runner } from '../../action/call.ts'
import type { Deadline } from '../../budget/deadline.ts'
import { invariant } from '../../failure/failure.ts'
import type { Exchange } from '../../http/message/exchange.ts'
import type { Actor } from '../../resource/actor.ts'
import type { Id } from '../../resource/field/field.ts'
import type { MoveInput, MoveOf } from '../../resource/language/action.ts'
import type { AnyResource, RowOf } from '../../resource/language/any-resource.ts'
import type { Sent, Stored } from '../../resource/language/row.ts'
import type { ActionModel, Model, ResourceModel } from '../../resource/model/model.ts'
import { asDefined } from '../../resource/model/vocabulary.ts'
import { createListQuery, type ListQuery, type ListQueryGiven } from '../list-query.ts'
import { makeSelection } from '../selection.ts'
import type { Version } from '../version.ts'
import { readRow } from './read-row.ts'
import { written } from './written.ts'

/** A record as its reader may see it: protected fields may be missing. */
export type Seen<R extends AnyResource> = Omit<RowOf<R>, keyof R['protect'] & string> &
  Partial<Pick<RowOf<R>, keyof R['protect'] & keyof RowOf<R>>>
type ActionOf<R extends AnyResource, Name> = R['actions'][Name & keyof R['actions']]

export interface Which<R extends AnyResource> {
  /** The filters of the resource, by their names. */
  readonly where?: { readonly [N in keyof R['filter']]?: string | number | boolean | Date }
  readonly sort?: readonly (Stored<R['fields']> | `-${Stored<R['fields']>}` | 'createdAt' | '-createdAt')[]
  /** From 1. */
  readonly page?: number
  /** At most as many as clients may ask for. */
  readonly perPage?: number
}

/**
 * Each call is what a client could have asked for, and fails as it would have: with NOT_FOUND, FORBIDDEN, CONFLICT …
 * Each write is a transaction of its own.
 */
export interface RouteRecords {
  get<R extends AnyResource>(resource: R, id: Id<R['name']>): Promise<Seen<R>>
  list<R extends AnyResource>(
    resource: R,
    which?: Which<R>,
  ): Promise<{ readonly records: readonly Seen<R>[]; readonly hasNext: boolean }>
  create<R extends AnyResource>(resource: R, input: Sent<R['fields'], ActionOf<R, 'create'>>): Promise<Seen<R>>
  update<R extends AnyResource>(
    resource: R,
    id: Id<R['name']>,
    change: Partial<Sent<R['fields'], ActionOf<R, 'update'>>>,
  ): Promise<Seen<R>>
  delete<R extends AnyResource>(resource: R, id: Id<R['name']>): Promise<void>
  /** Runs a move, such as `publish`. */
  run<R extends AnyResource, const Move extends MoveOf<R>>(
    resource: R,
    id: Id<R['name']>,
    move: Move,
    ...input: MoveInput<R, Move>
  ): Promise<Seen<R>>
}

export interface RecordsGiven extends ListQueryGiven {
  readonly model: Model
  readonly runner: Runner
}

/** What one request may do, until its deadline; `version` names the fields in failures. */
export type RecordsFor = (
  actor: Actor | null,
  version: Version,
  exchange: Pick<Exchange, 'requestId' | keyof Deadline>,
) => RouteRecords

export function createRecords(given: RecordsGiven): RecordsFor {
  const { model, runner } = given
  const ways = new Map<string, Ways>()
  const wayOf = ({ name }: AnyResource): Ways => {
    const resource = model.byName.get(name)
    invariant(resource !== undefined, `${name} is a resource of this service`)
    return ways.getOrInsertComputed(name, () => makeWays(resource, given))
  }

  return (actor, { vocabulary }, exchange) => {
    const { requestId } = exchange
    async function write({ resource, records }: Ways, name: string, id: string | null, sent: object = {}) {
      const action = actionOf(resource, name)
      invariant(action.kind !== 'collection', `${name} is about one of ${resource.path}`)
      const input = written(action, sent, vocabulary)
      const root = action.kind === 'delete' ? null : records
      const target = id === null ? { input } : { id, input }
      const call = { action, actor, targets: [target], vocabulary, root, lists: [], requestId, deadline: exchange }
      const [record] = (await runner.write(call)).records
      return record === undefined ? undefined : readRow(resource, record.json)
    }
    const records = {
      async get(of: AnyResource, id: string) {
        const { resource, record } = wayOf(of)
        const { json } = await runner.record({ root: record, actor, id, lists: [], deadline: exchange })
        return readRow(resource, json)
      },
      async list(of: AnyResource, which: Which<AnyResource> = {}) {
        const { resource, lists } = wayOf(of)
        authorizeActor(resource.read, actor)
        const { root, list } = lists.read(queryOf(which), actor, null)
        const { json, hasNext } = await runner.list({ root, actor, list, lists: [], deadline: exchange })
        invariant(json !== null, 'nothing that is left out can be refused')
        return { records: (JSON.parse(json) as object[]).map((row) => readRow(resource, row)), hasNext }
      },
      create: (of: AnyResource, input: object) => write(wayOf(of), 'create', null, input),
      update: (of: AnyResource, id: string, change: object) => write(wayOf(of), 'update', id, change),
      delete: async (of: AnyResource, id: string) => void (await write(wayOf(of), 'delete', id)),
      run: (of: AnyResource, id: string, move: string, input?: object) => write(wayOf(of), move, id, input),
    }
    // What a row holds is known to whoever wrote the resource; here it is any row.
    return records as unknown as RouteRecords
  }
}

/** How a resource is read here, made once so that its read plans are found again. */
interface Ways {
  readonly resource: ResourceModel
  readonly record: { readonly kind: 'record'; readonly of: ReturnType<typeof makeSelection>; readonly etag: false }
  readonly records: {
    readonly kind: 'records'
    readonly of: ReturnType<typeof makeSelection>
    readonly etag: false
    readonly scoped: false
  }
  readonly lists: ListQuery
}

function makeWays(resource: ResourceModel, given: ListQueryGiven): Ways {
  const of = makeSelection(resource, asDefined)
  const operation = { kind: 'list', version: unversioned, resource, action: resource.read, within: null } as const
  return {
    resource,
    record: { kind: 'record', of, etag: false },
    records: { kind: 'records', of, etag: false, scoped: false },
    lists: createListQuery(operation, given),
  }
}

function actionOf({ name, actions }: ResourceModel, action: string): ActionModel {
  const found = actions.get(action)
  invariant(found !== undefined, `${name} has the action ${action}`)
  return found
}

/** For whoever speaks in the names of the definition. */
export const unversioned: Version = {
  name: 'definition',
  prefix: '',
  vocabulary: asDefined,
  isDeprecated: false,
  dates: null,
  headers: () => ({}),
}

/** As a client would ask: so nothing is let through that a client is refused. */
function queryOf({ where = {}, sort = [], page = 1, perPage }: Which<AnyResource>): string {
  const query = new URLSearchParams({ page: String(page) })
  if (perPage !== undefined) query.set('per_page', String(perPage))
  if (sort.length > 0) query.set('sort', sort.join())
  for (const [name, value] of Object.entries(where) as [string, unknown][]) {
    if (value !== undefined) query.set(name, value instanceof Date ? value.toISOString() : String(value))
  }
  return query.toString()
}
