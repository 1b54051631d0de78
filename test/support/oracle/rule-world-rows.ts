// Random records of the world of rules, written to a store.

import fc from 'fast-check'
import { insertRecord, newRecord } from '../../../src/action/row/record.ts'
import { makeId } from '../../../src/resource/model/id.ts'
import type { LinkRelation } from '../../../src/resource/model/model.ts'
import { dialectOf, quote } from '../../../src/store/sql/text/dialect.ts'
import { boundTo } from '../../../src/store/sql/text/sql-text.ts'
import { createWriteStatements } from '../../../src/store/sql/write/write-statements.ts'
import { bind, command, type Store } from '../../../src/store/store.ts'
import { days, decimals, hashOf, model, moments, numbers, type Row, rates, type World, words } from './rule-world.ts'

const nullable = <T>(of: readonly T[]) => fc.constantFrom(null, ...of)
export const place = fc.nat({ max: 4 })
const isDeleted = fc.integer({ min: 0, max: 9 }).map((each) => each === 0)
/** Values as a definition's fields have them; relations are places among five users and five topics. */
const userArbitrary = fc.record({ word: fc.constantFrom(...words), isSure: fc.boolean(), isDeleted })
const topicArbitrary = fc.record({
  word: fc.constantFrom(...words),
  isOpen: fc.boolean(),
  owner: nullable([0, 1, 2, 3, 4]),
  parent: nullable([0, 1, 2, 3]),
  endsAt: nullable(moments),
  codeUses: nullable([0, 1, 2]),
  isDeleted,
})
const noteArbitrary = fc.record({
  word: fc.constantFrom(...words),
  aside: nullable(['', ...words]),
  size: fc.constantFrom(...numbers),
  weight: nullable(numbers),
  isOpen: fc.boolean(),
  isLoud: nullable([true, false]),
  at: fc.constantFrom(...moments),
  until: nullable(moments),
  day: nullable(days),
  price: fc.constantFrom(...decimals),
  rate: nullable(rates),
  kind: fc.constantFrom('x', 'y'),
  status: fc.constantFrom('new', 'old'),
  author: place,
  editor: nullable([0, 1, 2, 3, 4]),
  topic: place,
  side: nullable([0, 1, 2, 3, 4]),
  tags: fc.uniqueArray(fc.constantFrom(...words), { maxLength: 2 }),
  isDeleted,
})

/** Writes random records, some of them deleted, and answers them. */
export async function fill(store: Store, seed: number): Promise<World> {
  const dialect = dialectOf(store.engine)
  const statements = createWriteStatements(dialect)
  const now = new Date('2026-01-01T00:00:00.000Z')
  let count = 0
  const inserted = new Map<string, number>()
  const insertedOf = (name: string): number => {
    const at = inserted.get(name) ?? 0
    inserted.set(name, at + 1)
    return at
  }
  const insert = async (name: string, { isDeleted, ...given }: Record<string, unknown>): Promise<Row> => {
    const resource = model.byName.get(name)!
    const id = makeId(resource.prefix, new Date(now.getTime() + ++count))
    const at = resource.name === 'User' ? null : insertedOf(resource.name)
    const code: readonly (readonly [string, string])[] = at === null ? [] : [['code', hashOf(name, at)]]
    const uses = [['codeUses', given['codeUses'] ?? null]] as unknown as typeof code
    const record = { ...newRecord(resource, id, given, now), ...given, ...Object.fromEntries(code) }
    const remove = command(`update ${quote(resource.table)} set deleted_at = created_at where id = '${id}'`)
    await store.write(function* () {
      yield* insertRecord(
        resource,
        { record, hashes: new Map([['password', 'x'], ...code, ...uses]) },
        { statements, dialect, cipher: null },
      )
      if (isDeleted === true) yield bind(remove)
    })
    return { ...record, id, isDeleted: isDeleted === true }
  }
  const sample = <T>(of: fc.Arbitrary<T>, size: number) => fc.sample(of, { numRuns: size, seed })
  const users: Row[] = []
  for (const each of sample(userArbitrary, 5))
    users.push(await insert('User', { ...each, email: `u${count}@example.com` }))
  const idAt = (rows: readonly Row[], at: number | null) => (at === null ? null : rows[at]!.id)
  const ofTopics: Row[] = []
  // An earlier one, or none.
  for (const each of sample(topicArbitrary, 5))
    ofTopics.push(
      await insert('Topic', {
        ...each,
        owner: idAt(users, each.owner),
        parent: each.parent === null ? null : (ofTopics[each.parent]?.id ?? null),
      }),
    )
  const all = []
  for (const each of sample(noteArbitrary, 60)) {
    const { author, editor, topic, side } = each
    const relations = {
      author: idAt(users, author),
      editor: idAt(users, editor),
      topic: idAt(ofTopics, topic),
      side: idAt(ofTopics, side),
    }
    all.push(await insert('Note', { ...each, ...relations }))
  }
  const pairs = users.flatMap((user) => ofTopics.map((topic) => [user.id, topic.id] as const))
  const watches = pairs.filter((_, index) => index % 3 === seed % 3)
  const { link } = model.byName.get('Topic')!.relations.get('watchers') as LinkRelation
  for (const [user, topic] of watches) {
    const input = link.source.name === 'User' ? [user, topic] : [topic, user]
    await store.write(function* () {
      yield boundTo(statements.link(link), { actor: null, input })
    })
  }
  return { users, topics: ofTopics, notes: all, watches }
}
