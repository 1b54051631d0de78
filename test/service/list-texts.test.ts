// Lists that the database writes as text hold what the same lists hold where their records are read and printed one by one.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  anyone,
  boolean,
  choice,
  service as define,
  integer,
  json,
  list,
  many,
  one,
  optional,
  resource,
  self,
  state,
  text,
  timestamp,
} from 'duet-api'
import fc from 'fast-check'
import { compileRead } from '../../src/read-plan/compile.ts'
import { allOptimisations } from '../../src/read-plan/optimise/optimise.ts'
import { runRecord } from '../../src/read-plan/run.ts'
import { dialectOf } from '../../src/store/sql/text/dialect.ts'
import { overhear, withQuietService } from '../support/check/statement-counter.ts'
import { accountFields, accounts } from '../support/domain/account.ts'
import { firstOf, select } from '../support/rows/selection.ts'
import type { TestService } from '../support/server/service.ts'

const User = resource('User', {
  prefix: 'usr',
  fields: {
    name: text({ max: 100 }),
    ...accountFields,
    role: choice(['USER'], { default: 'USER' }),
    status: state('ACTIVE', 'GONE'),
    things: many('Thing', 'owner'),
  },
  actions: { read: { allow: anyone }, leave: { allow: self, from: 'ACTIVE', to: 'GONE' } },
})
const Thing = resource('Thing', {
  prefix: 'thg',
  fields: {
    words: text({ max: 200 }),
    note: optional(text({ min: 0, max: 200 })),
    size: choice(['small', 'large']),
    count: integer({ default: 0 }),
    isNew: optional(boolean()),
    seenAt: optional(timestamp()),
    tags: list(text({ max: 30 }), { max: 5 }),
    free: optional(json({ maxBytes: 1_000 })),
    owner: one('User', { cascade: 'regardless' }),
  },
  actions: { read: { allow: anyone } },
})
const definition = define({
  resources: { User, Thing },
  accounts,
  roles: { USER: {} },
})

/** All that JSON escapes, what separates the parts of a text, and what replacing a text could take for an instruction. */
const awkward = fc.constantFrom(
  '"',
  '\\',
  '\n',
  '\u0001',
  '\u0002',
  '\u0008',
  '\u007f',
  '\u2028',
  '😀',
  '$&',
  "$'",
  "'",
  '%s',
  'é',
  '{',
  ',',
)
const words = (minLength: number) =>
  fc
    .array(fc.oneof(awkward, fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 })), { minLength, maxLength: 8 })
    .map((each) => each.join('').replaceAll('\0', '-'))
    .filter((each) => each.isWellFormed())
const orNull = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: null })
const things = fc.array(
  fc.record({
    words: words(1),
    note: orNull(words(0)),
    size: fc.constantFrom('small', 'large'),
    count: fc.integer({ min: -2_147_483_648, max: 2_147_483_647 }),
    isNew: orNull(fc.boolean()),
    seenAt: orNull(fc.date({ min: new Date(0), max: new Date('2100-01-01T00:00:00Z'), noInvalidDate: true })),
    tags: fc.array(words(1), { maxLength: 3 }),
    free: orNull(fc.dictionary(words(1), words(0), { maxKeys: 3 })),
  }),
  { minLength: 1, maxLength: 4 },
)

const part =
  'id words note size count isNew seenAt tags free createdAt __typename by: owner { name } owner { id twice: name }'

/** The user with all that is stored of his things, without GraphQL: byte for byte, whoever writes it. */
async function read({ model, store }: TestService, id: string, jsonText: boolean): Promise<string> {
  const fields = ['id', 'words', 'note', 'size', 'count', 'isNew', 'seenAt', 'tags', 'free', 'createdAt']
  const of = select(model.byName.get('User')!, ['name', { things: [...fields, { owner: ['id', 'name'] }] }])
  const dialect = dialectOf(store.engine)
  const plan = compileRead({ kind: 'record', of, etag: false }, null, dialect, { ...allOptimisations, jsonText })
  const answer = await store.read(
    runRecord(plan, { actor: null, requestTime: new Date(0), id, lists: [firstOf(10)] }, dialect),
  )
  return answer!.json!
}

withQuietService(
  'lists as texts',
  (service) => {
    test('hold what their records hold', async () => {
      await fc.assert(
        fc.asyncProperty(words(1), things, async (name, made) => {
          const recipes = made.map((thing, at) => [`thing ${at}`, { Thing: { ...thing, owner: '{owner}' } }] as const)
          const fixtures = service().fixtures({ owner: { User: { name } }, ...Object.fromEntries(recipes) })
          for (const [thing] of recipes) await fixtures.idOf(thing)
          const id = await fixtures.idOf('owner')
          const { statements, answer } = await overhear(service(), () =>
            service().graphql(
              `{ user(id: "${id}") { things { ${part} } rows: things { ${part} read: owner { things(limit: 1) { id } } } } }`,
            ),
          )
          const { things, rows } = answer.body.data.user
          // The user, the texts, the rows, and what makes those rows: a list below them.
          assert.equal(statements.length, 4)
          assert.deepEqual(
            things,
            rows.map(({ read: _, ...thing }: { read: unknown }) => thing),
          )
          assert.equal(things.length, made.length)
          const [asText, asRows] = await Promise.all([read(service(), id, true), read(service(), id, false)])
          assert.equal(asText, asRows)
        }),
        { numRuns: 25 },
      )
    })
  },
  { definition },
)
