import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { api } from '../../../reference/service.ts'
import { mainThreadMs } from '../../../test/support/check/processor-time.ts'
import { defaultLimits, type Limits } from '../../limits.ts'
import { compileModel } from '../../resource/model/compile/compile-model.ts'
import { graphqlVocabulary, restVocabulary } from '../../resource/model/vocabulary.ts'
import { sqliteDialect } from '../../store/sql/text/dialect.ts'
import { createDocuments, selectOperation } from '../document/document.ts'
import { Refusal } from '../error.ts'
import { makeSchema } from '../schema/schema.ts'
import { Preparer } from './prepare.ts'

const model = compileModel(api)
const vocabulary = graphqlVocabulary()
const schema = makeSchema(model, vocabulary, defaultLimits)

/** What reads documents and prepares their operations, within these limits. */
function readerOf(limits: Limits) {
  const readDocument = createDocuments({ schema: () => schema, limits, development: true })
  const preparer = new Preparer({
    model,
    schema: () => schema,
    limits,
    dialect: sqliteDialect,
    form: 'typed',
    vocabulary,
    textVocabulary: restVocabulary(model.versions.at(-1)!),
    development: true,
  })
  return { readDocument, preparer }
}

/** The message and code with which a document is refused, or `allowed`. */
function refusalOf(text: string, changed: Partial<Limits> = {}, variables = {}): string {
  const { readDocument, preparer } = readerOf({ ...defaultLimits, ...changed })
  try {
    preparer.prepare({ operation: selectOperation(readDocument(text), null), variables, actor: null })
    return 'allowed'
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return error.errors.map(({ message, extensions }) => `${extensions.code}: ${message}`).join(' | ')
  }
}

/** What the limits reckon, read from the sentence that refuses a limit one lower. */
function reckoned(what: 'depth' | 'complexity' | 'nodes', text: string, variables = {}): number {
  const name = { depth: 'queryDepth', complexity: 'queryComplexity', nodes: 'queryNodes' }[what]
  const generous = { queryDepth: 1_000, queryComplexity: 1_000_000, queryNodes: 1e9, fieldRepetitions: 1_000 }
  const message = refusalOf(text, { ...generous, [name]: -1 }, variables)
  const number = /(?:depth|complexity|nodes) (\d+) exceeds? the maximum of -1\.$/.exec(message)?.[1]
  assert.ok(number !== undefined, message)
  return Number(number)
}

describe('8.2.2 depth counts nested selections below the operation', () => {
  const rows: readonly (readonly [text: string, depth: number])[] = [
    ['{ user(id: 1) { name } }', 1],
    ['{ users { edges { node { posts { author { name } } } } } }', 5],
    ['{ __typename }', 0],
    ['{ users { totalCount } }', 1],
    ['{ user(id: 1) { ...A } } fragment A on User { posts { ...B } } fragment B on Post { author { name } }', 3],
    ['{ user(id: 1) { ... { ... on User { ... on Node { id } } } } }', 1],
    ['{ user(id: 1) { name posts { title } } post(id: 1) { author { posts { title } } } }', 3],
    ['{ user(id: 1) { posts @skip(if: true) { author { name } } name } }', 1],
    ['query($deep: Boolean = false) { user(id: 1) { posts @include(if: $deep) { author { name } } name } }', 1],
    ['{ user(id: 1) { ...A @skip(if: true) name } } fragment A on User { posts { title } }', 1],
    ['mutation { publishPost(id: 1) { author { name } } }', 2],
    ['{ orders { nodes { items { quantity } } } }', 3],
    ['{ node(id: 1) { ... on User { posts { title } } ... on Post { author { posts { title } } } } }', 3],
    ['{ user(id: 1) {} }', 1],
  ]
  for (const [text, depth] of rows) test(`${depth}: ${text}`, () => assert.equal(reckoned('depth', text), depth))

  const five = '{ users { edges { node { posts { author { name } } } } } }'
  const six = '{ users { edges { node { posts { author { posts { id } } } } } } }'
  test('5 is allowed', () => assert.equal(refusalOf(five), 'allowed'))
  test('6 is refused with both numbers', () =>
    assert.equal(refusalOf(six), 'QUERY_TOO_DEEP: Query depth 6 exceeds the maximum of 5.'))
  test('an operation that is not selected does not count', () => {
    const { readDocument, preparer } = readerOf(defaultLimits)
    const document = readDocument(`query Small { me { id } } query Deep ${six}`)
    const ask = (operationName: string) =>
      preparer.prepare({ operation: selectOperation(document, operationName), variables: {}, actor: null })
    assert.equal(ask('Small').calls.length, 1)
    assert.throws(() => ask('Deep'), Refusal)
  })
})

