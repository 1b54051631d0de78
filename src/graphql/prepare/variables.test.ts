import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { buildSchema, type OperationDefinitionNode, parse } from 'graphql'
import { Refusal } from '../error.ts'
import { coerceVariables } from './variables.ts'

const schema = buildSchema(`
  enum Colour { RED GREEN }
  scalar JSON
  input Part { id: ID! count: Int! tags: [String!] colour: Colour }
  input Many { parts: [Part!]! }
  type Query { a(id: ID, many: Many, part: Part, ids: [ID!], colour: Colour, yes: Boolean): Int }
`)

function coerce(declared: string, sent: object, showsValues = true) {
  const operation = parse(`query(${declared}) { a }`).definitions[0] as OperationDefinitionNode
  return coerceVariables(schema, operation.variableDefinitions!, sent as never, showsValues)
}
function problems(declared: string, sent: object, showsValues?: boolean): Record<string, string> {
  try {
    coerce(declared, sent, showsValues)
    return {}
  } catch (error) {
    assert.ok(error instanceof Refusal)
    const [entry, ...others] = error.errors
    assert.equal(others.length, 0)
    assert.equal(entry!.extensions.code, 'VALIDATION_ERROR')
    return Object.fromEntries(entry!.extensions.details!.map(({ field, message }) => [field, message]))
  }
}

test('what fits is coerced', () => {
  const { coerced } = coerce('$id: ID!, $ids: [ID!], $n: Int = 3', { id: 5, ids: 'one', unknown: true })
  assert.deepEqual({ ...coerced }, { id: '5', ids: ['one'], n: 3 })
})

describe('7.3.8 all problems are reported at once, relative to the input', () => {
  const rows: readonly (readonly [it: string, declared: string, sent: object, problems: Record<string, string>])[] = [
    ['a missing variable', '$id: ID!', {}, { id: 'Is required.' }],
    ['null', '$id: ID!', { id: null }, { id: 'Must not be null.' }],
    [
      'a wrong type',
      '$n: Int, $yes: Boolean',
      { n: '1', yes: 1 },
      { n: 'Must be a whole number of 32 bits.', yes: 'Must be true or false.' },
    ],
    ['too large a number', '$n: Int', { n: 2147483648 }, { n: 'Must be a whole number of 32 bits.' }],
    ['an object for an id', '$id: ID', { id: {} }, { id: 'Must be an id.' }],
    ['a number for text', '$text: String', { text: 5 }, { text: 'Must be text.' }],
    ['one of a list', '$ids: [ID!]!', { ids: ['a', null, 'c'] }, { 'ids[1]': 'Must not be null.' }],
    ['a field', '$input: Part!', { input: { id: 'a', count: 'b' } }, { count: 'Must be a whole number of 32 bits.' }],
    ['a missing field', '$input: Part!', { input: { count: 1 } }, { id: 'Is required.' }],
    [
      'an unknown field',
      '$input: Part!',
      { input: { id: 'a', count: 1, role: 'x' } },
      { role: 'There is no such field.' },
    ],
    [
      'a name of every object',
      '$input: Part!',
      { input: { id: 'a', count: 1, constructor: 1, toString: 2 } },
      { constructor: 'There is no such field.', toString: 'There is no such field.' },
    ],
    ['text for an object', '$input: Part!', { input: 'x' }, { input: 'Must be an object.' }],
    ['a list for an object', '$input: Part!', { input: [] }, { input: 'Must be an object.' }],
    [
      'deep inside',
      '$input: Many!',
      {
        input: {
          parts: [
            { id: 'a', count: 1 },
            { id: 'b', count: 2, tags: ['x', 1] },
          ],
        },
      },
      { 'parts[1].tags[1]': 'Must be text.' },
    ],
    [
      'everything',
      '$id: ID!, $input: Part!',
      { input: { colour: 'BLUE' } },
      { id: 'Is required.', count: 'Is required.', colour: 'Must be one of RED, GREEN.' },
    ],
  ]
  for (const [it, declared, sent, told] of rows) test(it, () => assert.deepEqual(problems(declared, sent), told))
})

test('5.4.4 production does not tell the values of an enum', () =>
  assert.deepEqual(problems('$colour: Colour', { colour: 'BLUE' }, false), {
    colour: 'Is none of the values that it can have.',
  }))

test('nothing that was sent is repeated', () =>
  assert.doesNotMatch(
    JSON.stringify(problems('$input: Part!', { input: { id: 'a', count: 'secret', other: 'secret' } })),
    /secret/,
  ))
