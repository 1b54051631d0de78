// POST, PUT, PATCH and DELETE: one target or many, one code path. (contract 4.5, 4.6, 4.7)

import type {
  Idempotency,
  RecordName,
  Runner,
  Target,
  UpsertCall,
  UpsertOutcome,
  WriteCall,
  WriteInput,
  WriteOutcome,
} from '../action/call.ts'
import { withKey } from '../action/key.ts'
import { linksOf, makeSelection } from '../action/record-selection.ts'
import { type Detail, invariant } from '../failure/failure.ts'
import { versionsMatched } from '../http/message/conditional.ts'
import type { Exchange, Json, Reply } from '../http/message/exchange.ts'
import { readQuery, requireKnown } from '../http/message/query.ts'
import type { Limits } from '../limits.ts'
import type { Root } from '../read-plan/selection.ts'
import type { Requester } from '../resource/actor.ts'
import type { NoteUse } from '../resource/deprecation.ts'
import { type KeyName, upsertActions } from '../resource/model/key.ts'
import type { ResourceModel } from '../resource/model/model.ts'
import { listName, membersOf, readChanges, readMembers, readMoveInput, readNewRecords } from './body.ts'
import { type BulkQuery, type BulkQueryDependencies, createBulkQuery } from './bulk-query.ts'
import { readIdempotencyKey } from './idempotency-key.ts'
import { readKeyPath } from './key-path.ts'
import { idInPath } from './me.ts'
import { enveloped, type Handle } from './read.ts'

import { tagOf } from './record-tag.ts'
import type { ResourceEndpoint } from './routes.ts'
import { tooLargeOr } from './too-large.ts'
import { compileNamedUses } from './uses.ts'

export interface WriteDependencies extends Omit<BulkQueryDependencies, 'limits'> {
  readonly runner: Runner
  readonly limits: BulkQueryDependencies['limits'] & Pick<Limits, 'restBodyBytes' | 'batch' | 'idempotencyKeyLength'>
  /** What accounts are. */
  readonly account: ResourceModel
  /** Told of bodies that use what is deprecated. (contract 9.4.1) */
  readonly noteUse?: NoteUse
}

/** What is the same for every request of one endpoint. */
interface Writing extends WriteDependencies {
  readonly endpoint: ResourceEndpoint
  readonly root: Extract<Root, { kind: 'records' }> | null
}

export function writeHandle(endpoint: ResourceEndpoint, dependencies: WriteDependencies): Handle {
  const { kind, resource, action, version, key } = endpoint
  const { runner } = dependencies
  const upsert = kind === 'upsert' ? upsertActions(resource, key!) : null
  const of = makeSelection(resource, version.vocabulary)
  const root = action.kind === 'delete' ? null : ({ kind: 'records', of, etag: true, scoped: false } as const)
  const writing: Writing = { ...dependencies, endpoint, root }
  const bulkQuery =
    (kind === 'updateMany' || kind === 'deleteMany' || kind === 'moveMany') && resource.where !== null
      ? createBulkQuery(endpoint, dependencies)
      : null
  const usesIn = dependencies.noteUse === undefined ? null : (compileNamedUses(endpoint)?.inTargets ?? null)
  return async (exchange, actor, id) => {
    // An absent body is a matter of form; one that cannot be read is told of before anything else. (contract 4.1.5)
    const body = exchange.hasBody ? await exchange.json(dependencies.limits.restBodyBytes) : undefined
    const name = id === null ? null : nameIn(id, actor)
    const bulk =
      bulkQuery === null || (exchange.query === '' && kind === 'updateMany')
        ? null
        : bulkQuery(exchange.query, membersOf(body), actor)
    const call: WriteCall = {
      action,
      actor,
      input: () => (bulk === null ? readInput(body, exchange, actor, name) : readBulk(bulk, body, exchange, actor)),
      replace: kind === 'replace',
      vocabulary: version.vocabulary,
      root: bulk === null || bulk.selection === undefined ? root : null,
      lists: [],
      requestId: exchange.requestId,
      deadline: exchange,
      size: exchange.size,
    }
    const written = upsert === null ? runner.write(call) : runner.upsert(upsertCall(call, name as KeyName, exchange))
    const outcome = await written.catch((error: unknown) => {
      throw tooLargeOr(error, exchange)
    })
    return bulk !== null && (bulk.dryRun || bulk.selection !== undefined || kind === 'deleteMany')
      ? bulkReply(outcome, bulk, exchange.path, endpoint)
      : reply(outcome, exchange.path, endpoint)
  }

  function nameIn(id: string, actor: Requester): RecordName {
    if (key !== undefined) return readKeyPath(id, key, resource, version)
    return idInPath(id, resource, dependencies.account, actor)
  }

  function upsertCall(
    { action: _, replace, input, ...call }: WriteCall,
    name: KeyName,
    { headers }: Exchange,
  ): UpsertCall {
    return {
      ...call,
      ...upsert!,
      input: () => {
        const { targets, problems } = input()
        const ifMatch = headers['if-match']
        const condition = ifMatch === undefined ? {} : { versions: versionsMatched(ifMatch) }
        return { name, input: targets[0]!.input, problems, ...condition }
      },
    }
  }

  function readInput(
    body: Json | undefined,
    exchange: Exchange,
    actor: Requester,
    name: RecordName | null,
  ): WriteInput {
    const problems: Detail[] = []
    const targets = readTargets(body, exchange, name, writing, problems)
    note(targets, exchange, actor)
    requireKnown(readQuery(exchange.query, problems), () => false, problems)
    const idempotency = exchange.method === 'POST' ? readIdempotency(exchange, body, writing, problems) : undefined
    return { targets, problems, idempotency }
  }

  /** A condition in place of ids: one target says what becomes of all. (contract 13.7) */
  function readBulk(bulk: BulkQuery, body: Json | undefined, exchange: Exchange, actor: Requester): WriteInput {
    const problems = [...bulk.problems]
    const { selection, ids, dryRun } = bulk
    const members = readMembers(body)
    const sent = kind === 'moveMany' ? readMoveInput(members, problems) : members
    const key = exchange.method === 'POST' ? readIdempotency(exchange, body, writing, problems) : undefined
    if (exchange.headers['if-match'] !== undefined) problems.push(ofOneRecord)
    const targets =
      selection !== undefined
        ? [{ id: '', input: sent }]
        : readChanges(ids === undefined ? sent : { ...sent, ids }, dependencies.limits.batch, problems)
    note(targets, exchange, actor)
    const of = selection === undefined ? {} : { selection }
    // What is stored of a dry run is nothing, its key included.
    return { targets, problems, dryRun, idempotency: dryRun ? undefined : key, ...of }
  }

  function note(targets: readonly Target[], { headers }: Exchange, actor: Requester): void {
    const uses = usesIn?.(targets) ?? []
    if (uses.length > 0) dependencies.noteUse!(uses, actor, headers['x-client-name'])
  }
}
const ofOneRecord: Detail = { field: 'If-Match', message: 'Is for a single record.' }

