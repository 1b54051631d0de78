// POST, PUT, PATCH and DELETE share one code path, for one target or many. (contract 4.5, 4.6, 4.7)

import type {
  Idempotency,
  RecordName,
  Runner,
  Target,
  UpsertInput,
  WriteCall,
  WriteInput,
  WriteOutcome,
} from '../action/call.ts'
import { withKey } from '../action/input/key.ts'
import { makeWrittenSelection } from '../action/record-selection.ts'
import { type Detail, invariant } from '../failure/failure.ts'
import { type Exchange, originOf, type Reply } from '../http/message/exchange.ts'
import { readQuery, requireKnown } from '../http/message/query.ts'
import type { Json } from '../json/json.ts'
import type { Root } from '../read-plan/selection.ts'
import type { Requester } from '../resource/actor.ts'
import type { NoteUse } from '../resource/deprecation.ts'
import { type KeyName, manyUpsertKeys, upsertActions } from '../resource/model/key.ts'
import type { ResourceModel } from '../resource/model/model.ts'
import { readIdempotencyKey } from './idempotency-key.ts'
import { listName, membersOf, readChanges, readMembers, readMoveInput, readNewRecords } from './query/body.ts'
import { type BulkQuery, type BulkQueryDependencies, createBulkQuery } from './query/bulk-query.ts'
import { enveloped, type Handle, tagOf, tooLargeOr } from './read.ts'
import { readRecordName } from './record-name.ts'
import type { ResourceEndpoint } from './route/routes.ts'
import { isByKey, readPreconditions, readUpserts, upsertCall } from './upsert.ts'
import { compileNamedUses } from './uses.ts'

export interface WriteDependencies extends BulkQueryDependencies {
  readonly runner: Runner
  readonly account: ResourceModel
  /** Called for bodies with deprecated parts. (contract 9.4.1) */
  readonly noteUse?: NoteUse
}

interface Writing extends WriteDependencies {
  readonly endpoint: ResourceEndpoint
  readonly root: Extract<Root, { kind: 'records' }> | null
}

export function writeHandle(endpoint: ResourceEndpoint, dependencies: WriteDependencies): Handle {
  const { kind, resource, action, version } = endpoint
  const { runner, account } = dependencies
  const upsertsMany = kind === 'createMany' && manyUpsertKeys(resource).length > 0
  const of = makeWrittenSelection(resource, version.vocabulary)
  const root = action.kind === 'delete' ? null : ({ kind: 'records', of, etag: true, scoped: false } as const)
  const writing: Writing = { ...dependencies, endpoint, root }
  const bulkQuery =
    (kind === 'updateMany' || kind === 'deleteMany' || kind === 'moveMany') && resource.where !== null
      ? createBulkQuery(endpoint, dependencies)
      : null
  const { readInput, readBulk, readMany } = createInputs(writing)
  return async (exchange, actor, id) => {
    // An absent body is a validation problem; an unreadable one fails first. (contract 4.1.5)
    const body = await exchange.jsonIfSent(dependencies.limits.restBodyBytes)
    const name = id === null ? null : readRecordName(id, endpoint, resource, account, actor)
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
      request: originOf(exchange),
      deadline: exchange,
      size: exchange.size,
    }
    const isUpsert = upsertsMany && isByKey(exchange.query)
    const written = isUpsert
      ? runner.upsert({
          ...call,
          ...upsertActions(resource, manyUpsertKeys(resource)[0]!)!,
          input: () => readMany(body, exchange, actor),
        })
      : kind === 'upsert'
        ? runner.upsert(upsertCall(call, endpoint, name as KeyName, exchange))
        : runner.write(call)
    const outcome = await written.catch((error: unknown) => {
      throw tooLargeOr(error, exchange)
    })
    const headers = {
      ...version.headers(exchange.path),
      ...(outcome.replayed ? { 'Idempotent-Replayed': 'true' } : {}),
    }
    if (isUpsert) {
      const { records, created } = outcome
      return { status: 200, headers, body: manyBody(records, { created, updated: records.length - created }) }
    }
    if (bulk !== null && (bulk.dryRun || bulk.selection !== undefined || kind === 'deleteMany')) {
      const meta = { [bulk.dryRun ? 'matched' : countedAs[kind]!]: outcome.ids.length }
      return { status: 200, headers, body: JSON.stringify({ meta }) }
    }
    return reply(outcome, headers, endpoint)
  }
}

