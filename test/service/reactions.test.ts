// Reactions: what the service itself does about events, through real HTTP, on a clock that stands until it is moved.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { after, before, describe, test } from 'node:test'
import { on, type Reaction } from 'duet-api'
import { Comment } from '../../reference/comment.ts'
import { Post } from '../../reference/post.ts'
import { reactionsCommand } from '../../src/command/verb/reactions.ts'
import { defaultLimits, type Limits } from '../../src/limits.ts'
import type { ReactionMoment } from '../../src/reaction/on.ts'
import { until } from '../support/check/until.ts'
import { runCommand } from '../support/process/command.ts'
import { programArguments } from '../support/process/program.ts'
import { forEachEngineAtOnce, postgresMissing } from '../support/server/databases.ts'
import { startInstance } from '../support/server/instance.ts'
import { type ServiceOptions, startTestService, type TestService } from '../support/server/service.ts'

type ListenedTo = ReactionMoment<typeof Post, 'postCreated'>

const limits: Partial<Limits> = { eventPollMs: 10, reactionAttempts: 3 }
const tasks = (service: TestService) => service.tables('duet_reaction_task')
const writePost = async (service: TestService, title = 'T') =>
  (await service.send('POST /api/v2/posts', { as: 'editor', body: { title, content: 'C' } })).body.data.id as string

