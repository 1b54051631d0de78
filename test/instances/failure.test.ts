// Instances, PostgreSQL and Redis are killed at random under load; afterwards nothing is lost, doubled, half done or told
// to the wrong ones. `FAILURE_SECONDS=300` makes it as long as one wants, `FAILURE_SEED` repeats the choices of a run.
// (contract 0.2, 3.5, 4.7, 6.1, 8.3)

import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { withoutPgbouncer } from '../support/server/pgbouncer.ts'
import { withoutPostgresServer } from '../support/server/postgres-server.ts'
import { withoutRedisServer } from '../support/server/redis.ts'
import { breakThings } from './breakage.ts'
import { type Caller, createCaller } from './caller.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { faultsOfEvents, readEvents, type Turns, untilAllIsSeen } from './judge-events.ts'
import { faultsOfReuse, faultsOfWrites } from './judge-writes.ts'
import { askTooOften, faultsOfLimits } from './limited.ts'
import { refresh } from './refreshers.ts'
import { type Scene, setScene } from './scene.ts'
import { type Listening, listen, type Subscriber } from './subscribers.ts'
import { write } from './writers.ts'

const seconds = Number(process.env['FAILURE_SECONDS'] ?? 4)
const seed = Number(process.env['FAILURE_SEED'] ?? randomInt(2 ** 31))
const catchUpMs = 30_000

const withoutServers = withoutPostgresServer() || withoutRedisServer()
const timeout = (seconds + 120) * 1_000
const promise = 'killing instances, PostgreSQL and Redis loses nothing and shows nothing to the wrong ones'
test(promise, { skip: withoutServers, timeout }, (t) => endure(t, false))
test(`0.1.13 ${promise}, through a pooler`, { skip: withoutServers || withoutPgbouncer(), timeout }, (t) =>
  endure(t, true),
)

async function endure(t: TestContext, isPooled: boolean): Promise<void> {
  t.diagnostic(`FAILURE_SEED=${seed}`)
  const cluster = await startCluster(4, isPooled)
  const urls = cluster.instances.map(({ url }) => url)
  const caller = createCaller(urls)
  const stopping: (() => unknown)[] = [() => caller.close(), () => cluster.stop()]
  try {
    const scene = await setScene(cluster, caller)
    const subscribers = everybody(scene).map((each, place) => listen(each, urls, seed + place, caller.faults))
    stopping.unshift(() => Promise.all(subscribers.map((each) => each.stop())))
    await untilAllHaveHeard(subscribers, scene, caller)

    let isOver = false
    const over = () => isOver
    const load = Promise.all([
      write(scene, caller, over, seed),
      refresh(scene.refreshing, caller, over, seed),
      askTooOften(['10.0.0.1', '10.0.0.2', '10.0.0.3'], caller, over),
    ])
    const [breakage, turns] = await Promise.all([
      breakThings(cluster, seed, seconds * 1_000),
      turn(scene, caller, seconds * 400),
    ]).finally(() => {
      isOver = true
    })
    const [writes, refreshed, limited] = await load
    const events = await readEvents(cluster)
    await untilAllIsSeen(subscribers, events, turns, catchUpMs)

    const faults = [
      ...caller.faults,
      ...breakage.faults,
      ...faultsInLogs(cluster),
      ...(await faultsOfWrites(writes, scene, cluster.rows)),
      ...(await faultsOfReuse(refreshed, cluster.rows)),
      ...faultsOfLimits(limited, cluster),
      ...faultsOfEvents(subscribers, events, turns, cluster),
      ...(await faultsOfSuspension(scene, caller, urls)),
    ]
    const twice = subscribers.flatMap((each) => [...each.seen.values()].filter(({ times }) => times > 1)).length
    const deliveries = subscribers.reduce((sum, each) => sum + each.seen.size, 0)
    t.diagnostic(
      `${writes.keyed.size + writes.marked.size} writes, ${refreshed.exchanges} renewals, ` +
        `${[...refreshed.reuses.values()].reduce((sum, count) => sum + count, 0)} reuses, ` +
        `${limited.refused} refused by limits, ${events.length} events told ${deliveries} times (${twice} of them more than once), ` +
        `${subscribers.reduce((sum, each) => sum + each.connections, 0)} connections of subscribers; ` +
        `statuses ${JSON.stringify(Object.fromEntries([...caller.statuses].sort()))}`,
    )
    assert.ok(
      faults.length === 0,
      `${faults.length} faults:\n${faults.slice(0, 40).join('\n')}\nWhat was done:\n${breakage.done.join('\n')}`,
    )
  } finally {
    for (const stop of stopping) await stop()
  }
}

