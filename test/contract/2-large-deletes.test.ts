// Deletes of what thousands of records refer to: in steps on SQLite, between which others are served, and of no more than the limit.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noteLinks, writeNumbers } from '../../src/action/row/kept-number.ts'
import type { RowValues } from '../../src/action/row/load.ts'
import { insertRecords, newRecord } from '../../src/action/row/record.ts'
import { makeId } from '../../src/resource/model/id.ts'
import type { LinkRelation } from '../../src/resource/model/model.ts'
import { dialectOf } from '../../src/store/sql/text/dialect.ts'
import { boundTo } from '../../src/store/sql/text/sql-text.ts'
import { createWriteStatements } from '../../src/store/sql/write/write-statements.ts'
import { type FaceName, faceNames, speak } from '../support/client/both-faces.ts'
import { board } from '../support/domain/board.ts'
import { withService } from '../support/server/service.ts'

/** Two steps. */
const count = 1_200
const dependants = 2_400

withService(
  '2.5 deletes of much',
  (service) => {
    const voice = (face: FaceName = 'REST') => speak(face, service(), { as: 'admin' })
    const make = async (type: string, input: object): Promise<string> => {
      const { data } = await voice().create(type, { ...input })
      return data.id
    }
    /** Inserts what would take too many requests. */
    async function insert(name: string, many: number, valuesOf: (index: number) => object): Promise<readonly string[]> {
      const { model, store } = service()
      const resource = model.byName.get(name)!
      const dialect = dialectOf(store.engine)
      const now = service().now()
      const hashes = new Map([['password', 'none']])
      const inserts = Array.from({ length: many }, (_, index) => {
        const values: RowValues = { ...valuesOf(index) }
        const record: RowValues = { ...newRecord(resource, makeId(resource.prefix, now), values, now), ...values }
        return { record, hashes }
      })
      await store.write(function* () {
        const scope = { statements: createWriteStatements(dialect), dialect, cipher: null, numbers: new Map() }
        yield* insertRecords(resource, inserts, scope)
        yield* writeNumbers(scope)
      })
      return inserts.map(({ record }) => record['id'] as string)
    }
    /** Lets these users follow a thread. */
    async function link(ids: readonly string[], thread: string): Promise<void> {
      const { model, store } = service()
      const dialect = dialectOf(store.engine)
      const statements = createWriteStatements(dialect)
      const relation = model.byName.get('Thread')!.relations.get('followers') as LinkRelation
      await store.write(function* () {
        const scope = { statements, dialect, numbers: new Map() }
        const bound = { actor: null, id: thread, keys: dialect.keys(ids) }
        noteLinks(relation, yield boundTo(statements.linkAll(relation.link, relation.side), bound), 1n, scope)
        yield* writeNumbers(scope)
      })
    }
    const insertEntries = (many: number, thread: string, keeper: string | null = null) =>
      insert('Entry', many, () => ({ thread, keeper, amount: '1.50', pieces: 1 }))
    /** Runs the work, which takes no statement for each record. */
    async function withFewStatements<T>(work: () => Promise<T>): Promise<T> {
      const { counts } = service().store
      const before = counts.statements
      const result = await work()
      const statements = counts.statements - before
      assert.ok(statements < count / 4, `${statements} statements`)
      return result
    }
    const entriesOf = async (thread: string) => (await voice().read('Thread', thread)).data.entriesCount

    for (const face of faceNames) {
      test(`2.5.6 ${face}: what requires the record goes with it`, async () => {
        const thread = await make('Thread', { title: 'large' })
        await insertEntries(count, thread)
        await insert('Like', 1_000, (index) => ({ thread, by: `${index}` }))
        assert.equal((await withFewStatements(() => voice(face).remove('Thread', thread))).code, null)
        assert.equal((await voice(face).list('Entry', { threadId: thread })).data.length, 0)
      })
    }

    test('2.5.6 an optional reference to it is cleared', async () => {
      const thread = await make('Thread', { title: 'kept' })
      const keeper = await make('Keeper', { name: 'K' })
      const [first] = await insertEntries(count, thread, keeper)
      assert.equal((await withFewStatements(() => voice().remove('Keeper', keeper))).code, null)
      assert.equal((await voice().read('Thread', thread)).data.unkeptCount, count)
      assert.equal((await voice().read('Entry', first!)).data.keeperId, null)
    })

    test('2.5.6 its links go', async () => {
      const thread = await make('Thread', { title: 'followed' })
      const ids = await insert('User', count, (index) => ({ name: 'F', email: `f${index}@example.com` }))
      await link(ids, thread)
      assert.equal((await voice().remove('Thread', thread)).code, null)
      assert.deepEqual(await service().tables('users_follows'), [])
      assert.equal((await voice().read('User', ids.at(-1)!)).data.followsCount, 0)
    })

    test('2.5.6 more than the limit is 422 with the number, and nothing is stored', async () => {
      const thread = await make('Thread', { title: 'too large' })
      const keeper = await make('Keeper', { name: 'K' })
      await insertEntries(dependants + 1, thread, keeper)
      const message = /^More than 2400 records refer to this one/
      for (const [type, id] of [
        ['Thread', thread],
        ['Keeper', keeper],
      ] as const) {
        const outcome = await voice().remove(type, id)
        assert.equal(outcome.code, 'BUSINESS_RULE_VIOLATION')
        assert.match(outcome.message!, message)
      }
      assert.equal(await entriesOf(thread), dependants + 1)
    })

    test('2.5.6 others are served between two steps, and see none of it', async () => {
      const thread = await make('Thread', { title: 'watched' })
      await insertEntries(dependants, thread)
      let isDone = false
      const removal = voice()
        .remove('Thread', thread)
        .finally(() => {
          isDone = true
        })
      const counts: unknown[] = []
      while (!isDone) {
        const { data } = await voice().read('Thread', thread)
        if (!isDone) counts.push(data?.entriesCount)
      }
      assert.equal((await removal).code, null)
      assert.ok(counts.length >= 2, `${counts.length} reads`)
      assert.ok(
        counts.slice(0, -1).every((each) => each === dependants),
        counts.join(),
      )
    })
  },
  // A busy machine takes longer for so much.
  { definition: board, limits: { dependants, effectTimeoutMs: 60_000, executionTimeoutMs: 60_000 } },
)
