// Clients that ask more often than they may, and the bound that holds for them whatever happens to Redis.

import { setTimeout as wait } from 'node:timers/promises'
import type { Caller } from './caller.ts'
import { addressLimit, type Cluster } from './cluster.ts'

/** A request that had room: when it was answered, and the end of its window in milliseconds. */
export interface Allowed {
  readonly address: string
  readonly at: number
  readonly resetAt: number
}
export interface Limited {
  readonly allowed: readonly Allowed[]
  readonly refused: number
}

/** Each address asks eight times a second, anywhere. */
export async function askTooOften(
  addresses: readonly string[],
  caller: Caller,
  isOver: () => boolean,
): Promise<Limited> {
  const allowed: Allowed[] = []
  let refused = 0
  await Promise.all(
    addresses.map(async (address) => {
      while (!isOver()) {
        const line = 'GET /api/v2/products/prod_00000000000000000000000000'
        const answer = await caller.ask(line, { address })
        if (answer !== null) {
          caller.require({ answer, doubts: 0 }, line, 404, 429)
          const resetAt = Number(answer.headers['x-ratelimit-reset']) * 1_000
          if (answer.status === 429) refused++
          else allowed.push({ address, at: Date.now(), resetAt })
        }
        await wait(125)
      }
    }),
  )
  return { allowed, refused }
}

const windowMs = 60_000

/**
 * A window is counted in one place: in Redis, from one start of it to the next, or in the memory of an instance that has
 * lost Redis. Each place lets at most the limit through. (docs/scaling.md)
 */
export function faultsOfLimits({ allowed }: Limited, cluster: Cluster): readonly string[] {
  const faults: string[] = []
  for (const [address, all] of Map.groupBy(allowed, (each) => each.address)) {
    for (const [resetAt, counted] of Map.groupBy(all, (each) => each.resetAt)) {
      const places = placesBetween(resetAt - windowMs - 1_000, resetAt, cluster)
      if (counted.length > addressLimit * places)
        faults.push(`${address}: ${counted.length} in the window until ${resetAt}, which ${places} counted`)
    }
    for (const { at } of all) {
      const within = all.filter((each) => each.at >= at && each.at < at + windowMs).length
      // A minute touches two windows of each place.
      const bound = 2 * addressLimit * placesBetween(at - windowMs, at + windowMs, cluster)
      if (within > bound) faults.push(`${address}: ${within} in the minute from ${at}, where ${bound} is the bound`)
    }
  }
  return faults
}

/** How many lives of Redis, and how many of instances that had lost it, there were in this time. */
function placesBetween(from: number, to: number, { redisStarts, instances, instanceStarts }: Cluster): number {
  const alive = redisStarts.filter((start, place) => start <= to && (redisStarts[place + 1] ?? to) >= from)
  const lost = instances.flatMap(({ messages }, place) => {
    const starts = instanceStarts[place]!
    return starts.filter((start, life) => {
      const end = starts[life + 1] ?? Number.POSITIVE_INFINITY
      const lines = messages.filter(({ at }) => at >= start && at < end)
      return outagesIn(lines, end).some((outage) => outage.from <= to && outage.to >= from)
    })
  })
  return alive.length + lost.length
}

type Lines = Cluster['instances'][number]['messages']

/** When this life of an instance said that it was without Redis. A line may be read a little late. */
function outagesIn(lines: Lines, end: number): { readonly from: number; readonly to: number }[] {
  const lateMs = 1_000
  return lines.flatMap(({ at, msg }, place) => {
    if (!msg.startsWith('Redis is lost')) return []
    const back = lines.slice(place).find((each) => each.msg.startsWith('Redis is back'))
    return [{ from: at - lateMs, to: back?.at ?? end }]
  })
}
