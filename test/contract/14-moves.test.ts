// Moves made by the clock: when, how often, by whom, and what happens to those that fail. For both faces, on both databases.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { reactionsCommand } from '../../src/command/verb/reactions.ts'
import { bind, command } from '../../src/store/store.ts'
import { until } from '../support/check/until.ts'
import { signIn } from '../support/client/subscriber.ts'
import { appointments, broken, refused, seen } from '../support/domain/appointments.ts'
import { runCommand } from '../support/process/command.ts'
import { startInstance } from '../support/server/instance.ts'
import { type Caller, withService } from '../support/server/service.ts'

const limits = { duePollMs: 10, eventPollMs: 10 }
const minuteMs = 60_000
const dayMs = 1_440 * minuteMs
withService(
  '14.1 Moves made by the clock',
  (service) => {
    const send = async (line: string, body?: object, as: Caller = 'viewer') => {
      const { status, text, ...answer } = await service().send(line, { as, ...(body === undefined ? {} : { body }) })
      assert(status < 300, `${line}: ${status} ${text}`)
      return answer.body?.data
    }
    const inMinutes = (minutes: number) => new Date(service().now().getTime() + minutes * minuteMs).toISOString()
    const make = async (path: string, body: object): Promise<string> => (await send(`POST /api/v2/${path}`, body)).id
    const change = (path: string, id: string, body: object) => send(`PATCH /api/v2/${path}/${id}`, body)
    const read = (path: string, id: string) => send(`GET /api/v2/${path}/${id}`)
    /** Resolves when a whole round of the worker has passed, so that everything due by now was tried. */
    const looked = async () => {
      for (const title of ['one', 'two']) {
        const probe = await make('holds', { title, reserved_until: inMinutes(-1) })
        await until(async () => (await read('holds', probe)).status === 'expired')
      }
    }
    const statusOf = async (path: string, id: string) => (await read(path, id)).status
    beforeEach(() => {
      service().forgetTokens()
      seen.length = 0
      broken.clear()
      refused.clear()
    })

    test('14.1.1, 14.1.2 a record is moved when its time has come, and subscribers are notified', async () => {
      const socket = await signIn(service(), 'viewer')
      socket.subscribe('1', 'subscription { holdExpired { id status } }')
      await socket.settled()
      const first = await make('holds', { title: 'first', reserved_until: inMinutes(3) })
      const never = await make('holds', { title: 'never' })
      await looked()
      assert.equal(await statusOf('holds', first), 'reserved', 'the old state is read until then')
      service().advance(4 * minuteMs)
      await looked()
      const { status, expired_at } = await read('holds', first)
      assert.deepEqual([status, expired_at === null], ['expired', false])
      assert.equal(await statusOf('holds', never), 'reserved', 'null is never due')
      let text = ''
      while (!text.includes(first)) text = JSON.stringify(await socket.next())
      await socket.close()
    })

    test('14.1.3 no caller may make a move of the clock without allow, on either face', async () => {
      const id = await make('holds', { title: 'mine', reserved_until: inMinutes(10) })
      for (const as of ['viewer', 'admin'] as const) {
        const { status } = await service().send(`POST /api/v2/holds/${id}/expire`, { as, body: {} })
        assert.equal(status, 404)
        const answer = await service().graphql(`mutation { expireHold(id: "${id}") { id } }`, { as })
        assert.match(answer.text, /Cannot query field|expireHold/)
      }
      assert.equal(await statusOf('holds', id), 'reserved')
    })

    test('14.1.3 with allow, callers may make it as well, which counts', async () => {
      const id = await make('cases', {})
      await send(`POST /api/v2/cases/${id}/close`, {})
      assert.equal((await service().send(`POST /api/v2/cases/${id}/archive`, { as: 'viewer', body: {} })).status, 403)
      await send(`POST /api/v2/cases/${id}/archive`, {}, 'admin')
      const { updated_at } = await read('cases', id)
      service().advance(31 * dayMs)
      service().forgetTokens()
      await looked()
      assert.deepEqual((await read('cases', id)).updated_at, updated_at)
    })

    test('14.1.4 each value moves the record once: a new value does again, writing the same one does not', async () => {
      const ringAt = inMinutes(1)
      const id = await make('alarms', { title: 'a', ring_at: ringAt })
      const rings = async () => (await read('alarms', id)).rings
      service().advance(2 * minuteMs)
      await looked()
      assert.equal(await rings(), 1)
      await change('alarms', id, { title: 'b', ring_at: ringAt })
      await looked()
      assert.equal(await rings(), 1)
      await change('alarms', id, { ring_at: inMinutes(1) })
      service().advance(2 * minuteMs)
      await looked()
      assert.equal(await rings(), 2)
      await change('alarms', id, { ring_at: null })
      await change('alarms', id, { ring_at: ringAt })
      await looked()
      assert.equal(await rings(), 3, 'another value came between')
    })

    test('14.1.4 a record that returns to its state is not moved again for the same value', async () => {
      const id = await make('holds', { title: 'back', reserved_until: inMinutes(-1) })
      await looked()
      assert.equal(await statusOf('holds', id), 'expired')
      await send(`POST /api/v2/holds/${id}/reopen`, {})
      await looked()
      assert.equal(await statusOf('holds', id), 'reserved')
    })

    test('14.1.5 there is no actor, now is the time of the work, and updatedAt is that', async () => {
      const id = await make('alarms', { title: 'a', ring_at: inMinutes(-5) })
      await until(() => seen.some((each) => each.id === id))
      const { actor, now } = seen.find((each) => each.id === id)!
      assert.equal(actor, null)
      assert(now >= new Date(Date.parse(inMinutes(-1))))
    })

    test('14.1.6 a span may count a field, and the timestamp may be that of another record', async () => {
      const meeting = await make('meetings', { title: 'm', starts_at: inMinutes(100) })
      const [soon, late, none] = [
        await make('reminders', { meeting_id: meeting, minutes_before: 90 }),
        await make('reminders', { meeting_id: meeting, minutes_before: 30 }),
        await make('reminders', { minutes_before: 0 }),
      ]
      const all = async () => [
        await statusOf('reminders', soon),
        await statusOf('reminders', late),
        await statusOf('reminders', none),
      ]
      await looked()
      assert.deepEqual(await all(), ['waiting', 'waiting', 'waiting'])
      await change('meetings', meeting, { starts_at: inMinutes(60) })
      await looked()
      assert.deepEqual(await all(), ['sent', 'waiting', 'waiting'])
      await change('reminders', late, { minutes_before: 61 })
      await looked()
      assert.deepEqual(await all(), ['sent', 'sent', 'waiting'])
      await change('reminders', none, { meeting_id: meeting, minutes_before: 61 })
      await looked()
      assert.deepEqual(await all(), ['sent', 'sent', 'sent'])
    })

    test('14.1.6 a cleared reference, and one to another record, count', async () => {
      const [first, second] = [
        await make('meetings', { title: '1', starts_at: inMinutes(5) }),
        await make('meetings', { title: '2', starts_at: inMinutes(500) }),
      ]
      const [cleared, led] = [
        await make('reminders', { meeting_id: first, minutes_before: 0 }),
        await make('reminders', { meeting_id: second, minutes_before: 0 }),
      ]
      await send(`DELETE /api/v2/meetings/${first}`)
      const third = await make('meetings', { title: '3', starts_at: inMinutes(-1) })
      await change('reminders', led, { meeting_id: third })
      service().advance(6 * minuteMs)
      await looked()
      assert.equal(await statusOf('reminders', cleared), 'waiting')
      assert.equal(await statusOf('reminders', led), 'sent')
    })

    test('14.1.7 what was due before the definition had the move stays, unless it is written, or past is true', async () => {
      await service().clock!.stop()
      const old = inMinutes(-10)
      const [stays, written] = [
        await make('holds', { title: 'stays', reserved_until: old }),
        await make('holds', { title: 'written', reserved_until: old }),
      ]
      const past = await make('cases', {})
      await send(`POST /api/v2/cases/${past}/close`, {})
      service().advance(31 * dayMs)
      service().forgetTokens()
      await service().store.write(function* () {
        yield bind(command(`delete from duet_clock`))
      })
      const other = await startInstance(service(), { definition: appointments, limits })
      try {
        await looked()
        assert.equal(await statusOf('cases', past), 'archived')
        assert.deepEqual([await statusOf('holds', stays), await statusOf('holds', written)], ['reserved', 'reserved'])
        await change('holds', written, { reserved_until: inMinutes(-1) })
        await looked()
        assert.deepEqual([await statusOf('holds', stays), await statusOf('holds', written)], ['reserved', 'expired'])
      } finally {
        await other.stop()
      }
    })
  },
  { definition: appointments, limits, random: () => 0 },
)