/** What a reaction was called with, one after the other. */
function calls<T>() {
  const waiting: ((call: T) => void)[] = []
  const unread: T[] = []
  return {
    unread,
    add(call: T): void {
      const next = waiting.shift()
      if (next === undefined) unread.push(call)
      else next(call)
    },
    next: (): Promise<T> =>
      unread.length > 0 ? Promise.resolve(unread.shift()!) : new Promise((resolve) => waiting.push(resolve)),
  }
}
forEachEngineAtOnce((engine) => {
  async function withReactions(
    reactions: readonly Reaction[],
    work: (service: TestService) => Promise<void>,
    options: ServiceOptions = {},
  ): Promise<void> {
    const service = await startTestService(engine, {
      ...options,
      reactions,
      limits: { ...limits, ...options.limits },
      random: () => 0,
    })
    try {
      await work(service)
    } finally {
      await service.stop()
    }
  }
  const ended = (service: TestService, ending: 'done' | 'failed' | 'died' | 'released', count: number) =>
    until(() => service.reactions!.counts[ending] === count)

  test('runs once for each event, with the record as it is, for any reader', async () => {
    const heard = calls<{ id: string; title: string | undefined; at: Date; attempt: number; eventId: string }>()
    const listener = on(Post, 'postCreated', async ({ id, record, at, attempt, eventId }) =>
      heard.add({ id, title: record?.title, at, attempt, eventId }),
    )
    await withReactions([listener], async (service) => {
      const written = [await writePost(service, 'one'), await writePost(service, 'two')]
      const got = [await heard.next(), await heard.next()]
      assert.deepEqual(got.map(({ id }) => id).sort(), written.sort())
      assert.deepEqual(got.map(({ title }) => title).sort(), ['one', 'two'])
      assert.deepEqual(new Set(got.map(({ attempt }) => attempt)), new Set([1]))
      assert.equal(new Set(got.map(({ eventId }) => eventId)).size, 2)
      for (const { at } of got) assert.ok(Math.abs(service.now().getTime() - at.getTime()) < 1_000)
      await ended(service, 'done', 2)
      assert.deepEqual(await tasks(service), [])
      assert.equal(heard.unread.length, 0)
    })
  })

  test('gets the record that subscribers of an event name, and reads as the service what no user may', async () => {
    const heard = calls<[by: string, title: string, comments: number]>()
    const listener = on(Comment, 'commentAdded', async ({ by, asService: { records } }) => {
      const { title } = await records.get(Post, by)
      const { records: comments } = await records.list(Comment, { filter: { post: by } })
      heard.add([by, title, comments.length])
    })
    await withReactions([listener], async (service) => {
      const draft = await service.fixtures().idOf('draft')
      await service.send('POST /api/v2/comments', { as: 'editor', body: { post_id: draft, content: 'C' } })
      assert.deepEqual(await heard.next(), [draft, 'Draft', 1])
    })
  })

  test('tries again what failed, later and later, gives it up, and takes it up when an operator says so', async () => {
    let isBroken = true
    const heard = calls<number>()
    const failing = on(
      Post,
      'postCreated',
      ({ attempt }) => {
        heard.add(attempt)
        // Thrown, not rejected: it is the same.
        if (isBroken) throw new TypeError('The door is closed.')
        return Promise.resolve()
      },
      { name: 'knock' },
    )
    await withReactions([failing], async (service) => {
      await writePost(service)
      assert.equal(await heard.next(), 1)
      // With random numbers that are 0, half of 1, 2, 4 … seconds.
      for (const [attempt, backoffMs] of [
        [2, 500],
        [3, 1_000],
      ] as const) {
        await ended(service, 'failed', attempt - 1)
        service.advance(backoffMs - 1)
        await new Promise((resolve) => setTimeout(resolve, 40))
        assert.equal(heard.unread.length, 0, 'not a moment too early')
        service.advance(1)
        assert.equal(await heard.next(), attempt)
      }
      await ended(service, 'died', 1)
      const [line] = service.logged('reaction_died')
      assert.deepEqual([line?.['reaction'], line?.['attempt'], line?.['level']], ['knock', 3, 'error'])
      service.advance(86_400_000)
      await new Promise((resolve) => setTimeout(resolve, 40))
      assert.equal(heard.unread.length, 0, 'nobody asked for it')
      isBroken = false
      const variables = { DATABASE_URL: service.databaseUrl }
      const command = (...args: string[]) => runCommand(reactionsCommand, args, { variables, now: service.now })
      const listed = await command('list')
      assert.match(listed, /^knock +0 +0 +1$/m)
      assert.match(listed, /^1 {2}knock post_\w+ {2}of .*, tried 3 times\n {4}TypeError: The door is closed\.$/m)
      assert.match(await command('replay', '1'), /^1 is tried again/)
      assert.equal(await heard.next(), 1)
      await ended(service, 'done', 1)
      assert.deepEqual(await tasks(service), [])
      assert.equal(
        await command('forget', '--reaction', 'knock'),
        'knock is forgotten, with 0 that it had left to do.\n',
      )
      assert.doesNotMatch(await command(), /knock/)
    })
  })

  test('does not wait for one that never returns', async () => {
    const heard = calls<AbortSignal>()
    const endless = on(Post, 'postCreated', ({ signal }) => {
      heard.add(signal)
      return new Promise(() => {})
    })
    const others = calls<string>()
    const listener = on(Post, 'postCreated', async ({ id }) => others.add(id), { name: 'told' })
    await withReactions(
      [endless, listener],
      async (service) => {
        const ids = [await writePost(service), await writePost(service), await writePost(service)]
        const signals = [await heard.next(), await heard.next(), await heard.next()]
        await until(() => signals.every((each) => each.aborted))
        assert.match(String(signals[0]!.reason), /No end after 400 milliseconds/)
        assert.deepEqual([await others.next(), await others.next(), await others.next()].sort(), ids.sort())
      },
      // Time enough for the other on a busy machine.
      { limits: { reactionTimeMs: 400, reactionsAtOnce: 1 } },
    )
  })

  test('runs for an event whose record was deleted meanwhile', async () => {
    const heard = calls<unknown>()
    const late = on(Post, 'postCreated', async ({ id, record, attempt }) => {
      heard.add([id, record?.title])
      if (attempt === 1) throw new Error('Not yet.')
    })
    await withReactions([late], async (service) => {
      const id = await writePost(service)
      assert.deepEqual(await heard.next(), [id, 'T'])
      await ended(service, 'failed', 1)
      await service.send(`DELETE /api/v2/posts/${id}`, { as: 'editor' })
      service.advance(1_000)
      assert.deepEqual(await heard.next(), [id, undefined])
      await ended(service, 'done', 1)
    })
  })

  test('finishes in the transaction in which it changes records, whose events are emitted', async () => {
    const published = calls<string>()
    let isBroken = true
    const publish = on(Post, 'postCreated', async ({ id, finish }) => {
      await finish(async (records) => {
        const [post] = await records.lockExisting(Post, [id])
        await records.change(Post, id, { title: `${post!.title}!` })
        await records.run(Post, id, 'publish')
        if (isBroken) throw new Error('Not yet.')
      })
      throw new Error('What comes after the end does not matter.')
    })
    const listener = on(Post, 'postPublished', async ({ record }) => published.add(record!.title))
    await withReactions([publish, listener], async (service) => {
      await writePost(service, 'Go')
      await ended(service, 'failed', 1)
      isBroken = false
      service.advance(1_000)
      assert.equal(await published.next(), 'Go!')
      await ended(service, 'done', 2)
      assert.deepEqual(await tasks(service), [])
    })
  })

  test('a second finish says what it is, and what it would have changed is not lost', async () => {
    const message = /^finish was called twice, and the second call changed nothing: call it once/
    const refused = calls<string>()
    const retitle = (id: string, title: string) => (records: Parameters<Parameters<ListenedTo['finish']>[0]>[0]) =>
      records.change(Post, id, { title })
    const inTurn = on(Post, 'postCreated', async ({ id, finish }) => {
      await finish(retitle(id, 'First'))
      // Caught or not, the reaction has not done what it was to do.
      await finish(retitle(id, 'Second')).catch((error: Error) => refused.add(error.message))
    })
    await withReactions([inTurn], async (service) => {
      const id = await writePost(service)
      assert.match(await refused.next(), message)
      await ended(service, 'died', 1)
      const { body } = await service.send(`GET /api/v2/posts/${id}`, { as: 'editor' })
      assert.equal(body.data.title, 'First')
      const [line] = service.logged('reaction_died')
      assert.match((line as unknown as { err: Error }).err.message, message)
      const variables = { DATABASE_URL: service.databaseUrl }
      const listed = await runCommand(reactionsCommand, ['list'], { variables, now: service.now })
      assert.match(listed, /tried 1 times?\n {4}Error: finish was called twice/)
      service.advance(86_400_000)
      await runCommand(reactionsCommand, ['replay', '--all'], { variables, now: service.now })
      assert.match(await refused.next(), message)
      await ended(service, 'died', 2)
    })
    const beside = on(Post, 'postCreated', async ({ id, finish }) => {
      await Promise.all([finish(retitle(id, 'First')), finish(retitle(id, 'Second'))])
    })
    await withReactions([beside], async (service) => {
      const id = await writePost(service)
      await ended(service, 'failed', 1)
      const { body } = await service.send(`GET /api/v2/posts/${id}`, { as: 'editor' })
      assert.equal(body.data.title, 'T', 'neither of them')
      assert.equal((await tasks(service)).length, 1)
    })
  })

  test('a finish that failed may be called again', async () => {
    const again = on(Post, 'postCreated', async ({ id, finish }) => {
      await finish(() => Promise.reject(new Error('Not like that.'))).catch(() => undefined)
      await finish((records) => records.change(Post, id, { title: 'Second' }))
    })
    await withReactions([again], async (service) => {
      const id = await writePost(service)
      await ended(service, 'done', 1)
      const { body } = await service.send(`GET /api/v2/posts/${id}`, { as: 'editor' })
      assert.equal(body.data.title, 'Second')
    })
  })

  test('changes nothing once its time is over', async () => {
    const refused = calls<unknown>()
    const slow = on(Post, 'postCreated', async ({ id, signal, finish }) => {
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
      await finish((records) => records.change(Post, id, { title: 'Late' })).catch(refused.add)
    })
    await withReactions(
      [slow],
      async (service) => {
        const id = await writePost(service)
        assert.match(String(await refused.next()), /No end after 20 milliseconds/)
        const { body } = await service.send(`GET /api/v2/posts/${id}`, { as: 'editor' })
        assert.equal(body.data.title, 'T')
      },
      { limits: { reactionTimeMs: 20, reactionAttempts: 1 } },
    )
  })

  test('a new reaction gets later events, an old one those that came while no instance ran it', async () => {
    const first = calls<string>()
    const second = calls<string>()
    const reaction = on(Post, 'postCreated', async ({ id }) => first.add(id), { name: 'first' })
    const added = on(Post, 'postCreated', async ({ id }) => second.add(id), { name: 'second' })
    await withReactions([], async (service) => {
      const before = await writePost(service)
      const one = await startInstance(service, { reactions: [reaction], limits })
      await one.stop()
      const missed = await writePost(service)
      const other = await startInstance(service, { reactions: [reaction, added], limits })
      try {
        assert.equal(await first.next(), missed)
        const heard = await writePost(service)
        assert.deepEqual([await first.next(), await second.next()], [heard, heard])
        assert.deepEqual([first.unread, second.unread], [[], []], `${before} came before both`)
      } finally {
        await other.stop()
      }
    })
  })

  test('lets those that run end when the service stops, and gives back what takes longer', async () => {
    const begun = calls<{ attempt: number; end: () => void }>()
    const slow = on(
      Post,
      'postCreated',
      ({ attempt }) => new Promise<void>((resolve) => begun.add({ attempt, end: resolve })),
    )
    await withReactions([], async (service) => {
      const stopping = (reactionDrainMs: number) => ({ reactions: [slow], limits: { ...limits, reactionDrainMs } })
      const patient = await startInstance(service, stopping(600_000))
      await writePost(service)
      const { end } = await begun.next()
      const stopped = patient.stop()
      end()
      await stopped
      assert.deepEqual(await tasks(service), [])

      const impatient = await startInstance(service, stopping(1))
      await writePost(service)
      await begun.next()
      await impatient.stop()
      const next = await startInstance(service, stopping(600_000))
      const again = await begun.next()
      assert.equal(again.attempt, 1, 'to be stopped is no failure')
      again.end()
      await until(async () => (await tasks(service)).length === 0)
      await next.stop()
    })
  })

  test('where there are none, nothing runs', async () => {
    await withReactions([], async (service) => {
      await writePost(service)
      assert.equal(service.reactions, null)
      assert.deepEqual(await service.tables('duet_reaction', 'duet_reaction_position', 'duet_reaction_task'), [])
    })
  })
})