function createInputs(writing: Writing) {
  const { endpoint, noteUse, limits } = writing
  const usesIn = noteUse === undefined ? null : (compileNamedUses(endpoint, limits)?.inBody ?? null)
  return { readInput, readBulk, readMany }

  function readInput(
    body: Json | undefined,
    exchange: Exchange,
    actor: Requester,
    name: RecordName | null,
  ): WriteInput {
    const problems: Detail[] = []
    const targets = readTargets(body, exchange, name, writing, problems)
    note(targets, undefined, exchange, actor)
    requireKnown(readQuery(exchange.query, problems), () => false, problems)
    const idempotency = exchange.method === 'POST' ? readIdempotency(exchange, body, writing, problems) : undefined
    return { targets, problems, idempotency }
  }

  /** By a key. (contract 11.2.26) */
  function readMany(body: Json | undefined, exchange: Exchange, actor: Requester): UpsertInput {
    const problems: Detail[] = []
    refusePreconditions(exchange.headers, problems)
    const targets = readUpserts(body, exchange.query, writing.endpoint, actor, writing.limits.batch, problems)
    note(targets, undefined, exchange, actor)
    return { targets, problems, idempotency: readIdempotency(exchange, body, writing, problems) }
  }

  /** With a condition, a single target stands for all records. (contract 13.7) */
  function readBulk(bulk: BulkQuery, body: Json | undefined, exchange: Exchange, actor: Requester): WriteInput {
    const problems = [...bulk.problems]
    const { selection, ids, dryRun } = bulk
    const members = readMembers(body)
    const sent = writing.endpoint.kind === 'moveMany' ? readMoveInput(members, problems) : members
    const key = exchange.method === 'POST' ? readIdempotency(exchange, body, writing, problems) : undefined
    refusePreconditions(exchange.headers, problems)
    const targets =
      selection !== undefined
        ? [{ input: sent }]
        : readChanges(ids === undefined ? sent : { ...sent, ids }, writing.limits.batch, problems)
    note(targets, members['where'], exchange, actor)
    const of = selection === undefined ? {} : { selection }
    // A dry run stores nothing, so also no key.
    return { targets, problems, dryRun, idempotency: dryRun ? undefined : key, ...of }
  }

  function note(
    targets: readonly Pick<Target, 'input'>[],
    where: unknown,
    { headers }: Exchange,
    actor: Requester,
  ): void {
    const uses = usesIn?.(targets, where) ?? []
    if (uses.length > 0) writing.noteUse!(uses, actor, headers['x-client-name'])
  }
}

function refusePreconditions(headers: Exchange['headers'], problems: Detail[]): void {
  for (const field of ['If-Match', 'If-None-Match'])
    if (headers[field.toLowerCase()] !== undefined) problems.push({ field, message: 'Is for a single record.' })
}

function readTargets(
  body: Json | undefined,
  { headers }: Exchange,
  name: RecordName | null,
  { endpoint: { kind, resource, action, version }, limits }: Writing,
  problems: Detail[],
): readonly Target[] {
  const input = readMembers(body)
  if (kind === 'upsert') return [{ input }]
  if (name === null) refusePreconditions(headers, problems)
  if (kind === 'createMany') return readNewRecords(input, listName(resource), limits.batch, problems)
  if (kind === 'create' || kind === 'collection') return [{ input }]
  if (kind === 'updateMany' || kind === 'deleteMany') return readChanges(input, limits.batch, problems)
  const { versions, ...exclusion } = readPreconditions(headers)
  const own =
    typeof name === 'string'
      ? input
      : withKey(action, { input, isWhole: false }, name!, version.vocabulary, (field, message) =>
          problems.push({ field, message, target: 0 }),
        )
  const condition = versions === undefined || versions === 'any' ? {} : { versions }
  return [{ id: name!, input: own, ...condition, ...exclusion }]
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

function reply(
  { records, ids, created, replayed }: WriteOutcome,
  headers: Readonly<Record<string, string>>,
  { kind, version, resource }: ResourceEndpoint,
): Reply {
  const status = replayed ? 200 : kind === 'upsert' && created > 0 ? 201 : statusOf(kind)
  if (kind === 'delete') return { status, headers, body: null }
  const counted = countedAs[kind]
  if (counted !== undefined) return { status, headers, body: manyBody(records, { [counted]: records.length }) }
  const [record] = records
  invariant(record !== undefined, 'a write of one record answers it')
  const location = status === 201 ? { Location: `${version.prefix}/${resource.path}/${ids[0]}` } : {}
  const text = `{"data":${record.jsonWithoutTokens ?? record.json}}`
  // The tag of the record's own address, whichever was used.
  const etag = tagOf(record.version, text, null)
  return { status, headers: { ETag: etag, ...location, ...headers }, body: `{"data":${printedOf(record)}}` }
}

function printedOf({ json }: WriteOutcome['records'][number]): string {
  invariant(json !== null, 'nothing that REST selects of a record can be refused')
  return json
}

const manyBody = (records: WriteOutcome['records'], meta: object): string =>
  enveloped(`[${records.map(printedOf).join(',')}]`, meta)

/** The name of the number of records in `meta`. */
const countedAs: Partial<Record<ResourceEndpoint['kind'], string>> = {
  createMany: 'created',
  updateMany: 'updated',
  moveMany: 'updated',
  deleteMany: 'deleted',
  collection: 'written',
}

/** Unless it is a replay. */
export function statusOf(kind: ResourceEndpoint['kind']): number {
  if (kind === 'create' || kind === 'createMany') return 201
  return kind === 'delete' ? 204 : 200
}