describe('8.2.6 introspection is exempt, its depth at most 15', () => {
  const types = (depth: number) =>
    `{ __type(name: "User") { ${'ofType { '.repeat(depth - 1)}name${' }'.repeat(depth - 1)} } }`
  test('15 is allowed', () => assert.equal(refusalOf(types(15)), 'allowed'))
  test('16 is refused', () =>
    assert.equal(refusalOf(types(16)), 'QUERY_TOO_DEEP: Query depth 16 exceeds the maximum of 15.'))
  test('it costs nothing', () =>
    assert.equal(reckoned('complexity', '{ __schema { types { name fields { name } } } me { id } }'), 2))
  test('beside it the rest is held to 5', () =>
    assert.equal(
      refusalOf('{ __schema { types { name } } users { edges { node { posts { author { posts { id } } } } } } }'),
      'QUERY_TOO_DEEP: Query depth 6 exceeds the maximum of 5.',
    ))
})

describe('8.2.3 complexity: 1 for a scalar, 1 for an object, 10 for a list, for each response key of each parent', () => {
  const rows: readonly (readonly [text: string, complexity: number, variables?: object])[] = [
    ['{ __typename }', 1],
    ['{ me { id } }', 2],
    ['{ me { id status role __typename } }', 5],
    ['{ post(id: 1) { tags } }', 11],
    ['{ users { edges { node { posts { author { name } } } } } }', 1 + 10 + 1 + 10 + 1 + 1],
    ['{ users { nodes { name } } }', 1 + 10 + 1],
    ['{ userList { name } }', 10 + 1],
    ['{ users { totalCount pageInfo { hasNextPage endCursor } } }', 1 + 1 + 1 + 2],
    ['{ me { preferences } }', 2],
    ['{ orders { nodes { items { quantity } } } }', 1 + 10 + 10 + 1],
    ['mutation { deletePost(id: 1) }', 1],
    ['mutation { createPosts(input: { posts: [] }) { id } }', 11],
    // The size of a page is for nodes to count.
    ['{ userList(limit: 100) { name } }', 11],
    // Merged: a response key counts once for each parent …
    ['{ me { id id id } me { id name } }', 3],
    [
      '{ me { ...A ...B id } } fragment A on User { id posts { id } } fragment B on User { posts { id title } }',
      1 + 1 + 10 + 2,
    ],
    // … so each alias counts.
    ['{ a: me { id } b: me { id } }', 4],
    ['{ me { a: id b: id c: id } }', 4],
    ['{ me { id @skip(if: true) name @include(if: false) role } }', 2],
    ['query($yes: Boolean!) { me { posts @include(if: $yes) { id } id @skip(if: $yes) } }', 12, { yes: true }],
    ['query($yes: Boolean!) { me { posts @include(if: $yes) { id } id @skip(if: $yes) } }', 2, { yes: false }],
    // Of several possible types the dearest.
    ['{ node(id: 1) { id } }', 2],
    ['{ node(id: 1) { id ... on User { name } ... on Post { tags author { name } } } }', 1 + 1 + 10 + 1 + 1],
    ['{ userResult(id: 1) { ... on User { id name } ... on UserNotFoundError { code } __typename } }', 1 + 2 + 1],
    ['{ me {} }', 1],
  ]
  for (const [text, complexity, variables] of rows)
    test(`${complexity}: ${text}`, () => assert.equal(reckoned('complexity', text, variables), complexity))

  const costing = (complexity: number) =>
    `{ ${Array.from({ length: Math.floor(complexity / 2) }, (_, index) => `a${index}: me { id }`).join(' ')} ${complexity % 2 === 1 ? '__typename' : ''} }`
  for (const [complexity, answer] of [
    [999, 'allowed'],
    [1000, 'allowed'],
    [1001, 'QUERY_TOO_COMPLEX: Query complexity 1001 exceeds the maximum of 1000.'],
  ] as const)
    test(`${complexity}`, () => assert.equal(refusalOf(costing(complexity), { queryTokens: 10_000 }), answer))
})

