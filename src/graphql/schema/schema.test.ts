import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type GraphQLObjectType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isObjectType,
  isUnionType,
} from 'graphql'
import { api } from '../../../reference/service.ts'
import { ledger } from '../../../test/support/domain/ledger.ts'
import { library } from '../../../test/support/domain/library.ts'
import { remarks } from '../../../test/support/domain/remarks.ts'
import { may, resource, token } from '../../index.ts'
import { defaultLimits } from '../../limits.ts'
import { compileModel } from '../../resource/model/compile/compile-model.ts'
import { graphqlVocabulary } from '../../resource/model/vocabulary.ts'
import { makeSchema } from './schema.ts'

const schemaOf = (service: Parameters<typeof compileModel>[0]): GraphQLSchema =>
  makeSchema(compileModel(service), graphqlVocabulary(), defaultLimits)
const schema = schemaOf(api)

/** The type of `Post.title`, `Query.user(id:)` or `CreatePostInput.title`, as the schema language writes it. */
function typeAt(coordinate: string): string | undefined {
  const [, holder, name, argument] = /^(\w+)\.(\w+)(?:\((\w+):\))?$/.exec(coordinate)!
  const type = schema.getType(holder!)
  if (isInputObjectType(type)) return type.getFields()[name!]?.type.toString()
  if (!isObjectType(type)) return undefined
  const field = type.getFields()[name!]
  if (argument === undefined) return field?.type.toString()
  return field?.args.find((each) => each.name === argument)?.type.toString()
}

const typesAt = (section: string, rows: readonly (readonly [string, string | undefined])[]) =>
  describe(section, () => {
    for (const [coordinate, type] of rows) test(`${coordinate}: ${type}`, () => assert.equal(typeAt(coordinate), type))
  })