withService(
  '14.1 Moves made by the clock that are refused',
  (service) => {
    const send = async (line: string, body?: object, as: Caller = 'viewer') => {
      const { status, text, ...answer } = await service().send(line, { as, ...(body === undefined ? {} : { body }) })
      assert(status < 300, `${line}: ${status} ${text}`)
      return answer.body?.data
    }
    const inMinutes = (minutes: number) => new Date(service().now().getTime() + minutes * minuteMs).toISOString()
    const make = async (path: string, body: object): Promise<string> => (await send(`POST /api/v2/${path}`, body)).id
    const change = (path: string, id: string, body: object) => send(`PATCH /api/v2/${path}/${id}`, body)
    const read = (path: string, id: string) => send(`GET /api/v2/${path}/${id}`)
    const counts = () => service().clock!.dueRecords!.counts
    /** Resolves when a whole round of the worker has passed, so that everything due by now was tried. */
    const looked = async () => {
      for (const title of ['one', 'two']) {
        const probe = await make('holds', { title, reserved_until: inMinutes(-1) })
        await until(async () => (await read('holds', probe)).status === 'expired')
      }
    }
    const statusOf = async (path: string, id: string) => (await read(path, id)).status
    const reactions = (...args: string[]) =>
      runCommand(reactionsCommand, args, { variables: { DATABASE_URL: service().databaseUrl }, now: service().now })
    beforeEach(() => {
      service().forgetTokens()
      seen.length = 0
      broken.clear()
      refused.clear()
    })

    test('14.1.8 a refused move is tried again once its record changes; others are not delayed', async () => {
      refused.add('stay')
      const id = await make('holds', { title: 'stay', reserved_until: inMinutes(-1) })
      await until(() => counts().refused > 0)
      await looked()
      await looked()
      assert.match(await reactions('list'), /refused: It must not expire yet\./)
      assert.equal(await statusOf('holds', id), 'reserved')
      refused.clear()
      await looked()
      assert.equal(await statusOf('holds', id), 'reserved')
      await change('holds', id, { title: 'go' })
      await looked()
      assert.equal(await statusOf('holds', id), 'expired')
      assert.doesNotMatch(await reactions('list'), /refused: /)
    })

    test('14.1.8 an operator may have it tried again', async () => {
      refused.add('wait')
      const id = await make('holds', { title: 'wait', reserved_until: inMinutes(-1) })
      await until(async () => /refused: /.test(await reactions('list')))
      refused.clear()
      await reactions('replay', '--all')
      await until(async () => (await statusOf('holds', id)) === 'expired')
    })

    test('14.1.8 code that throws is tried again, later and later', async () => {
      broken.add('bell')
      const id = await make('alarms', { title: 'bell', ring_at: inMinutes(-1) })
      await until(() => counts().failed > 0)
      broken.clear()
      const other = await make('alarms', { title: 'fine', ring_at: inMinutes(-1) })
      await until(async () => (await read('alarms', other)).rings === 1)
      assert.equal((await read('alarms', id)).rings, 0)
      service().advance(2_000)
      await until(async () => (await read('alarms', id)).rings === 1)
    })

    test('14.1.8 one of a batch that is refused delays none', async () => {
      refused.add('odd')
      const holds = ['even', 'odd', 'even', 'odd', 'even']
      const until5 = inMinutes(5)
      const { length } = await send('POST /api/v2/holds/batch', {
        holds: holds.map((title) => ({ title, reserved_until: until5 })),
      })
      assert.equal(length, 5)
      service().advance(6 * minuteMs)
      await looked()
      const rows = (await service().tables('holds')).map((row) => row.map(String))
      const own = rows.filter((row) => row.includes('even') || row.includes('odd'))
      for (const row of own) assert(row.includes(row.includes('even') ? 'expired' : 'reserved'), row.join())
    })
  },
  { definition: appointments, limits, random: () => 0 },
)
