// What mutations should do: to plain objects, with the rules of the contract written out by hand.

import type { GraphQLError } from 'graphql'
import type { Actor } from '../../../src/resource/actor.ts'
import { fail, type OracleCode, type OracleDetail } from './fail.ts'
import type { Row, World } from './world.ts'

type Args = Readonly<Record<string, unknown>>
type Type = 'User' | 'Post' | 'Comment' | 'Article'
/** A world that mutations change. */
export interface LivingWorld extends World {
  readonly rows: Map<string, Row[]>
  readonly follows: (readonly [string, string])[]
}
export interface Asking {
  readonly world: LivingWorld
  readonly actor: Actor | null
  readonly isVisible: (row: Row) => boolean
}

/** A world of its own, equal to this one. */
export const copyOf = (world: World): LivingWorld => ({
  ...world,
  rows: new Map([...world.rows].map(([type, rows]) => [type, [...rows]])),
  follows: [...world.follows],
})

const paths = { User: 'users', Post: 'posts', Comment: 'comments', Article: 'articles' }

/** Carries out a field of Mutation; answers the record or records, or true. */
export function mutate(name: string, args: Args, asking: Asking): unknown {
  const [, verb, type, many] = /^([a-z]+)(User|Post|Comment|Article)(s?(?:Where)?)$/.exec(name) as unknown as [
    string,
    string,
    Type,
    string,
  ]
  requirePermission(verb, type, asking)
  if (many === 's' && verb === 'create') return createMany(type, args, asking)
  if (many === 's' && verb === 'update') return updateMany(type, args, asking)
  if (many !== '') return bulk(verb, type, args['input'] as Bulk, asking)
  const input = args['input'] as Args | undefined
  if (verb === 'create') {
    requireForm([input!], type, (_, field) => field)
    const row = create(type, input!, asking)
    addComments(row, input!['comments'], asking)
    return row
  }
  if (verb === 'update') requireForm([input!], type, (_, field) => field)
  const row = find(type, args['id'] as string, asking)
  requireOwnership(verb, row, asking)
  switch (verb) {
    case 'update': {
      const { comments, followingIds, ...values } = input!
      if (comments !== undefined) replaceComments(row, comments as readonly Args[], asking)
      if (followingIds !== undefined) replaceFollowing(row, followingIds as readonly string[], asking)
      return change(row, values, asking)
    }
    case 'delete':
      return remove(row, asking)
    case 'follow':
    case 'unfollow':
      return link(verb, row, asking)
    default:
      requireState(verb, row)
      return move(verb, row, asking)
  }
}

/** A write of many records of which only the number is answered. */
interface Bulk {
  readonly ids?: readonly string[]
  readonly where?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly set?: Args
  readonly dryRun?: boolean
}

function bulk(verb: string, type: Type, { ids, where = {}, set = {}, dryRun }: Bulk, asking: Asking): unknown {
  const problems = problemsOf(set, type).map(({ field, message }) => ({ field: `set.${field}`, message }))
  if (problems.length > 0) refuse(problems)
  const { world, isVisible } = asking
  const matching = world.rows
    .get(type)!
    .filter((row) => isVisible(row) && holds(row, where))
    .sort(newestFirst)
  const rows = ids === undefined ? matching : staged(ids, (id) => find(type, id, asking))
  // What the client did not name by its place is named by its id.
  const nameOf = ids === undefined ? (index: number) => rows[index]!.id : placeOfId
  staged(rows, (row) => requireOwnership(verb, row, asking), nameOf)
  staged(rows, (row) => requireState(verb, row), nameOf)
  if (dryRun !== true)
    for (const row of rows) {
      if (verb === 'delete') remove(row, asking)
      else if (verb === 'update') change(row, set, asking)
      else move(verb, row, asking)
    }
  return { count: rows.length }
}

const newestFirst = (left: Row, right: Row): number =>
  Number(right['createdAt']) - Number(left['createdAt']) || (left.id < right.id ? 1 : -1)

