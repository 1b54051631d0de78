import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { api } from '../../../reference/service.ts'
import { heldBytes } from '../../../test/support/check/heap.ts'
import { defaultLimits, type Limits } from '../../limits.ts'
import { compileModel } from '../../resource/model/compile/compile-model.ts'
import { graphqlVocabulary } from '../../resource/model/vocabulary.ts'
import { Refusal } from '../error.ts'
import { makeSchema } from '../schema/schema.ts'
import { createDocuments, selectOperation } from './document.ts'

const schema = makeSchema(compileModel(api), graphqlVocabulary(), defaultLimits)
const documents = (changed: Partial<Limits> = {}, development = false) =>
  createDocuments({ schema: () => schema, limits: { ...defaultLimits, ...changed }, development })

function refusalOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof Refusal)
      return error.errors.map(({ message, extensions }) => `${extensions.code}: ${message}`).join(' | ')
    throw error
  }
  return 'allowed'
}
const reading = (text: string, changed?: Partial<Limits>, development?: boolean) =>
  refusalOf(() => documents(changed, development)(text))

describe('8.2.1 tokens', () => {
  const ofTokens = (count: number) => `{ ${'__typename '.repeat(count - 2)} }`
  test('1999 are allowed', () => assert.equal(reading(ofTokens(1999)), 'allowed'))
  test('2000 are allowed', () => assert.equal(reading(ofTokens(2000)), 'allowed'))
  test('2001 are not', () => assert.match(reading(ofTokens(2001)), /^GRAPHQL_PARSE_FAILED: .*more than 2000 tokens/))
  test('1,990 nested lists do not overflow the stack', () =>
    assert.match(reading(`{ userList(filter: ${'['.repeat(1_990)}`), /^GRAPHQL_PARSE_FAILED/))
  test('10,000 nested selections do not overflow the stack', () =>
    assert.match(reading('{ me '.repeat(10_000) + '}'.repeat(10_000)), /^GRAPHQL_PARSE_FAILED/))
})

describe('5.4.4 a document is refused', () => {
  const rows: readonly (readonly [it: string, text: string, refusal: RegExp])[] = [
    ['that cannot be parsed', '{ me', /^GRAPHQL_PARSE_FAILED: Syntax Error/],
    ['that is empty', ' ', /^GRAPHQL_PARSE_FAILED: Syntax Error/],
    [
      'with a field that does not exist',
      '{ mee { id } }',
      /^GRAPHQL_VALIDATION_FAILED: Cannot query field "mee" on type "Query"\.$/,
    ],
    ['with a literal that does not fit', '{ userList(limit: "x") { id } }', /^GRAPHQL_VALIDATION_FAILED/],
    [
      'with an unknown enum value',
      '{ users(filter: { status: ACTIV }) { nodes { id } } }',
      /^GRAPHQL_VALIDATION_FAILED: Value "ACTIV" does not exist in "UserStatus" enum\.$/,
    ],
    [
      'with an unknown input field',
      'mutation { updateUser(id: 1, input: { rol: ADMIN }) { id } }',
      /^GRAPHQL_VALIDATION_FAILED: Expected value of type "UpdateUserInput" not to include unknown field "rol"/,
    ],
    [
      'with fields that cannot be merged',
      '{ me { a: id a: name } }',
      /^GRAPHQL_VALIDATION_FAILED: Fields "a" conflict/,
    ],
    [
      'with fragments in a ring',
      '{ me { ...A } } fragment A on User { posts { author { ...A } } }',
      /^GRAPHQL_VALIDATION_FAILED: Cannot spread fragment "A" within itself/,
    ],
    [
      'with NUL in a string',
      'mutation { updatePost(id: 1, input: { title: "\\u0000" }) { id } }',
      /^GRAPHQL_VALIDATION_FAILED: Must not contain NUL\.$/,
    ],
    [
      'with NUL in a block string',
      'mutation { updatePost(id: 1, input: { title: """a\0""" }) { id } }',
      /^GRAPHQL_VALIDATION_FAILED: Must not contain NUL\.$/,
    ],
    [
      'with a lone surrogate',
      'mutation { updatePost(id: 1, input: { title: "\\uD800" }) { id } }',
      /^GRAPHQL_PARSE_FAILED/,
    ],
    [
      'with a misspelt field of an input, without a suggestion',
      'mutation { updateUser(id: 1, input: { rol: ADMIN }) { id } }',
      /^GRAPHQL_VALIDATION_FAILED: Expected value of type "UpdateUserInput" not to include unknown field "rol", found: \{ rol: ADMIN \}\.$/,
    ],
    [
      'with introspection, in production',
      '{ __schema { queryType { name } } }',
      /^GRAPHQL_VALIDATION_FAILED: GraphQL introspection has been disabled/,
    ],
    ['with a type definition', 'type A { id: ID }', /^GRAPHQL_VALIDATION_FAILED/],
    ['with a subscription that does not exist', 'subscription { nothing { id } }', /^GRAPHQL_VALIDATION_FAILED/],
    ['with @defer', '{ me { ... @defer { id } } }', /^GRAPHQL_VALIDATION_FAILED: Unknown directive "@defer"\.$/],
  ]
  for (const [it, text, refusal] of rows) test(it, () => assert.match(reading(text), refusal))
})

