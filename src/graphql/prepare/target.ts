// The records that a mutation writes, and the names of their problems. (contract 4.6.3, 4.8.7)

import type { Target, UpsertTarget } from '../../action/call.ts'
import { getOrInsert } from '../../cache/get-or-insert.ts'
import type { NameDetail } from '../../failure/description.ts'
import type { Detail } from '../../failure/failure.ts'
import type { Requester } from '../../resource/actor.ts'
import type { Column, KeyModel } from '../../resource/model/column.ts'
import { type KeyName, ownColumns, ownTenant, tenantProblem, upsertKeys } from '../../resource/model/key.ts'
import type { ActionModel, ResourceModel } from '../../resource/model/model.ts'
import type { Vocabulary } from '../../resource/model/vocabulary.ts'
import type { RootMeaning } from '../schema/meaning.ts'
import type { Variables } from './field-collector.ts'

type Writing = Pick<Extract<RootMeaning, { is: 'write' }>, 'action' | 'targets'>

/**
 * From `createPost`, `createPosts(input: { posts })` or `updatePosts(input: { ids, set })`. With a condition, one target stands
 * for all.
 */
export function targetsOf(
  { action, targets }: Writing,
  { id, by, input }: Variables,
  vocabulary: Vocabulary,
  actor: Requester,
): readonly Target[] {
  if (targets === 'collection') return [{ input: input ?? {} }]
  if (targets === 'one') {
    const key = by == null ? null : keyIn(by as Variables, action.resource.keys, action.resource, vocabulary)
    const name =
      key === null ? (id as string | undefined) : keyNameOf(key, action.resource, by as Variables, vocabulary, actor)
    return [{ ...(name === undefined ? {} : { id: name }), input: input ?? {} }]
  }
  const many = input as Variables
  if (targets === 'createMany')
    return (many[action.resource.graphql.plural] as readonly unknown[]).map((each) => ({ input: each }))
  if (targets === 'bulk' && many['ids'] == null) return [{ input: many['set'] ?? {} }]
  return (many['ids'] as readonly string[]).map((each) => ({ id: each, input: many['set'] ?? {} }))
}

export function targetCount({ action, targets }: Writing, { input }: Variables): number {
  if (targets === 'one' || targets === 'collection') return 1
  const many = input as Variables
  const list = targets === 'createMany' ? many[action.resource.graphql.plural] : many['ids']
  return Array.isArray(list) ? list.length : 1
}

export const hasCondition = ({ input }: Variables): boolean => {
  const { where, whereText } = input as Variables
  return where !== undefined || whereText !== undefined
}

/** Too few, too many or repeated targets: `posts`, `ids`, `ids[2]`; both a condition and ids, or neither. */
export function problemsOf(
  { action, targets }: Writing,
  args: Variables,
  all: readonly Target[],
  batch: number,
  vocabulary: Vocabulary,
): readonly Detail[] {
  if (targets === 'collection') return []
  if (targets === 'one') return action.kind === 'create' ? [] : nameProblems(action, args, vocabulary)
  if (targets === 'bulk') {
    const hasIds = (args['input'] as Variables)['ids'] != null
    if (hasIds && hasCondition(args)) return [{ field: 'ids', message: 'Send these or a condition.' }]
    if (!hasIds && !hasCondition(args))
      return [{ field: 'where', message: action.kind === 'update' ? 'Send a condition.' : 'Send a condition, or ids.' }]
    if (!hasIds) return []
  }
  const field = targets === 'createMany' ? action.resource.graphql.plural : 'ids'
  if (all.length === 0) return [{ field, message: 'At least 1 in the list.' }]
  if (all.length > batch) return [{ field, message: `At most ${batch} in the list.` }]
  if (targets === 'createMany') return []
  const first = new Map<string, number>()
  return all.flatMap(({ id }, index) => {
    const before = getOrInsert(first, id as string, () => index)
    return before === index ? [] : [{ field: `ids[${index}]`, message: `Is ids[${before}] again.` }]
  })
}

/** By its id or by a key, not by both. */
function nameProblems({ resource }: ActionModel, { id, by }: Variables, vocabulary: Vocabulary): readonly Detail[] {
  if (by == null) return id == null ? [{ field: 'id', message: 'Send this or by.' }] : []
  if (id != null) return [{ field: 'by', message: 'Send either this or id.' }]
  return keyIn(by as Variables, resource.keys, resource, vocabulary) === null
    ? [{ field: 'by', message: notOneKey }]
    : []
}