const holds = (row: Row, where: NonNullable<Bulk['where']>): boolean =>
  Object.entries(where).every(([name, test]) => {
    const value = row[name.replace(/Id$/, '')]
    return 'has' in test ? (value as readonly unknown[]).includes(test['has']) : value === test['eq']
  })

function addComments(post: Row, comments: unknown, asking: Asking): void {
  for (const { content } of (comments ?? []) as readonly Args[]) add('Comment', { post: post.id, content }, asking)
}

/** The comments that a post shall have: those with an id stay, those without are made, all others go. (contract 13.1.8) */
function replaceComments(post: Row, comments: readonly Args[], asking: Asking): void {
  const { world } = asking
  const own = world.rows.get('Comment')!.filter((each) => each['post'] === post.id)
  const rowOf = (id: unknown) => own.find((each) => each.id === id)
  const missing = comments.flatMap(({ id }, index) =>
    id === undefined || rowOf(id) !== undefined
      ? []
      : [{ field: `comments[${index}].id`, message: 'There is no such record.' }],
  )
  if (missing.length > 0) fail('BUSINESS_RULE_VIOLATION', missingRecord, missing)
  const isForeign = (row: Row) => asking.actor!.role !== 'ADMIN' && row['author'] !== asking.actor!.id
  const isChanged = (each: Args) => each['id'] !== undefined && Object.keys(each).length > 1
  const leftOut = own.filter(({ id }) => comments.every((each) => each['id'] !== id))
  const refused = [
    ...comments.flatMap((each, index) =>
      isChanged(each) && isForeign(rowOf(each['id'])!)
        ? [{ field: `comments[${index}]`, message: 'You may not change it.' }]
        : [],
    ),
    ...leftOut
      .filter(isForeign)
      .map(({ id }) => id)
      .sort()
      .map((id) => ({ field: 'comments', message: `You may not delete ${id}.` })),
  ]
  if (refused.length > 0) fail('FORBIDDEN', undefined, refused)
  for (const row of leftOut) remove(row, asking)
  for (const each of comments.filter(isChanged)) change(rowOf(each['id'])!, { content: each['content'] }, asking)
  addComments(
    post,
    comments.filter(({ id }) => id === undefined),
    asking,
  )
}

/** Of those that somebody follows, no others than these. (contract 13.1.6) */
function replaceFollowing(user: Row, ids: readonly string[], { world }: Asking): void {
  const missing = ids.flatMap((id, index) =>
    world.rows.get('User')!.some((each) => each.id === id)
      ? []
      : [{ field: `followingIds[${index}]`, message: 'There is no such record.' }],
  )
  if (missing.length > 0) fail('BUSINESS_RULE_VIOLATION', missingRecord, missing)
  const others = world.follows.filter(([follower]) => follower !== user.id)
  world.follows.splice(0, world.follows.length, ...others, ...ids.map((id) => [user.id, id] as const))
}

/** The only problem of a request is its message too. (contract 7.3.2) */
function refuse(details: readonly OracleDetail[]): never {
  const [only] = details
  fail('VALIDATION_ERROR', details.length === 1 ? `${only!.field}: ${only!.message}` : undefined, details)
}

const editorsOwn = ['create', 'update', 'delete', 'publish', 'unpublish', 'submit', 'reject']
const viewersOwn = ['create', 'update', 'delete']

/** What no record could make allowed, and the scopes of API keys. */
function requirePermission(verb: string, type: Type, { actor }: Asking): void {
  if (actor === null) fail('UNAUTHENTICATED')
  const isAllowed =
    actor.role === 'ADMIN' ||
    type === 'User' ||
    (type === 'Comment' ? viewersOwn : actor.role === 'EDITOR' ? editorsOwn : []).includes(verb)
  if (!isAllowed) fail('FORBIDDEN')
  requireScope(verb, type, actor)
}
function requireScope(verb: string, type: Type, { scopes }: Actor): void {
  const isGiven = scopes === null || ['*', `${verb}:${paths[type]}`].some((each) => scopes.has(each))
  if (!isGiven) fail('INSUFFICIENT_SCOPE', `This needs the scope ${verb}:${paths[type]}.`)
}