typesAt('2.9.1 reference types', [
  ['User.id', 'ID!'],
  ['User.name', 'String!'],
  ['User.email', 'String!'],
  ['User.createdAt', 'String!'],
  ['User.posts', '[Post!]!'],
  ['User.followers', '[User!]!'],
  ['User.status', 'UserStatus!'],
  ['User.role', 'UserRole!'],
  ['User.bio', 'String'],
  ['User.preferences', 'JSON!'],
  ['User.password', undefined],
  ['Post.id', 'ID!'],
  ['Post.title', 'String!'],
  ['Post.content', 'String!'],
  ['Post.author', 'User!'],
  ['Post.publishedAt', 'String'],
  ['Post.tags', '[String!]!'],
  ['Order.user', 'User'],
  ['Order.items', '[OrderItem!]!'],
  ['OrderItem.productId', 'ID!'],
  ['OrderItem.unitPrice', 'Int!'],
])
typesAt('connections (contract 2.9.1, 4.8.2)', [
  ['UserConnection.edges', '[UserEdge!]!'],
  ['UserConnection.nodes', '[User!]!'],
  ['UserConnection.pageInfo', 'PageInfo!'],
  ['UserConnection.totalCount', 'Int'],
  ['UserEdge.node', 'User!'],
  ['UserEdge.cursor', 'String!'],
  ['PageInfo.hasNextPage', 'Boolean!'],
  ['PageInfo.hasPreviousPage', 'Boolean!'],
  ['PageInfo.startCursor', 'String'],
  ['PageInfo.endCursor', 'String'],
])
typesAt('2.9.3 inputs', [
  ['CreatePostInput.title', 'String!'],
  ['CreatePostInput.tags', '[String!]'],
  ['CreatePostInput.publish', 'Boolean'],
  ['CreatePostInput.authorId', undefined],
  ['UpdatePostInput.title', 'String'],
  ['UpdatePostInput.publish', undefined],
  ['CreateCommentInput.postId', 'ID!'],
  ['CreateCommentInput.content', 'String'],
  ['CreateCommentInput.text', 'String'],
  ['CreateUserInput.role', 'UserRole'],
  ['CreatePostsInput.posts', '[CreatePostInput!]!'],
  ['UpdatePostsInput.ids', '[ID!]!'],
  ['UpdatePostsInput.set', 'UpdatePostInput!'],
  ['CreateOrderInput.items', '[OrderItemInput!]!'],
  ['OrderItemInput.productId', 'ID!'],
  ['OrderItemInput.quantity', 'Int!'],
  ['OrderItemInput.unitPrice', undefined],
  ['PostFilter.authorId', 'ID'],
  ['PostFilter.tag', 'String'],
  ['PostFilter.published', 'Boolean'],
  ['ProductFilter.minPrice', 'Int'],
  ['OrderFilter.productId', 'ID'],
])
typesAt('root operations (contract 4.8)', [
  ['Query.me', 'User'],
  ['Query.node', 'Node'],
  ['Query.user', 'User'],
  ['Query.user(id:)', 'ID!'],
  ['Query.users', 'UserConnection!'],
  ['Query.users(first:)', 'Int'],
  ['Query.users(after:)', 'String'],
  ['Query.users(last:)', 'Int'],
  ['Query.users(before:)', 'String'],
  ['Query.posts(filter:)', 'PostFilter'],
  ['Query.posts(sort:)', '[PostSort!]'],
  ['Query.userList', '[User!]!'],
  ['Query.userList(limit:)', 'Int'],
  ['Query.userList(offset:)', 'Int'],
  ['User.posts(limit:)', 'Int'],
  ['User.posts(filter:)', 'PostFilter'],
  ['Query.userResult', 'UserResult!'],
  ['Query.postResult', undefined],
  ['UserNotFoundError.code', 'String!'],
  ['UnauthorizedError.message', 'String!'],
  ['Mutation.createPost', 'Post!'],
  ['Mutation.createPost(input:)', 'CreatePostInput!'],
  ['Mutation.updatePost', 'Post!'],
  ['Mutation.updatePost(id:)', 'ID!'],
  ['Mutation.deletePost', 'Boolean!'],
  ['Mutation.createPosts', '[Post!]!'],
  ['Mutation.updatePosts', '[Post!]!'],
  ['Mutation.publishPost', 'Post!'],
  ['Mutation.publishPost(input:)', undefined],
  ['Mutation.followUser', 'User!'],
])
typesAt('what a resource does not list does not exist (contract 5.4.2)', [
  ['Mutation.createUsers', undefined],
  ['Mutation.updateUsers', undefined],
  ['Mutation.updateOrder', undefined],
  ['Mutation.deleteOrder', undefined],
  ['Mutation.publishUser', undefined],
])

const valuesOf = (name: string): readonly string[] => {
  const type = schema.getType(name)
  return isEnumType(type) ? type.getValues().map((each) => each.name) : []
}

test('2.9.2 enums have the values of REST, unchanged', () => {
  assert.deepEqual(valuesOf('UserStatus'), ['ACTIVE', 'SUSPENDED', 'DEACTIVATED'])
  assert.deepEqual([...valuesOf('UserRole')].sort(), ['ADMIN', 'EDITOR', 'VIEWER'])
  assert.deepEqual(valuesOf('ArticleStatus'), ['draft', 'in_review', 'published', 'archived'])
})

test('lists are sorted by enums, createdAt among them (contract 4.8.5)', () =>
  assert.deepEqual(valuesOf('ArticleSort'), ['CREATED_AT_ASC', 'CREATED_AT_DESC', 'TITLE_ASC', 'TITLE_DESC']))

test('limit is 20 unless given, offset 0 (contract 4.8.1)', () => {
  const { args } = schema.getQueryType()!.getFields()['userList']!
  assert.deepEqual(
    args.slice(0, 2).map((each) => each.default?.value),
    [20, 0],
  )
})

test('userResult is the user, a missing user or a refusal (contract 4.8.10)', () => {
  const union = schema.getType('UserResult')
  assert.ok(isUnionType(union))
  assert.equal(union.getTypes().join(' | '), 'User | UserNotFoundError | UnauthorizedError')
})