/** Relative to the input: `title`, `posts[3].title`, `set.title`, `ids[2]`. */
export const detailNames = ({ action, targets }: Writing): NameDetail => {
  if (targets === 'one' || targets === 'collection') return ({ field }) => field
  if (targets === 'createMany') {
    const list = action.resource.graphql.plural
    return ({ field, target }) =>
      target === undefined ? field : field === '' ? `${list}[${target}]` : `${list}[${target}].${field}`
  }
  // `set` is shared by all targets; only failures of records differ.
  return ({ field, target }, isForm) => {
    if (target === undefined) return field
    return isForm || field !== '' ? (field === '' ? 'set' : `set.${field}`) : `ids[${target}]`
  }
}

type UpsertRoot = Extract<RootMeaning, { is: 'upsert' | 'upsertMany' }>

export const upsertsIn = ({ is, resource }: UpsertRoot, args: Variables): readonly Variables[] =>
  is === 'upsert' ? [args] : ((args['input'] as Variables)[resource.graphql.plural] as readonly Variables[])

/** From `upsertCustomer(by, input)` or `upsertCustomers(input: { customers: [{ by, input }] })`; empty if a key is wrong. */
export function readUpserts(
  { is, resource }: UpsertRoot,
  args: Variables,
  vocabulary: Vocabulary,
  actor: Requester,
  batch: number,
  problems: Detail[],
): readonly UpsertTarget[] {
  const { plural } = resource.graphql
  const inputs = upsertsIn({ is, resource }, args)
  if (inputs.length === 0) problems.push({ field: plural, message: 'At least 1 in the list.' })
  if (inputs.length > batch) problems.push({ field: plural, message: `At most ${batch} in the list.` })
  const keys = inputs.map((each) => keyIn(each['by'] as Variables, upsertKeys(resource), resource, vocabulary))
  const [key = null] = keys
  for (const [target, each] of keys.entries())
    if (each === null || each !== key) {
      const message = each === null ? notOneKey : 'Must be the same key for all.'
      problems.push({ field: 'by', message, ...(is === 'upsert' ? {} : { target }) })
    }
  if (key === null || keys.some((each) => each !== key)) return []
  return inputs.map(({ by, input }, target) => {
    const name = keyNameOf(key, resource, by as Variables, vocabulary, actor)
    const message = tenantProblem(name)
    if (message !== null) problems.push({ field: 'by', message, ...(is === 'upsert' ? {} : { target }) })
    if (key.columns.some(({ nullable }, at) => nullable && name.sent[at] === null))
      problems.push({ field: 'by', message: notOneKey, ...(is === 'upsert' ? {} : { target }) })
    return { name, input }
  })
}
const notOneKey = 'Must have the fields of one key, and no others.'

/** The tenant of a key may be left out by an API key of it; otherwise it is null. (contract 11.2.32) */
export function keyNameOf(
  key: KeyModel,
  resource: ResourceModel,
  sent: Variables,
  { name }: Vocabulary,
  actor: Requester,
): KeyName {
  const names = key.columns.map(({ field }) => name(resource, field))
  const valueIn = (column: Column, at: number) =>
    column === key.tenant ? (sent[names[at]!] ?? ownTenant(resource, key, actor)) : sent[names[at]!]
  return { key, sent: key.columns.map(valueIn), names }
}

function keyIn(
  by: Variables,
  keys: readonly KeyModel[],
  resource: ResourceModel,
  vocabulary: Vocabulary,
): KeyModel | null {
  const sent = Object.keys(by).filter((name) => by[name] !== undefined)
  const isSent = ({ field }: Column) => sent.includes(vocabulary.name(resource, field))
  const isMeant = (key: KeyModel) => key.columns.filter(isSent).length === sent.length && ownColumns(key).every(isSent)
  return keys.find(isMeant) ?? null
}

/** Relative to the input: `customers[3].by`, `customers[3].input.name`. */
export const upsertNames =
  ({
    resource: {
      graphql: { plural },
    },
  }: UpsertRoot): NameDetail =>
  ({ field, target }) => {
    if (target === undefined) return field
    const within = field === '' ? '' : field === 'by' ? '.by' : `.input.${field}`
    return `${plural}[${target}]${within}`
  }