describe('development helps (contract 5.4.4)', () => {
  test('with suggestions', () => assert.match(reading('{ usr(id: 1) { id } }', {}, true), /Did you mean "user"/))
  test('with introspection', () => assert.equal(reading('{ __schema { queryType { name } } }', {}, true), 'allowed'))
})

test('one answer reports at most 20 problems, so that it is no larger than the question', () =>
  assert.equal(reading(`{ ${Array.from({ length: 100 }, (_, at) => `x${at}`).join(' ')} }`).split(' | ').length, 21))

describe('repetition, whose validation is quadratic', () => {
  const repeated = (count: number) =>
    `{ me { ${Array.from({ length: count }, (_, at) => `posts { a${at}: id }`).join(' ')} } }`
  test('100 times is allowed', () => assert.equal(reading(repeated(100)), 'allowed'))
  test('101 times is refused', () =>
    assert.equal(
      reading(repeated(101)),
      'GRAPHQL_VALIDATION_FAILED: One selection contains "posts" more than 100 times.',
    ))
  test('by fragments, too', () => {
    const fragments = Array.from({ length: 101 }, (_, at) => `fragment F${at} on User { id }`).join(' ')
    const spreads = Array.from({ length: 101 }, (_, at) => `...F${at}`).join(' ')
    assert.match(reading(`{ me { ${spreads} } } ${fragments}`), /contains "id" more than 100 times/)
  })
  test('word for word it is no more than once', () => {
    const read = documents()
    const selections = (text: string) => selectOperation(read(text), null).node.selectionSet.selections
    assert.equal(selections(`{ ${'me { id posts(limit: 2) { id } } '.repeat(150)} }`).length, 1)
    assert.equal(
      selections(`{ ${'... on Query { me { id } } '.repeat(150)} ...F ...F } fragment F on Query { me { id } }`).length,
      2,
    )
    for (const different of [
      'me { id } me { name }',
      'a: me { id } me { id }',
      'me { id } me @skip(if: true) { id }',
      'me { a: posts(limit: 1) { id } } me { b: posts(limit: 1) { id } }',
      'me { id } me {}',
    ])
      assert.equal(selections(`{ ${different} }`).length, 2, different)
  })
  test('in different selections it is no repetition', () =>
    assert.equal(reading(`{ ${Array.from({ length: 150 }, (_, at) => `a${at}: me { id }`).join(' ')} }`), 'allowed'))
})

describe('the same text is read once', () => {
  test('and found again', () => {
    const read = documents()
    assert.equal(read('{ me { id } }'), read('{ me { id } }'))
    assert.notEqual(read('{ me { id } }'), read('{ me { id  } }'))
  })
  test('and holds no more memory than it may', () => {
    const read = documents({ planBytes: 1_048_576 })
    const nested = (at: number) =>
      `{ a${at}: users { edges { node { id name posts(limit: 10) { id author { name } } } } } }`
    read(nested(0))
    const held = heldBytes(() => {
      for (let at = 1; at < 1_000; at++) read(nested(at))
    })
    assert.ok(held < 1.5 * 1_048_576, `${held} bytes`)
  })
  test('until there are more than are kept', () => {
    const read = documents({ plans: 2 })
    const [first, second] = [read('{ a: me { id } }'), read('{ b: me { id } }')]
    assert.equal(read('{ a: me { id } }'), first)
    read('{ c: me { id } }')
    assert.equal(read('{ a: me { id } }'), first)
    assert.notEqual(read('{ b: me { id } }'), second)
  })
})

describe('the operation', () => {
  const document = documents()('query A { me { id } } query B { me { name } }')
  const nameOf = (text: string, name: string | null) => selectOperation(documents()(text), name).node.name?.value
  test('the only one needs no name', () => assert.equal(nameOf('query A { me { id } }', null), 'A'))
  test('is chosen by name', () => assert.equal(selectOperation(document, 'B').node.name?.value, 'B'))
  test('must be chosen among several', () =>
    assert.match(
      refusalOf(() => selectOperation(document, null)),
      /^GRAPHQL_VALIDATION_FAILED: .*several/,
    ))
  test('must be there', () =>
    assert.match(
      refusalOf(() => selectOperation(document, 'C')),
      /^GRAPHQL_VALIDATION_FAILED: .*no operation of this name/,
    ))
  test('must be there, even where there is only one', () =>
    assert.match(
      refusalOf(() => nameOf('query A { me { id } }', 'B')),
      /^GRAPHQL_VALIDATION_FAILED/,
    ))
})
