import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { CriticalityLevel, diff } from '@graphql-inspector/core'
import fc from 'fast-check'
import { buildSchema } from 'graphql'
import { type Mutation, mutate, mutation } from '../../test/support/oracle/schema-mutations.ts'
import { repository } from '../../test/support/process/command.ts'
import type { Change } from './change.ts'
import { compareSchemaTexts } from './compare-graphql.ts'

const compared = (before: string, after: string): readonly Change[] => {
  const changes: Change[] = []
  compareSchemaTexts(before, after, (each) => changes.push(each))
  return changes
}
/** The places that GraphQL Inspector finds to break. */
async function inspected(before: string, after: string): Promise<readonly string[]> {
  const changes = await diff(buildSchema(before), buildSchema(after))
  return changes
    .filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking)
    .map(({ message }) => message)
}

const reference = await readFile(join(repository, 'reference/contract/schema.graphql'), 'utf8')

async function assertAgreement(before: string, after: string): Promise<void> {
  const ours = compared(before, after).filter(({ verdict }) => verdict === 'breaking')
  const theirs = await inspected(before, after)
  assert.equal(ours.length > 0, theirs.length > 0, JSON.stringify({ ours, theirs }, null, 1))
}

describe('the verdict on a change of a GraphQL schema', () => {
  const base = `
    interface Node { id: ID! }
    type Post implements Node { id: ID! title: String! text: String @deprecated(reason: "Use title.") kind: Kind author(full: Boolean = true): Author }
    type Author { name: String! }
    enum Kind { A B }
    input PostFilter { kind: Kind, by: ID }
    union Result = Post | Author
    type Query { "Read by anyone." posts("From 1 to 100." first: Int = 20, filter: PostFilter): [Post!]! result: Result }
    type Mutation { createPost(input: PostFilter!): Post! }
  `
  const pairs: readonly (readonly [
    name: string,
    from: RegExp,
    to: string,
    verdict: Change['verdict'] | null,
    where?: string,
  ])[] = [
    ['nothing', /x/, 'x', null],
    ['a field removed', /title: String! /, '', 'breaking', 'Post.title'],
    ['a deprecated field removed', /text: String @deprecated\(reason: "Use title."\)/, '', 'breaking', 'Post.text'],
    ['a field added', /title: String!/, 'title: String! more: Int', 'additive', 'Post.more'],
    ['a field that may be null', /title: String!/, 'title: String', 'breaking', 'Post.title'],
    ['a field that is never null', /kind: Kind author/, 'kind: Kind! author', 'additive', 'Post.kind'],
    ['another type', /name: String!/, 'name: Int!', 'breaking', 'Author.name'],
    ['a value removed', /A B/, 'A', 'breaking', 'Kind.B'],
    ['a value added', /A B/, 'A B C', 'dangerous', 'Kind.C'],
    ['a member removed', /Post \| Author/, 'Post', 'breaking'],
    [
      'a member added',
      /union Result = Post \| Author/,
      'type More { a: Int } union Result = Post | Author | More',
      'dangerous',
    ],
    ['an optional input added', /by: ID/, 'by: ID, more: Int', 'additive', 'PostFilter.more'],
    ['a required input added', /by: ID/, 'by: ID, more: Int!', 'breaking', 'PostFilter.more'],
    ['an input removed', /, by: ID/, '', 'breaking', 'PostFilter.by'],
    ['an input that is required', /by: ID/, 'by: ID!', 'breaking', 'PostFilter.by'],
    ['an argument removed', /\(full: Boolean = true\)/, '', 'breaking', 'Post.author(full:)'],
    [
      'an optional argument added',
      /full: Boolean = true/,
      'full: Boolean = true, more: Int',
      'additive',
      'Post.author(more:)',
    ],
    [
      'a required argument added',
      /full: Boolean = true/,
      'full: Boolean = true, more: Int!',
      'breaking',
      'Post.author(more:)',
    ],
    ['another default', /first: Int = 20/, 'first: Int = 10', 'dangerous', 'Query.posts(first:)'],
    ['a lower limit', /From 1 to 100/, 'From 1 to 50', 'breaking', 'Query.posts(first:)'],
    ['another rule', /Read by anyone\./, 'Read by its author.', 'dangerous', 'Query.posts'],
    ['a deprecation', /name: String!/, 'name: String! @deprecated(reason: "Why.")', 'additive', 'Author.name'],
    ['an interface removed', / implements Node/, '', 'breaking'],
  ]
  for (const [name, from, to, verdict, where] of pairs) {
    test(`${name}: ${verdict ?? 'no change'}`, async () => {
      const after = base.replace(from, to)
      const changes = compared(base, after)
      const order = ['breaking', 'dangerous', 'additive']
      const [worst] = changes.toSorted((one, other) => order.indexOf(one.verdict) - order.indexOf(other.verdict))
      assert.equal(worst?.verdict ?? null, verdict, JSON.stringify(changes))
      if (where !== undefined)
        assert.ok(
          changes.some((each) => each.where === `GraphQL ${where}`),
          JSON.stringify(changes),
        )
      // Limits and rules stand in descriptions, which no other tool reads.
      if (!['a lower limit'].includes(name)) await assertAgreement(base, after)
    })
  }

  test('agrees with GraphQL Inspector on whatever becomes of the reference service’s schema', async () => {
    const single = fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 3 }), async (mutations) => {
      const after = valid(mutations)
      fc.pre(after !== null)
      await assertAgreement(reference, after!)
    })
    await fc.assert(single, { numRuns: Number(process.env['CONTRACT_RUNS'] ?? 60) })
  })
})

/** Null where the changes make a schema that is none. */
function valid(mutations: readonly Mutation[]): string | null {
  const text = mutate(reference, mutations)
  try {
    buildSchema(text)
    return text
  } catch {
    return null
  }
}

test('9.3.4 an input that becomes @oneOf is breaking, and one that is no longer is an addition', () => {
  const plain = 'type Query { a(by: Key!): Int } input Key { id: ID code: String }'
  const oneOf = plain.replace('input Key', 'input Key @oneOf')
  const verdicts = (before: string, after: string) =>
    compared(before, after).map(({ where, verdict }) => [where, verdict])
  assert.deepEqual(verdicts(plain, oneOf), [['GraphQL Key', 'breaking']])
  assert.deepEqual(verdicts(oneOf, plain), [['GraphQL Key', 'additive']])
  assert.deepEqual(verdicts(oneOf, oneOf), [])
})