test('9.2.2 an older name stays, deprecated, with its reason', () => {
  const fields = (schema.getType('Comment') as { getFields(): Record<string, unknown> }).getFields() as Record<
    string,
    { type: unknown; deprecationReason?: string }
  >
  assert.equal(fields['text']!.deprecationReason, 'Use content.')
  assert.equal(String(fields['text']!.type), 'String!')
  assert.equal(fields['content']!.deprecationReason, undefined)
})

describe('rules print themselves into the schema (contract 5.4)', () => {
  const described = (type: string, field: string) =>
    (schema.getType(type) as GraphQLObjectType).getFields()[field]!.description
  test('who reads', () =>
    assert.equal(
      schema.getType('Post')!.description,
      'A text by a user. Once published, anyone can read it. Read by anyone, while publishedAt is set; its author; holders of posts:publish.',
    ))
  test('who reads a field', () =>
    assert.equal(
      described('User', 'email'),
      'The email of the user. Only for the account itself; holders of users:manage.',
    ))
  test('who does', () =>
    assert.equal(described('Mutation', 'publishPost'), 'Publish a post. Allowed: holders of posts:publish.'))
  test('who writes a field', () =>
    assert.equal(described('UpdateUserInput', 'role'), 'The role of the user. Only for holders of users:manage.'))
  test('who filters', () =>
    assert.equal(described('UserFilter', 'status'), 'Records whose status is this. Only for holders of users:manage.'))
})

describe("a stranger's service", () => {
  const strange = schemaOf(library)
  const fieldsOf = (name: string) => (strange.getType(name) as GraphQLObjectType).getFields()

  test('lists have the plural of the definition', () => {
    assert.equal(String(fieldsOf('Query')['copies']!.type), 'CopyConnection!')
    assert.equal(String(fieldsOf('Mutation')['createCopies']!.type), '[Copy!]!')
    assert.deepEqual(Object.keys(fieldsOf('CreateCopiesInput')), ['copies'])
  })
  test('an action that no caller may begin is no mutation', () =>
    assert.deepEqual(
      [fieldsOf('Mutation')['lendCopy'], String(fieldsOf('Mutation')['loseCopy']!.type)],
      [undefined, 'Copy!'],
    ))
  test('an argument is sent and never answered', () => {
    assert.equal(String(fieldsOf('CreateLoanInput')['days']!.type), 'Int!')
    assert.equal(fieldsOf('Loan')['days'], undefined)
  })
  test('the input of an action is needed only if something in it is (contract 2.9.3)', () =>
    assert.equal(
      String(fieldsOf('Mutation')['waiveFine']!.args.find((each) => each.name === 'input')!.type),
      'WaiveFineInput',
    ))
  test('a token is there, and may be null (contract 5.3.1)', () => {
    const Key = resource('Key', {
      prefix: 'key',
      fields: { secret: token({ prefix: 'k' }) },
      actions: { read: { allow: may('read') }, create: { allow: may('create') } },
    })
    const withKeys = schemaOf({ ...library, resources: { ...library.resources, Key } })
    const key = withKeys.getType('Key') as GraphQLObjectType
    assert.equal(String(key.getFields()['secret']!.type), 'String')
    assert.deepEqual(withKeys.getMutationType()!.getFields()['createKey']!.args, [])
  })
  test('two fields of one name are refused with a sentence', () => {
    const List = resource('CopyList', {
      prefix: 'list',
      plural: 'copyLists',
      fields: {},
      actions: { read: { allow: may('read') } },
    })
    assert.throws(() => schemaOf({ ...library, resources: { ...library.resources, List } }), {
      message: "Two fields of GraphQL's root would be called copyList.",
    })
  })
})

test('9.3.4 no input takes exactly one of its fields, so that each may get more beside them', () => {
  for (const each of [api, ledger, library, remarks])
    assert.deepEqual(
      Object.values(schemaOf(each).getTypeMap()).flatMap((type) =>
        isInputObjectType(type) && type.isOneOf ? [type.name] : [],
      ),
      [],
    )
})