describe('8.2.4 nodes: parents times page size, summed over the paged lists', () => {
  const rows: readonly (readonly [text: string, nodes: number, variables?: object])[] = [
    ['{ me { id } }', 0],
    ['{ userList { id } }', 20],
    ['{ users { nodes { id } } }', 20],
    ['{ users(first: 100) { totalCount } }', 100],
    ['{ users(last: 3) { edges { node { id } } nodes { id } } }', 3],
    ['{ users(first: 100) { nodes { posts(limit: 100) { id } } } }', 100 + 100 * 100],
    [
      '{ users(first: 10) { edges { node { posts(limit: 5) { id } } } nodes { posts(limit: 5) { id } } } }',
      10 + 50 + 50,
    ],
    ['{ a: userList(limit: 3) { id } b: userList(limit: 4) { posts(limit: 2) { id } } }', 3 + 4 + 8],
    ['query($n: Int) { userList(limit: $n) { id } }', 7, { n: 7 }],
    ['query($n: Int = 9) { users(first: $n) { nodes { id } } }', 9],
    ['query($n: Int) { userList(limit: $n) { id } }', 20],
    ['{ user(id: 1) { posts(limit: 5) { author { posts(limit: 5) { id } } } } }', 5 + 25],
    ['{ post(id: 1) { tags } }', 0],
    ['{ node(id: 1) { ... on User { posts { id } } ... on Post { comments(limit: 30) { id } } } }', 30],
    ['mutation { publishPost(id: 1) { comments(limit: 30) { id } } }', 30],
    ['mutation { updatePosts(input: { ids: [1, 2, 3], set: { title: "" } }) { comments(limit: 30) { id } } }', 90],
    ['mutation { createPost(input: { title: "", content: "", tags: ["a", "b"] }) { comments(limit: 30) { id } } }', 30],
    // A size out of bounds counts as the nearest that is allowed.
    ['{ users(first: 1000) { nodes { posts(limit: -5) { id } } } }', 100 + 100],
    ['{ users(first: 0) { nodes { posts(limit: 101) { id } } } }', 1 + 100],
  ]
  for (const [text, nodes, variables] of rows)
    test(`${nodes}: ${text}`, () => assert.equal(reckoned('nodes', text, variables), nodes))

  const sized = (posts: number) => `{ users(first: 100) { nodes { posts(limit: ${posts}) { id } } } }`
  test('9900 are allowed', () => assert.equal(refusalOf(sized(98)), 'allowed'))
  test('10000 are allowed', () => assert.equal(refusalOf(sized(99)), 'allowed'))
  test('10100 are refused', () =>
    assert.equal(refusalOf(sized(100)), 'QUERY_TOO_COMPLEX: Query nodes 10100 exceed the maximum of 10000.'))
})

describe('8.2.5 root mutations', () => {
  const mutations = (count: number) =>
    `mutation { __typename ${Array.from({ length: count }, (_, index) => `a${index}: deletePost(id: 1)`).join(' ')} }`
  test('9 are allowed', () => assert.equal(refusalOf(mutations(9)), 'allowed'))
  test('10 are allowed', () => assert.equal(refusalOf(mutations(10)), 'allowed'))
  test('11 are refused', () =>
    assert.equal(refusalOf(mutations(11)), 'QUERY_TOO_COMPLEX: Query root mutations 11 exceed the maximum of 10.'))
  test('11 queries are allowed', () =>
    assert.equal(
      refusalOf(`{ ${Array.from({ length: 11 }, (_, index) => `a${index}: me { id }`).join(' ')} }`),
      'allowed',
    ))
})

describe('what would take long to reckon is refused soon', () => {
  const fragments = (count: number, body: (next: string, index: number) => string) =>
    Array.from(
      { length: count },
      (_, index) => `fragment F${index} on User { ${body(`...F${index + 1}`, index)} }`,
    ).join(' ')

  test('fragments that double at every level', () => {
    const bomb = `{ me { ...F0 } } ${fragments(60, (next) => `a: posts { author { ${next} } } b: posts { author { ${next} } }`)} fragment F60 on User { id }`
    assert.match(refusalOf(bomb), /^QUERY_TOO_DEEP: Query depth 121 exceeds the maximum of 5\.$/)
    // A list and an object in each of 2⁶¹ − 2 places, an id in 2⁶⁰, and me.
    assert.match(refusalOf(bomb, { queryDepth: 1_000 }), /^QUERY_TOO_COMPLEX: Query complexity 265171946\d+ exceeds/)
  })

  test('selections that merge differently everywhere', () => {
    const name = (layer: number, index: number) => `L${layer}_${index % 7}`
    const below = (layer: number, index: number, key: number) =>
      layer === 6 ? 'id' : `...${name(layer + 1, index + key)} ...${name(layer + 1, index * 3 + key * key + 1)}`
    const fragment = (layer: number, index: number) =>
      `fragment ${name(layer, index)} on User { ${[0, 1, 2].map((key) => `k${key}: posts { author { ${below(layer, index, key)} } }`).join(' ')} }`
    const seven = [0, 1, 2, 3, 4, 5, 6]
    const fragments = seven.flatMap((layer) => seven.map((index) => fragment(layer, index)))
    const text = `{ me { ${seven.map((index) => `...${name(0, index)}`).join(' ')} } } ${fragments.join(' ')}`
    const started = mainThreadMs()
    assert.match(refusalOf(text, { queryDepth: 1_000, queryTokens: 20_000 }), /^QUERY_TOO_COMPLEX/)
    assert.ok(mainThreadMs() - started < 2_000)
  })
})
