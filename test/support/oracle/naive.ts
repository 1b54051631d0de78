// What GraphQL should answer: graphql-js over resolvers that look at every record, with the rules of the contract written
// out by hand. Shares nothing with the executor but the schema and the catalogue's sentences.

import { executeSync, type GraphQLError, type GraphQLFieldResolver, type GraphQLSchema, parse } from 'graphql'
import type { Actor } from '../../../src/resource/actor.ts'
import { whatCan } from './can.ts'
import { fail } from './fail.ts'
import { type LivingWorld, mutate } from './mutate.ts'
import type { Row, World } from './world.ts'

export interface Context {
  readonly world: World
  readonly actor: Actor | null
}
type Args = Readonly<Record<string, unknown>>

/** Executes a document as the oracle does. Cursors are `cursor:` and the id of their record. */
export function executeNaively(
  schema: GraphQLSchema,
  text: string,
  variableValues: Args,
  contextValue: Context,
): { readonly data?: unknown; readonly errors?: readonly GraphQLError[] } {
  return executeSync({
    schema,
    document: parse(text),
    variableValues,
    contextValue,
    fieldResolver,
    typeResolver: (value) => (value as Row).of,
  })
}

/** The id of the record that a cursor was made of. */
export const idOfCursor = (cursor: string): string =>
  (JSON.parse(Buffer.from(cursor, 'base64url').toString()) as readonly string[]).at(-1)!

const fieldResolver: GraphQLFieldResolver<unknown, Context> = (source, args, context, { fieldName, parentType }) => {
  if (parentType.name === 'Query') return root(fieldName, args, context)
  if (parentType.name === 'Mutation') {
    const { world, actor } = context
    return mutate(fieldName, args, { world: world as LivingWorld, actor, isVisible: (row) => isVisible(row, context) })
  }
  if (context.world.rows.has(parentType.name)) return field(source as Row, fieldName, args, context)
  if (parentType.name === 'OrderItem') return (source as Row)[fieldName === 'productId' ? 'product' : fieldName]
  return (source as Readonly<Record<string, unknown>>)[fieldName]
}

const typeOf = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)
const paths = {
  User: 'users',
  Post: 'posts',
  Comment: 'comments',
  Article: 'articles',
  Product: 'products',
  Order: 'orders',
  ApiKey: 'api-keys',
  Session: 'sessions',
  SignInMethod: 'sign-in-methods',
  Webhook: 'webhooks',
  WebhookDelivery: 'webhook-deliveries',
  SecurityEvent: 'security-events',
  DeprecatedUse: 'deprecation-usage',
}
type Type = keyof typeof paths

function root(name: string, args: Args, context: Context): unknown {
  const { actor, world } = context
  if (name === 'me') {
    if (actor === null) fail('UNAUTHENTICATED')
    return record('User', actor.id!, context)
  }
  if (name === 'node') {
    const id = args['id'] as string
    const type = world.model.byPrefix.get(id.slice(0, id.lastIndexOf('_')))?.name
    return type === undefined ? fail('NOT_FOUND') : record(type as Type, id, context)
  }
  if (name.endsWith('Result')) return result(args['id'] as string, context)
  const listed = Object.entries(paths).find(
    ([, path]) => path.replaceAll(/-(.)/g, (_, letter) => letter.toUpperCase()) === name,
  )?.[0] as Type | undefined
  if (listed !== undefined) return connection(listed, args, context)
  if (name.endsWith('List')) {
    const type = typeOf(name.slice(0, -4)) as Type
    requireRead(type, context)
    return page(list(type, rowsOf(type, context), args, context, true), args)
  }
  return record(typeOf(name) as Type, args['id'] as string, context)
}

const privateTypes: readonly Type[] = [
  'Order',
  'ApiKey',
  'Session',
  'SignInMethod',
  'Webhook',
  'WebhookDelivery',
  'SecurityEvent',
  'DeprecatedUse',
]
function requireRead(type: Type, { actor }: Context): void {
  if (privateTypes.includes(type) && actor === null) fail('UNAUTHENTICATED')
  if (['SecurityEvent', 'DeprecatedUse'].includes(type) && actor?.role !== 'ADMIN') fail('FORBIDDEN')
  if (lacksScope(type, actor)) fail('INSUFFICIENT_SCOPE', `This needs the scope read:${paths[type]}.`)
}
const lacksScope = (type: Type, actor: Actor | null): boolean =>
  actor !== null && actor.scopes !== null && !actor.scopes.has(`read:${paths[type]}`)

