// Takes instances, PostgreSQL, Redis and connections away at random and brings them back.

import { setTimeout as wait } from 'node:timers/promises'
import { createRandom, type Random } from '../support/oracle/random.ts'
import type { Cluster } from './cluster.ts'

export interface Breakage {
  /** What was done, in order, each with its second. */
  readonly done: readonly string[]
  /** What should not have happened meanwhile. */
  readonly faults: readonly string[]
}

/** Breaks things for so many milliseconds; when it resolves, everything runs again. */
export async function breakThings(cluster: Cluster, seed: number, forMs: number): Promise<Breakage> {
  const [startedAt, done, faults] = [Date.now(), [] as string[], [] as string[]]
  const endsAt = startedAt + forMs
  const note = (what: string) => done.push(`${((Date.now() - startedAt) / 1_000).toFixed(1)} ${what}`)

  async function keepDoing(random: Random, pauseMs: number, deeds: readonly (() => Promise<void>)[]): Promise<void> {
    let deck: (() => Promise<void>)[] = []
    for (;;) {
      await wait(pauseMs / 2 + random.below(pauseMs))
      if (Date.now() >= endsAt) return
      // Each of them comes once before any comes again.
      if (deck.length === 0) deck = shuffled(deeds, random)
      await deck.pop()!()
    }
  }

  const ofInstances = createRandom(seed)
  const ofServers = createRandom(seed + 1)
  const endInstance = async (signal: 'SIGKILL' | 'SIGTERM') => {
    const place = ofInstances.below(cluster.instances.length)
    const instance = cluster.instances[place]!
    note(`${signal} to instance ${place}`)
    const code = await instance.end(signal)
    if (signal === 'SIGTERM' && code !== 0) faults.push(`instance ${place} answered SIGTERM with exit code ${code}`)
    await wait(ofInstances.below(1_500))
    cluster.instanceStarts[place]!.push(Date.now())
    await instance.start()
    note(`instance ${place} is back`)
  }
  const stopPostgres = async (how: 'fast' | 'immediate') => {
    note(`PostgreSQL stops, ${how}`)
    const outage = { from: Date.now(), to: Number.POSITIVE_INFINITY }
    cluster.outages.push(outage)
    await cluster.postgres.stop(how)
    await wait(ofServers.below(2_500))
    await cluster.postgres.start()
    outage.to = Date.now()
    note('PostgreSQL is back')
  }
  const killRedis = async () => {
    note('Redis is killed')
    await cluster.redis.kill()
    await wait(ofServers.below(3_000))
    cluster.redisStarts.push(Date.now())
    await cluster.redis.start()
    note('Redis is back')
  }
  const endConnections = (which: string, condition: string) => async () => {
    note(`${which} are cut`)
    await cluster.rows(`select pg_terminate_backend(pid) from pg_stat_activity where ${condition}`)
  }

  await Promise.all([
    keepDoing(ofInstances, 2_500, [() => endInstance('SIGKILL'), () => endInstance('SIGTERM')]),
    keepDoing(ofServers, 2_500, [
      () => stopPostgres('fast'),
      () => stopPostgres('immediate'),
      killRedis,
      endConnections('listeners', "application_name = 'duet listener'"),
      endConnections(
        'half of all connections',
        "pid <> pg_backend_pid() and pid % 2 = 0 and backend_type = 'client backend'",
      ),
    ]),
  ])
  return { done, faults }
}

function shuffled<T>(all: readonly T[], random: Random): T[] {
  const left = [...all]
  return Array.from(all, () => left.splice(random.below(left.length), 1)[0]!)
}