describe('several instances', { skip: postgresMissing }, () => {
  const heard = calls<string>()
  const listener = on(Post, 'postCreated', async ({ id, attempt }) => heard.add(`${id} ${attempt}`))
  let service: TestService
  before(async () => {
    service = await startTestService('postgres')
  })
  after(() => service.stop())

  test('each event is reacted to by one of them', async () => {
    const instances = await Promise.all([1, 2, 3].map(() => startInstance(service, { reactions: [listener], limits })))
    const written = await Promise.all(Array.from({ length: 60 }, () => writePost(service)))
    const got: string[] = []
    while (got.length < 60) got.push(await heard.next())
    await until(async () => (await tasks(service)).length === 0)
    assert.deepEqual(got.sort(), written.map((id) => `${id} 1`).sort())
    assert.deepEqual(heard.unread, [])
    for (const each of instances) await each.stop()
  })

  test('what one was doing when it was killed is done by another, once its time is over', async () => {
    const program = programArguments('test/support/process/reacting-process.ts')
    const args = [...program, service.databaseUrl, service.now().toISOString()]
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    assert.equal((await lines.next()).value, 'ready')
    const id = await writePost(service)
    assert.equal((await lines.next()).value, `${id} 1`)
    child.kill('SIGKILL')
    await once(child, 'exit')
    const other = await startInstance(service, { reactions: [listener], limits })
    await new Promise((resolve) => setTimeout(resolve, 50))
    assert.deepEqual(heard.unread, [], 'it might still be at it')
    service.advance(defaultLimits.reactionTimeMs + defaultLimits.reactionLeaseMarginMs)
    assert.equal(await heard.next(), `${id} 2`)
    await until(async () => (await tasks(service)).length === 0)
    await other.stop()
  })
})
