// That no instance misses what another denied, in whatever order transactions are committed and whatever clocks say.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createDatabase, forEachEngine } from '../../../test/support/server/databases.ts'
import { openTestStore } from '../../../test/support/server/test-store.ts'
import { silentLog } from '../../observation/log.ts'
import { dialectOf } from '../../store/sql/text/dialect.ts'
import { bind, command, type Engine, query, type Store } from '../../store/store.ts'
import { createDenialStore, type DenialStore, denialTable, type Notice } from './denial-store.ts'

const now = new Date('2026-11-20T09:30:00.000Z')
const at = (seconds: number) => new Date(now.getTime() + seconds * 1000)
const session = (sessionId: string, until = at(900)): Notice => ({ kind: 'session', sessionId, until })
const idsOf = (notices: readonly Notice[]) =>
  notices.map((each) => (each.kind === 'session' ? each.sessionId : each.kind))

async function open(t: TestContext, engine: Engine) {
  const database = await createDatabase(engine)
  const store = await openTestStore(t, database, silentLog)
  await store.write(function* () {
    for (const statement of denialTable.create[engine]) yield bind(command(statement))
  })
  return { store, denials: createDenialStore(dialectOf(engine)) }
}

forEachEngine((engine) => {
  test('every kind comes back as it was written', async (t) => {
    const { store, denials } = await open(t, engine)
    const notices: readonly Notice[] = [
      session('ses_1'),
      { kind: 'user', userId: 'usr_1', epoch: 7, at: at(60), until: at(960) },
      { kind: 'apiKey', keyId: 'key_1', until: at(960) },
    ]
    await store.write(() => denials.add(notices, now))
    const news = await store.read(denials.since(null, now))
    assert.deepEqual(new Set(news.notices), new Set(notices))
  })

  test('what was read is not read again, and what counts no more is not read at all', async (t) => {
    const { store, denials } = await open(t, engine)
    const empty = await store.read(denials.since(null, now))
    assert.deepEqual(empty.notices, [])
    await store.write(() => denials.add([session('one'), session('past', now)], at(-3600)))
    const first = await store.read(denials.since(empty.position, now))
    assert.deepEqual(idsOf(first.notices), ['one'])
    const position = await readToTheEnd(store, denials, first.position)
    await store.write(() => denials.add([session('two')], at(-7200)))
    assert.deepEqual(idsOf((await store.read(denials.since(position, now))).notices), ['two'])
  })

  test('what is swept away does not bring back what was read', async (t) => {
    const { store, denials } = await open(t, engine)
    await store.write(() => denials.add([session('old', at(10)), session('living')], now))
    const position = await readToTheEnd(store, denials, (await store.read(denials.since(null, now))).position)
    await store.write(() => denials.sweep(at(10)))
    assert.deepEqual(idsOf((await store.read(denials.since(null, now))).notices), ['living'])
    await store.write(() => denials.add([session('new')], now))
    assert.deepEqual(idsOf((await store.read(denials.since(position, now))).notices), ['new'])
  })

  // SQLite has one writer, and so one order.
  if (engine === 'sqlite') return
  test('a transaction that began early and ends late is read in the end', async (t) => {
    const { store, denials } = await open(t, engine)
    const [written, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow = store.write(
      function* () {
        yield* denials.add([session('slow')], now)
        yield {
          run: async () => {
            written.resolve()
            await mayEnd.promise
          },
        }
      },
      { exclusive: true },
    )
    await written.promise
    await store.write(() => denials.add([session('quick')], now))
    const first = await store.read(denials.since(null, now))
    assert.deepEqual(idsOf(first.notices), ['quick'])
    mayEnd.resolve()
    await slow
    const second = await store.read(denials.since(first.position, now))
    assert(idsOf(second.notices).includes('slow'))
    await readToTheEnd(store, denials, second.position)
  })
  test('the position is never after what is there: a crash numbers its lost transactions anew', async (t) => {
    const { store, denials } = await open(t, engine)
    await store.write(() => denials.add([session('one')], now))
    const before = await readToTheEnd(store, denials, (await store.read(denials.since(null, now))).position)
    const spend = query('select pg_current_xact_id()')
    for (let count = 0; count < 3; count++)
      await store.write(function* () {
        yield bind(spend)
      })
    assert.equal((await store.read(denials.since(before, now))).position, before)
  })
})

/**
 * Reads until nothing is new. On PostgreSQL some of it comes twice while any transaction of that server is older, and other
 * tests have theirs.
 */
async function readToTheEnd(store: Store, denials: DenialStore, position: string): Promise<string> {
  const news = await store.read(denials.since(position, now))
  return news.notices.length === 0 ? news.position : readToTheEnd(store, denials, news.position)
}
