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
  const [, verb, type, many] = /^([a-z]+)(User|Post|Comment|Article)(s?)$/.exec(name) as unknown as [
    string,
    string,
    Type,
    string,
  ]
  requirePermission(verb, type, asking)
  if (many === 's') return verb === 'create' ? createMany(type, args, asking) : updateMany(type, args, asking)
  const input = args['input'] as Args | undefined
  if (verb === 'create') {
    requireForm([input!], type, (_, field) => field)
    return create(type, input!, asking)
  }
  if (verb === 'update') requireForm([input!], type, (_, field) => field)
  const row = find(type, args['id'] as string, asking)
  requireOwnership(verb, row, asking)
  switch (verb) {
    case 'update':
      return change(row, input!, asking)
    case 'delete':
      return remove(row, asking)
    case 'follow':
    case 'unfollow':
      return link(verb, row, asking)
    default:
      return move(verb, row, asking)
  }
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
  return match
}

function create(type: Type, input: Args, asking: Asking): Row {
  const { world, actor } = asking
  if (type === 'Post' && input['publish'] === true) {
    if (actor!.role === 'VIEWER') fail('FORBIDDEN')
    requireScope('publish', type, actor!)
  }
  const { postId, publish, ...values } = input
  const post = type === 'Comment' ? referred(postId as string, asking) : undefined
  const row: Row = {
    ...(type === 'Post' ? { tags: [], publishedAt: publish === true ? world.now : null } : {}),
    ...(type === 'Article' ? { status: 'draft' } : {}),
    ...(post === undefined ? {} : { post }),
    ...withoutNulls(values),
    author: actor!.id,
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
  fail('BUSINESS_RULE_VIOLATION', 'The request refers to a record that does not exist.', [
    { field: 'postId', message: 'There is no such record.' },
  ])
}

function createMany(type: Type, args: Args, asking: Asking): readonly Row[] {
  const list = `${type.toLowerCase()}s`
  const inputs = (args['input'] as Args)[list] as readonly Args[]
  if (inputs.length === 0) refuse([{ field: list, message: 'At least 1 in the list.' }])
  requireForm(inputs, type, (index, field) => `${list}[${index}].${field}`)
  return inputs.map((input) => create(type, input, asking))
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
function staged<T, R>(targets: readonly T[], step: (target: T) => R): readonly R[] {
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
      .map(([index, { message }]) => ({ field: `ids[${index}]`, message })),
  )
}

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

function move(verb: string, row: Row, asking: Asking): Row {
  if (row.of === 'Post') {
    const isSet = row['publishedAt'] !== null
    if (verb === 'publish' && isSet) fail('CONFLICT', 'To publish it, publishedAt must not be set; it is.')
    if (verb === 'unpublish' && !isSet) fail('CONFLICT', 'To unpublish it, publishedAt must be set; it is not.')
    return change(row, { publishedAt: verb === 'publish' ? asking.world.now : null }, asking)
  }
  const [from, to] = moves[verb]!
  if (row['status'] !== from) fail('CONFLICT', `To ${verb} it, status must be ${from}; it is ${String(row['status'])}.`)
  return change(row, { status: to }, asking)
}

function link(verb: string, row: Row, { world, actor }: Asking): Row {
  if (row.id === actor!.id) fail('BUSINESS_RULE_VIOLATION', 'You cannot follow yourself.')
  const at = world.follows.findIndex(([follower, followed]) => follower === actor!.id && followed === row.id)
  if (verb === 'follow' && at === -1) world.follows.push([actor!.id!, row.id])
  if (verb === 'unfollow' && at !== -1) world.follows.splice(at, 1)
  return row
}