function isVisible(row: Row, context: Context): boolean {
  const { actor, world } = context
  const isEditor = actor?.role === 'EDITOR' || actor?.role === 'ADMIN'
  switch (row.of) {
    case 'Post':
      return row['publishedAt'] !== null || isEditor || (actor !== null && row['author'] === actor.id)
    case 'Comment':
      return isVisible(world.rows.get('Post')!.find((post) => post.id === row['post'])!, context)
    case 'Article':
      return row['status'] === 'published' || isEditor || (actor !== null && row['author'] === actor.id)
    case 'Order':
      return actor !== null && (actor.role === 'ADMIN' || row['user'] === actor.id)
    case 'ApiKey':
    case 'Session':
    case 'SignInMethod':
    case 'Webhook':
      return actor !== null && row['user'] === actor.id
    case 'WebhookDelivery':
      return isVisible(world.rows.get('Webhook')!.find((webhook) => webhook.id === row['webhook'])!, context)
    case 'SecurityEvent':
    case 'DeprecatedUse':
      return actor?.role === 'ADMIN'
    default:
      return true
  }
}
const rowsOf = (type: string, context: Context): readonly Row[] =>
  context.world.rows.get(type)!.filter((row) => isVisible(row, context))

function record(type: Type, id: string, context: Context): Row {
  requireRead(type, context)
  return rowsOf(type, context).find((row) => row.id === id) ?? fail(type === 'User' ? 'USER_NOT_FOUND' : 'NOT_FOUND')
}

function result(id: string, context: Context): unknown {
  try {
    return record('User', id, context)
  } catch (error) {
    const { message, extensions } = error as GraphQLError
    const code = extensions['code'] as string
    return { of: code === 'USER_NOT_FOUND' ? 'UserNotFoundError' : 'UnauthorizedError', code, message }
  }
}

function field(row: Row, name: string, args: Args, context: Context): unknown {
  const { actor, world } = context
  // Who cannot read what they wrote can do nothing more with it.
  if (name === 'can') return whatCan(row, paths[row.of as Type], isVisible(row, context) ? actor : null)
  const related = (type: Type, id: unknown): Row | null => {
    if (lacksScope(type, actor)) fail('INSUFFICIENT_SCOPE')
    return id === null ? null : (rowsOf(type, context).find((each) => each.id === id) ?? fail('NOT_FOUND'))
  }
  const listed = (type: Type, holds: (each: Row) => boolean) => {
    if (lacksScope(type, actor)) fail('INSUFFICIENT_SCOPE')
    return page(list(type, rowsOf(type, context).filter(holds), args, context, false), args)
  }
  const linked = (mine: 0 | 1) => (each: Row) =>
    world.follows.some((ends) => ends[mine] === row.id && ends[1 - mine] === each.id)
  switch (`${row.of}.${name}`) {
    case 'User.email':
    case 'User.preferences':
    case 'User.emailVerified':
      return actor !== null && (actor.role === 'ADMIN' || actor.id === row.id) ? row[name] : fail('FORBIDDEN')
    case 'User.posts':
      return listed('Post', (post) => post['author'] === row.id)
    case 'User.followers':
      return listed('User', linked(1))
    case 'User.following':
      return listed('User', linked(0))
    case 'Post.comments':
      return listed('Comment', (comment) => comment['post'] === row.id)
    case 'Post.author':
    case 'Comment.author':
    case 'Article.author':
      return related('User', row['author'])
    case 'Comment.post':
      return related('Post', row['post'])
    case 'Order.user':
    case 'ApiKey.user':
    case 'Session.user':
    case 'SignInMethod.user':
    case 'Webhook.user':
    case 'SecurityEvent.user':
      return related('User', row['user'])
    case 'WebhookDelivery.webhook':
      return related('Webhook', row['webhook'])
    case 'Webhook.secret':
    case 'ApiKey.key':
      return null
    case 'Comment.text':
      return row['content']
    default: {
      const value = row[name]
      return value instanceof Date ? value.toISOString() : value
    }
  }
}

