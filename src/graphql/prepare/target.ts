// Which records a mutation writes, and what the problems with them are called. (contract 4.6.3, 4.8.7)

import type { Target } from '../../action/call.ts'
import { getOrInsert } from '../../cache/get-or-insert.ts'
import type { NameDetail } from '../../failure/description.ts'
import type { Detail } from '../../failure/failure.ts'
import type { RootMeaning } from '../schema/meaning.ts'
import type { Variables } from './field-collector.ts'

type Writing = Pick<Extract<RootMeaning, { is: 'write' }>, 'action' | 'targets'>

/** The records of `createPost`, `createPosts(input: { posts })` or `updatePosts(input: { ids, set })`; with a condition one that stands for all. */
export function targetsOf({ action, targets }: Writing, { id, input }: Variables): readonly Target[] {
  if (targets === 'collection') return [{ input: input ?? {} }]
  if (targets === 'one') return [{ ...(id === undefined ? {} : { id: id as string }), input: input ?? {} }]
  const many = input as Variables
  if (targets === 'createMany')
    return (many[action.resource.plural] as readonly unknown[]).map((each) => ({ input: each }))
  if (targets === 'bulk' && many['ids'] == null) return [{ id: '', input: many['set'] ?? {} }]
  return (many['ids'] as readonly string[]).map((each) => ({ id: each, input: many['set'] ?? {} }))
}

/** Whether a condition says which records are meant; else ids do, or nothing. */
export const hasCondition = ({ input }: Variables): boolean => {
  const { where, whereText } = input as Variables
  return where !== undefined || whereText !== undefined
}

/** Too few, too many, the same twice: `posts`, `ids`, `ids[2]`; neither a condition nor ids, or both. */
export function problemsOf(
  { action, targets }: Writing,
  args: Variables,
  all: readonly Target[],
  batch: number,
): readonly Detail[] {
  if (targets === 'one' || targets === 'collection') return []
  if (targets === 'bulk') {
    const hasIds = (args['input'] as Variables)['ids'] != null
    if (hasIds && hasCondition(args)) return [{ field: 'ids', message: 'Send these or a condition.' }]
    if (!hasIds && !hasCondition(args))
      return [{ field: 'where', message: action.kind === 'update' ? 'Send a condition.' : 'Send a condition, or ids.' }]
    if (!hasIds) return []
  }
  const field = targets === 'createMany' ? action.resource.plural : 'ids'
  if (all.length === 0) return [{ field, message: 'At least 1 in the list.' }]
  if (all.length > batch) return [{ field, message: `At most ${batch} in the list.` }]
  if (targets === 'createMany') return []
  const first = new Map<string, number>()
  return all.flatMap(({ id }, index) => {
    const before = getOrInsert(first, id!, () => index)
    return before === index ? [] : [{ field: `ids[${index}]`, message: `Is ids[${before}] again.` }]
  })
}

/** Names the problems of a mutation's targets relative to its input: `title`, `posts[3].title`, `set.title`, `ids[2]`. */
export const detailNames = ({ action, targets }: Writing): NameDetail => {
  if (targets === 'one' || targets === 'collection') return ({ field }) => field
  if (targets === 'createMany') {
    const list = action.resource.plural
    return ({ field, target }) =>
      target === undefined ? field : field === '' ? `${list}[${target}]` : `${list}[${target}].${field}`
  }
  // What is set is sent once for all; only the records themselves are told apart.
  return ({ field, target }, isForm) => {
    if (target === undefined) return field
    return isForm || field !== '' ? (field === '' ? 'set' : `set.${field}`) : `ids[${target}]`
  }
}
