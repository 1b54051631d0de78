// Schedules: which ticks run, where, how often, and what happens to those that were missed. On both databases.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { every, service as makeService, type Rhythm, type ScheduleOptions, type Tick } from 'duet-api'
import { Comment } from '../../reference/comment.ts'
import { Post } from '../../reference/post.ts'
import { User } from '../../reference/user.ts'
import { reactionsCommand } from '../../src/command/verb/reactions.ts'
import { until } from '../support/check/until.ts'
import { runCommand } from '../support/process/command.ts'
import { forEachEngineAtOnce } from '../support/server/databases.ts'
import { startInstance } from '../support/server/instance.ts'
import { startTestService, type TestService } from '../support/server/service.ts'

const minuteMs = 60_000
const limits = { eventPollMs: 10, reactionAttempts: 2 }
const definitionWith = (schedules: ReturnType<typeof every>[]) =>
  makeService({
    resources: { User, Post, Comment },
    accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
    versions: { v1: { deprecated: '2026-11-20', sunset: '2027-11-20' }, v2: 'current' },
    roles: { VIEWER: {}, EDITOR: { posts: ['create', 'publish'] }, ADMIN: 'everything' },
    schedules,
  })

/** A schedule that remembers its ticks, on a service whose clock begins at 09:30. */
function recorder(rhythm: Rhythm = { minutes: 10 }, options: ScheduleOptions = {}) {
  const ticks: string[] = []
  let work: (tick: Tick) => Promise<void> = async () => {}
  const schedule = every(
    rhythm,
    'sweep',
    async (tick) => {
      ticks.push(`${tick.tick.toISOString().slice(11, 16)}/${tick.attempt}`)
      await work(tick)
    },
    options,
  )
  return {
    ticks,
    schedule,
    set work(own: typeof work) {
      work = own
    },
  }
}

forEachEngineAtOnce((engine) => {
  async function withSchedule(
    { schedule }: ReturnType<typeof recorder>,
    run: (service: TestService) => Promise<void>,
  ): Promise<void> {
    const service = await startTestService(engine, { definition: definitionWith([schedule]), limits, random: () => 0 })
    try {
      await run(service)
    } finally {
      await service.stop()
    }
  }
  const done = (service: TestService, count: number) => until(() => service.clock!.tasks.counts.done === count)

  test('14.2.1 runs at each tick, once, the first after registration', async () => {
    const sweep = recorder()
    await withSchedule(sweep, async (service) => {
      service.advance(9 * minuteMs)
      assert.deepEqual(sweep.ticks, [])
      service.advance(2 * minuteMs)
      await done(service, 1)
      service.advance(10 * minuteMs)
      await done(service, 2)
      assert.deepEqual(sweep.ticks, ['09:40/1', '09:50/1'])
      assert.deepEqual(await service.tables('duet_reaction_task'), [])
    })
  })

  test('14.2.3 finish changes records once, with the end of the tick; a failure is tried again', async () => {
    const sweep = recorder()
    sweep.work = async ({ attempt, finish, tick }) => {
      if (attempt === 1) throw new Error('Not now.')
      await finish(async (records) => {
        const { records: users } = await records.list(User, { limit: 1 })
        await records.create(Post, { title: tick.toISOString(), content: 'C', author: users[0]!.id } as never)
      })
    }
    await withSchedule(sweep, async (service) => {
      service.advance(11 * minuteMs)
      await until(() => service.clock!.tasks.counts.failed === 1)
      service.advance(2_000)
      await done(service, 1)
      assert.deepEqual(sweep.ticks, ['09:40/1', '09:40/2'])
      assert.equal((await service.tables('posts')).length, 1)
    })
  })

  test('14.2.4 a tick that fails for good is a dead letter, holds back no later one, and can be replayed', async () => {
    const sweep = recorder()
    let isBroken = true
    sweep.work = async () => {
      if (isBroken) throw new Error('Broken.')
    }
    await withSchedule(sweep, async (service) => {
      service.advance(11 * minuteMs)
      await until(() => service.clock!.tasks.counts.failed === 1)
      service.advance(2_000)
      await until(() => service.clock!.tasks.counts.died === 1)
      isBroken = false
      service.advance(10 * minuteMs)
      await done(service, 1)
      const variables = { DATABASE_URL: service.databaseUrl }
      const command = (...args: string[]) => runCommand(reactionsCommand, args, { variables, now: service.now })
      assert.match(await command('list'), /^sweep +0 +0 +1 +2026-11-20T09:5/m)
      await command('replay', '--all')
      await done(service, 2)
      assert.equal(sweep.ticks.at(-1), '09:40/1')
    })
  })

  for (const [missed, expected] of [
    [undefined, ['10:30/1']],
    ['none', []],
    [{ upTo: 3 }, ['10:10/1', '10:20/1', '10:30/1']],
    [{ upTo: 100 }, ['09:40/1', '09:50/1', '10:00/1', '10:10/1', '10:20/1', '10:30/1']],
  ] as const)
    test(`14.2.2 missed ${JSON.stringify(missed ?? 'once')}: of six ticks while no instance ran`, async () => {
      const options = missed === undefined ? {} : { missed }
      const [early, late] = [recorder({ minutes: 10 }, options), recorder({ minutes: 10 }, options)]
      await withSchedule(early, async (service) => {
        await service.clock!.stop()
        service.advance(61 * minuteMs)
        const other = await startInstance(service, { definition: definitionWith([late.schedule]), limits })
        try {
          await until(async () => late.ticks.length === expected.length)
          service.advance(9 * minuteMs)
          await until(() => late.ticks.length > expected.length)
          assert.deepEqual(late.ticks, [...expected, '10:40/1'])
        } finally {
          await other.stop()
        }
      })
    })

  test('14.2.2 a tick that is due while another one runs counts as missed', async () => {
    const sweep = recorder({ minutes: 1 })
    const first = Promise.withResolvers<void>()
    sweep.work = () => (sweep.ticks.length === 1 ? first.promise : Promise.resolve())
    await withSchedule(sweep, async (service) => {
      for (let tick = 0; tick < 4; tick++) {
        service.advance(minuteMs)
        await until(() => sweep.ticks.length === 1)
      }
      await new Promise((resolve) => setTimeout(resolve, 50))
      assert.deepEqual(sweep.ticks, ['09:31/1'])
      first.resolve()
      await done(service, 2)
      assert.deepEqual(sweep.ticks, ['09:31/1', '09:34/1'])
    })
  })

  test('14.2.5 the expression that was registered last wins, and a changed one counts from the change', async () => {
    const [old, current] = [recorder({ minutes: 10 }), recorder({ cron: '0 * * * *', timeZone: 'UTC' })]
    await withSchedule(old, async (service) => {
      service.advance(5 * minuteMs)
      const other = await startInstance(service, { definition: definitionWith([current.schedule]), limits })
      try {
        service.advance(26 * minuteMs)
        await until(() => current.ticks.length === 1)
        assert.deepEqual([old.ticks, current.ticks], [[], ['10:00/1']])
      } finally {
        await other.stop()
      }
    })
  })
})