/** Filtered and in order, of any length. */
function list(type: Type, rows: readonly Row[], args: Args, context: Context, isRoot: boolean): readonly Row[] {
  const filter = (args['filter'] ?? {}) as Args
  for (const name of ['status', 'role']) {
    if (type !== 'User' || filter[name] === undefined || filter[name] === null || context.actor?.role === 'ADMIN')
      continue
    const code = context.actor === null ? 'UNAUTHENTICATED' : 'FORBIDDEN'
    fail(code, isRoot ? `You may not filter by ${name}.` : undefined)
  }
  const kept = rows.filter((row) =>
    Object.entries(filter).every(([name, value]) => value === null || passes(row, name, value)),
  )
  return kept.toSorted(comparing((args['sort'] ?? []) as readonly SortValue[]))
}

function passes(row: Row, name: string, value: unknown): boolean {
  switch (name) {
    case 'tag':
      return (row['tags'] as readonly unknown[]).includes(value)
    case 'published':
      return (row['publishedAt'] !== null) === value
    case 'minPrice':
      return (row['price'] as number) >= (value as number)
    case 'maxPrice':
      return (row['price'] as number) <= (value as number)
    case 'from':
      return (row['day'] as Date) >= new Date(value as string)
    case 'until':
      return (row['day'] as Date) <= new Date(value as string)
    case 'productId':
      return (row['items'] as readonly { product: string }[]).some((item) => item.product === value)
    default:
      return row[name.replace(/Id$/, '')] === value
  }
}

interface SortValue {
  readonly sort: { readonly column: { readonly field: string } }
  readonly descending: boolean
}
function comparing(sort: readonly SortValue[]): (left: Row, right: Row) => number {
  const keys = sort.length === 0 ? [{ sort: { column: { field: 'createdAt' } }, descending: true }] : [...sort]
  keys.push({ sort: { column: { field: 'id' } }, descending: keys.at(-1)!.descending })
  return (left, right) => {
    for (const {
      sort: { column },
      descending,
    } of keys) {
      const order = compare(left[column.field], right[column.field])
      if (order !== 0) return descending ? -order : order
    }
    return 0
  }
}

/** Null is greater than any value; text goes by code point. (contract 4.4.12, 4.4.13) */
function compare(left: unknown, right: unknown): number {
  if (left === null || right === null) return left === right ? 0 : left === null ? 1 : -1
  if (left instanceof Date) return left.getTime() - (right as Date).getTime()
  if (typeof left === 'number') return left - (right as number)
  return Buffer.compare(Buffer.from(left as string), Buffer.from(right as string))
}

const page = (rows: readonly Row[], { limit, offset }: Args): readonly Row[] =>
  rows.slice((offset ?? 0) as number).slice(0, (limit ?? 20) as number)

function connection(type: Type, args: Args, context: Context): unknown {
  const { first, last, after, before } = args as { first?: number; last?: number; after?: string; before?: string }
  requireRead(type, context)
  const all = list(type, rowsOf(type, context), args, context, true)
  const cursor = after ?? before ?? null
  const at = cursor === null ? -1 : all.findIndex((row) => row.id === idOfCursor(cursor))
  const rest = cursor === null ? all : after ? all.slice(at + 1) : all.slice(0, at)
  const size = first ?? last ?? 20
  const backward = Boolean(last) || (!first && Boolean(before))
  const rows = backward ? rest.slice(-size) : rest.slice(0, size)
  const more = rest.length > size
  return {
    nodes: rows,
    edges: rows.map((node) => ({ node, cursor: `cursor:${node.id}` })),
    totalCount: all.length,
    pageInfo: {
      hasNextPage: backward ? cursor !== null : more,
      hasPreviousPage: backward ? more : cursor !== null,
      startCursor: rows.length === 0 ? null : `cursor:${rows[0]!.id}`,
      endCursor: rows.length === 0 ? null : `cursor:${rows.at(-1)!.id}`,
    },
  }
}
