// PUT by key, and POST /customers/batch?by=external_id, whose inputs have their keys in them. (contract 11.2.9, 11.2.26)

import type { UpsertCall, UpsertInput, UpsertTarget, WriteCall } from '../action/call.ts'
import { type Detail, Failure } from '../failure/failure.ts'
import { versionsMatched } from '../http/message/conditional.ts'
import type { Exchange } from '../http/message/exchange.ts'
import { readQuery, requireKnown } from '../http/message/query.ts'
import type { Json } from '../json/json.ts'
import type { Requester } from '../resource/actor.ts'
import type { KeyModel } from '../resource/model/column.ts'
import { type KeyName, manyUpsertKeys, ownColumns, ownTenant, upsertActions } from '../resource/model/key.ts'
import type { ResourceModel } from '../resource/model/model.ts'
import { listName, readMembers, readNewRecords } from './query/body.ts'
import { isOfNoTenant } from './record-name.ts'
import type { ResourceEndpoint } from './route/routes.ts'

/** The call of a PUT by key. */
export function upsertCall(
  { action: _, replace, input, ...call }: WriteCall,
  { resource, key, isInOwnTenant }: ResourceEndpoint,
  name: KeyName,
  { headers }: Exchange,
): UpsertCall {
  return {
    ...call,
    ...upsertActions(resource, key!)!,
    input: () => {
      if (isInOwnTenant === true && isOfNoTenant(name)) throw new Failure(resource.notFound)
      const { targets, problems } = input()
      return { targets: [{ name, input: targets[0]!.input, ...readPreconditions(headers) }], problems }
    },
  }
}

/** `If-Unmodified-Since` is ignored, as answers have no modification date. */
export function readPreconditions(headers: Exchange['headers']): Pick<UpsertTarget, 'versions' | 'otherThan'> {
  const [ifMatch, ifNoneMatch] = [headers['if-match'], headers['if-none-match']]
  return {
    ...(ifMatch === undefined ? {} : { versions: versionsMatched(ifMatch) }),
    ...(ifNoneMatch === undefined ? {} : { otherThan: versionsMatched(ifNoneMatch) }),
  }
}

/** Whether a batch is sent by a key: then its records are created or replaced. */
export const isByKey = (query: string): boolean => /(?:^|&)by=/.test(query)

/** Reads a batch that is sent by a key. */
export function readUpserts(
  body: Json | undefined,
  query: string,
  { resource, version: { vocabulary } }: ResourceEndpoint,
  actor: Requester,
  batch: number,
  problems: Detail[],
): UpsertInput['targets'] {
  const parameters = readQuery(query, problems, byParameters)
  requireKnown(parameters, (name) => name === 'by', problems)
  const nameOf = ({ field }: KeyModel['columns'][number]) => vocabulary.name(resource, field)
  const keys = manyUpsertKeys(resource)
  const sentNames = (parameters.get('by') ?? '').split(',').sort().join()
  const key = keys.find((each) => ownColumns(each).map(nameOf).sort().join() === sentNames)
  const inputs = readNewRecords(readMembers(body), listName(resource), batch, problems)
  if (key === undefined) {
    const all = keys.map((each) => ownColumns(each).map(nameOf).join(','))
    problems.push({ field: 'by', message: `Must be ${all.join(' or ')}.` })
    return []
  }
  const names = key.columns.map(nameOf)
  const tenant = ownTenant(resource, key, actor)
  return inputs.map(({ input }, target) => {
    const sent = names.map(
      (name, at) => memberOf(input, name) ?? (key.columns[at] === key.tenant ? (tenant ?? undefined) : undefined),
    )
    for (const [at, value] of sent.entries())
      if (isMissing(value, resource, key.columns[at]!))
        problems.push({ field: names[at]!, message: 'Is required.', target })
    return { name: { key, sent, names }, input }
  })
}

const byParameters: ReadonlySet<string> = new Set(['by'])

const memberOf = (input: unknown, name: string): unknown =>
  typeof input === 'object' && input !== null && Object.hasOwn(input, name)
    ? (input as Readonly<Record<string, unknown>>)[name]
    : undefined

/** Where create would do without it. */
function isMissing(value: unknown, { actions }: ResourceModel, column: KeyModel['columns'][number]): boolean {
  if (column.nullable) return value === undefined || value === null
  const accepted = actions.get('create')!.accept.find((each) => each.column === column)
  return value === undefined && accepted?.initial !== undefined
}