function everybody({ arena, editorTokens, viewerTokens, suspended }: Scene): readonly Listening[] {
  const times = (count: number, listening: Listening) => Array.from({ length: count }, () => listening)
  const created = { event: 'postCreated', by: null } as const
  const published = { event: 'postPublished', by: null } as const
  const editor = { who: 'editor', token: editorTokens[1]! } as const
  const viewer = { who: 'viewer', token: viewerTokens[0]! } as const
  const anonymous = { who: 'anonymous', token: null } as const
  return [
    ...times(40, { ...created, ...anonymous }),
    ...times(20, { ...created, ...viewer }),
    ...times(20, { ...created, ...editor }),
    ...times(20, { ...published, ...anonymous }),
    ...times(10, { ...published, ...viewer }),
    ...times(6, { ...created, who: 'suspended', token: suspended.token }),
    ...arena.flatMap((by) => [
      ...times(8, { event: 'commentAdded', by, ...anonymous }),
      ...times(4, { event: 'commentAdded', by, ...viewer }),
      ...times(2, { event: 'commentAdded', by, ...editor }),
    ]),
  ]
}

/** From here on each of them has an event to come back with. */
async function untilAllHaveHeard(subscribers: readonly Subscriber[], scene: Scene, caller: Caller): Promise<void> {
  const [token] = scene.editorTokens
  while (subscribers.some(({ seen }) => seen.size === 0)) {
    const post = { title: 'warm', content: 'Words.', publish: true }
    await caller.ask('POST /api/v2/posts', { token: token!, body: post })
    for (const post_id of scene.arena)
      await caller.ask('POST /api/v2/comments', { token: token!, body: { post_id, content: 'warm' } })
    await wait(200)
  }
}

/** In the middle of it a post is hidden and a user suspended. */
async function turn(scene: Scene, caller: Caller, afterMs: number): Promise<Turns> {
  await wait(afterMs)
  const hiddenPost = scene.arena.at(-1)!
  const move = async (line: string) => {
    const outcome = await caller.askUntilKnown(line, { token: scene.adminToken })
    caller.require(outcome, line, 200, ...(outcome.doubts > 0 ? [409] : []))
    return Date.now()
  }
  const hiddenAt = await move(`POST /api/v2/posts/${hiddenPost}/unpublish`)
  const suspendedAt = await move(`POST /api/v2/users/${scene.suspended.id}/suspend`)
  return { hiddenPost, hiddenAt, suspendedAt }
}

function faultsInLogs({ instances }: Cluster): readonly string[] {
  return instances.flatMap(({ messages, crashes }) => [
    ...crashes,
    ...messages.filter(({ level }) => level === 'error' || level === 'fatal').map(({ line }) => line),
  ])
}

/** Every instance, also one that was started since, refuses the token of the suspended user. */
async function faultsOfSuspension({ suspended }: Scene, caller: Caller, urls: readonly string[]) {
  const answers = await Promise.all(
    urls.map((_, at) => caller.askUntilKnown('GET /api/v2/users/me', { token: suspended.token, at })),
  )
  return answers.flatMap(({ answer }, at) =>
    answer.status === 401 ? [] : [`instance ${at} answers the suspended user ${answer.status}`],
  )
}