function find(type: Type, id: string, { world, isVisible }: Asking): Row {
  const match = world.rows.get(type)!.find((row) => row.id === id)
  return match !== undefined && isVisible(match) ? match : fail(type === 'User' ? 'USER_NOT_FOUND' : 'NOT_FOUND')
}

function requireOwnership(verb: string, row: Row, { actor }: Asking): void {
  if (actor!.role === 'ADMIN' || !['update', 'delete'].includes(verb)) return
  if ((row.of === 'User' ? row.id : row['author']) !== actor!.id) fail('FORBIDDEN')
}

const lengths: Readonly<Record<string, number>> = {
  'User.name': 100,
  'Post.title': 200,
  'Post.content': 50_000,
  'Comment.content': 5_000,
  'Article.title': 200,
  'Article.body': 50_000,
}

function requireForm(inputs: readonly Args[], type: Type, nameOf: (index: number, field: string) => string): void {
  const details = inputs.flatMap((input, index) =>
    problemsOf(input, type).map(({ field, message }) => ({ field: nameOf(index, field), message })),
  )
  if (details.length > 0) refuse(details)
}

function problemsOf(input: Args, type: Type): readonly OracleDetail[] {
  const fields = Object.entries(lengths).filter(([key]) => key.startsWith(`${type}.`))
  const match: OracleDetail[] = []
  for (const [key, max] of fields) {
    const field = key.slice(type.length + 1)
    const value = input[field]
    if (value === null) match.push({ field, message: 'Must not be null.' })
    else if (value === '') match.push({ field, message: 'Must not be empty.' })
    else if (typeof value === 'string' && value.length > max)
      match.push({ field, message: `At most ${max} characters.` })
  }
  const comments = (input['comments'] ?? []) as readonly Args[]
  comments.forEach((each, index) => {
    for (const { field, message } of problemsOf(each, 'Comment'))
      match.push({ field: `comments[${index}].${field}`, message })
  })
  return match
}

function create(type: Type, input: Args, asking: Asking): Row {
  const { actor, world } = asking
  if (type === 'Post' && input['publish'] === true) {
    if (actor!.role === 'VIEWER') fail('FORBIDDEN')
    requireScope('publish', type, actor!)
  }
  const { postId, publish, comments, ...values } = input
  const post = type === 'Comment' ? referred(postId as string, asking) : undefined
  return add(
    type,
    {
      ...(type === 'Post' ? { tags: [], publishedAt: publish === true ? world.now : null } : {}),
      ...(type === 'Article' ? { status: 'draft' } : {}),
      ...(post === undefined ? {} : { post }),
      ...withoutNulls(values),
    },
    asking,
  )
}

function add(type: Type, values: Args, { world, actor }: Asking): Row {
  const row: Row = {
    ...values,
    author: actor!.id!,
    createdAt: world.now,
    updatedAt: world.now,
    id: world.nextId(world.model.byName.get(type)!.prefix),
    of: type,
  }
  world.rows.get(type)!.push(row)
  return row
}
const withoutNulls = (values: Args): Args =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined))

function referred(id: string, { world, isVisible }: Asking): string {
  const post = world.rows.get('Post')!.find((row) => row.id === id)
  if (post !== undefined && isVisible(post)) return id
  fail('BUSINESS_RULE_VIOLATION', missingRecord, [{ field: 'postId', message: 'There is no such record.' }])
}

const missingRecord = 'The request refers to a record that does not exist.'

function createMany(type: Type, args: Args, asking: Asking): readonly Row[] {
  const list = `${type.toLowerCase()}s`
  const inputs = (args['input'] as Args)[list] as readonly Args[]
  if (inputs.length === 0) refuse([{ field: list, message: 'At least 1 in the list.' }])
  requireForm(inputs, type, (index, field) => `${list}[${index}].${field}`)
  const rows = inputs.map((input) => create(type, input, asking))
  for (const [index, row] of rows.entries()) addComments(row, inputs[index]!['comments'], asking)
  return rows
}

