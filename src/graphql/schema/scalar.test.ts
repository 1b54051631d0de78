import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { executeSync, GraphQLObjectType, GraphQLSchema, parse, validate } from 'graphql'
import { makeJsonScalar } from './scalar.ts'

const json = makeJsonScalar(4)
const schema = new GraphQLSchema({
  query: new GraphQLObjectType({
    name: 'Query',
    fields: { said: { type: json, args: { value: { type: json } }, resolve: (_, { value }) => value ?? null } },
  }),
})

function read(literal: string, declared = '', variableValues = {}): unknown {
  const document = parse(`query${declared} { said(value: ${literal}) }`)
  const [problem] = validate(schema, document)
  if (problem !== undefined) return problem.message
  return JSON.stringify(executeSync({ schema, document, variableValues }).data!['said'])
}

describe('literals', () => {
  const rows: readonly (readonly [literal: string, value: string | RegExp])[] = [
    ['null', 'null'],
    ['"text"', '"text"'],
    ['true', 'true'],
    ['DARK', '"DARK"'],
    ['-12', '-12'],
    ['1.5e3', '1500'],
    ['{ a: 1, b: [2, { c: "d" }] }', '{"a":1,"b":[2,{"c":"d"}]}'],
    ['{ __proto__: { admin: true } }', '{"__proto__":{"admin":true}}'],
    ['[[[1]]]', '[[[1]]]'],
    ['[[[[1]]]]', /cannot be nested so deep/],
    ['1e400', /cannot hold so large a number/],
    ['{ a: 1, a: 2 }', /only one input field named "a"/],
  ]
  for (const [literal, value] of rows)
    test(literal, () =>
      typeof value === 'string' ? assert.equal(read(literal), value) : assert.match(String(read(literal)), value),
    )
})

test('variables may stand inside', () =>
  assert.equal(
    read('{ a: $a, b: [$b] }', '($a: JSON, $b: Boolean)', { a: { c: [1] }, b: true }),
    '{"a":{"c":[1]},"b":[true]}',
  ))