function readTargets(
  body: Json | undefined,
  { headers }: Exchange,
  name: RecordName | null,
  { endpoint: { kind, resource, action, version }, limits }: Writing,
  problems: Detail[],
): readonly Target[] {
  const input = readMembers(body)
  if (kind === 'createMany') return readNewRecords(input, listName(resource), limits.batch, problems)
  if (kind === 'create' || kind === 'collection' || kind === 'upsert') return [{ input }]
  const ifMatch = headers['if-match']
  if (kind === 'updateMany' || kind === 'deleteMany') {
    if (ifMatch !== undefined) problems.push(ofOneRecord)
    return readChanges(input, limits.batch, problems)
  }
  const versions = ifMatch === undefined ? 'any' : versionsMatched(ifMatch)
  const own =
    typeof name === 'string' ? input : withKey(action, { input, isWhole: false }, name!, version.vocabulary, problems)
  return [versions === 'any' ? { id: name!, input: own } : { id: name!, input: own, versions }]
}

function readIdempotency(
  { headers, method, path }: Exchange,
  body: Json | undefined,
  { limits }: Writing,
  problems: Detail[],
): Idempotency | undefined {
  const key = readIdempotencyKey(headers, limits, problems)
  return key === undefined ? undefined : { key, method, path, body }
}

function reply(outcome: WriteOutcome | UpsertOutcome, path: string, endpoint: ResourceEndpoint): Reply {
  const { kind, version } = endpoint
  const { records, replayed } = outcome
  const headers = { ...version.headers(path), ...(replayed ? { 'Idempotent-Replayed': 'true' } : {}) }
  const status = replayed ? 200 : 'created' in outcome && outcome.created ? 201 : statusOf[kind]
  if (kind === 'delete') return { status, headers, body: null }
  const printed = records.map((_, index) => print(outcome, index, endpoint))
  const counted = countedAs[kind]
  if (counted !== undefined) {
    return { status, headers, body: enveloped(`[${printed.join(',')}]`, { [counted]: printed.length }) }
  }
  const [record] = records
  invariant(record !== undefined, 'a write of one record answers it')
  const created = status === 201 ? { Location: `${version.prefix}/${endpoint.resource.path}/${outcome.ids[0]}` } : {}
  const text = `{"data":${record.json}}`
  const etag = tagOf(record, endpoint.resource, { text, isMark: linksOf(endpoint.resource).length > 0 })
  return { status, headers: { ETag: etag, ...created, ...headers }, body: `{"data":${printed[0]}}` }
}

/** How many records were written, or would have been. */
function bulkReply(
  { ids, replayed }: WriteOutcome,
  { dryRun }: BulkQuery,
  path: string,
  { kind, version }: ResourceEndpoint,
): Reply {
  const meta = { [dryRun ? 'matched' : countedAs[kind]!]: ids.length }
  const headers = { ...version.headers(path), ...(replayed ? { 'Idempotent-Replayed': 'true' } : {}) }
  return { status: 200, headers, body: JSON.stringify({ meta }) }
}

/** What `meta` calls the number of records, where a write answers many. */
export const countedAs: Partial<Record<ResourceEndpoint['kind'], string>> = {
  createMany: 'created',
  updateMany: 'updated',
  moveMany: 'updated',
  deleteMany: 'deleted',
  collection: 'written',
}

/** What a request that succeeds is answered with. */
export const statusOf: Readonly<Record<ResourceEndpoint['kind'], number>> = {
  summary: 200,
  list: 200,
  record: 200,
  create: 201,
  createMany: 201,
  upsert: 200,
  replace: 200,
  update: 200,
  updateMany: 200,
  delete: 204,
  deleteMany: 200,
  move: 200,
  moveMany: 200,
  collection: 200,
}

/** One record, and the tokens that are shown this once. */
function print({ records, tokens }: WriteOutcome, index: number, { resource, version }: ResourceEndpoint): string {
  const { json } = records[index]!
  invariant(json !== null, 'nothing that REST selects of a record can be refused')
  let text = json
  for (const [field, token] of Object.entries(tokens[index] ?? {})) {
    const name = version.vocabulary.name(resource, field)
    text = `${text.slice(0, -1)},${JSON.stringify(name)}:${JSON.stringify(token)}}`
  }
  return text
}