function updateMany(type: Type, args: Args, asking: Asking): readonly Row[] {
  const { ids, set } = args['input'] as { ids: readonly string[]; set: Args }
  const twice = ids.flatMap((id, index) =>
    ids.indexOf(id) === index ? [] : [{ field: `ids[${index}]`, message: `Is ids[${ids.indexOf(id)}] again.` }],
  )
  const problems = problemsOf(set, type).map(({ field, message }) => ({ field: `set.${field}`, message }))
  if (twice.length + problems.length > 0) refuse([...twice, ...problems])
  const rows = staged(ids, (id) => find(type, id, asking))
  staged(rows, (row) => requireOwnership('update', row, asking))
  return rows.map((row) => change(row, set, asking))
}

/** Tries all; the failures with the first one's code are told together. */
function staged<T, R>(
  targets: readonly T[],
  step: (target: T) => R,
  nameOf: (index: number) => string = placeOfId,
): readonly R[] {
  const errors: [number, GraphQLError][] = []
  const results: R[] = []
  targets.forEach((target, index) => {
    try {
      results.push(step(target))
    } catch (error) {
      errors.push([index, error as GraphQLError])
    }
  })
  if (errors.length === 0) return results
  const [, first] = errors[0]!
  const code = first.extensions['code'] as OracleCode
  fail(
    code,
    first.message,
    errors
      .filter(([, each]) => each.extensions['code'] === code)
      .map(([index, { message }]) => ({ field: nameOf(index), message })),
  )
}
const placeOfId = (index: number): string => `ids[${index}]`

function change(row: Row, values: Args, { world }: Asking): Row {
  const rows = world.rows.get(row.of)!
  const changed: Row = { ...row, ...values, updatedAt: world.now, id: row.id, of: row.of }
  rows[rows.indexOf(row)] = changed
  return changed
}

function remove(row: Row, { world }: Asking): true {
  const keep = (type: string, isKept: (each: Row) => boolean) =>
    world.rows.set(type, world.rows.get(type)!.filter(isKept))
  keep(row.of, (each) => each !== row)
  if (row.of === 'Post') keep('Comment', (each) => each['post'] !== row.id)
  return true
}

const moves: Readonly<Record<string, readonly [from: string, to: string]>> = {
  submit: ['draft', 'in_review'],
  reject: ['in_review', 'draft'],
  publish: ['in_review', 'published'],
  archive: ['published', 'archived'],
}

function requireState(verb: string, row: Row): void {
  if (verb === 'update' || verb === 'delete') return
  if (row.of === 'Post') {
    const isSet = row['publishedAt'] !== null
    if (verb === 'publish' && isSet) fail('CONFLICT', 'To publish it, publishedAt must not be set; it is.')
    if (verb === 'unpublish' && !isSet) fail('CONFLICT', 'To unpublish it, publishedAt must be set; it is not.')
    return
  }
  const [from] = moves[verb]!
  if (row['status'] !== from) fail('CONFLICT', `To ${verb} it, status must be ${from}; it is ${String(row['status'])}.`)
}

const move = (verb: string, row: Row, asking: Asking): Row =>
  change(
    row,
    row.of === 'Post' ? { publishedAt: verb === 'publish' ? asking.world.now : null } : { status: moves[verb]![1] },
    asking,
  )

function link(verb: string, row: Row, { world, actor }: Asking): Row {
  if (row.id === actor!.id) fail('BUSINESS_RULE_VIOLATION', 'You cannot follow yourself.')
  const at = world.follows.findIndex(([follower, followed]) => follower === actor!.id && followed === row.id)
  if (verb === 'follow' && at === -1) world.follows.push([actor!.id!, row.id])
  if (verb === 'unfollow' && at !== -1) world.follows.splice(at, 1)
  return row
}
