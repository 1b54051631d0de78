// Counts uses of deprecated parts by client and day, and stores them periodically. (contract 9.4)

import type { Limits } from '../limits.ts'
import type { Log } from '../observation/log.ts'
import { type Actor, actorOf, idOfActor } from '../resource/actor.ts'
import { type Deprecation, dayOf, type NoteUse, removableAfter } from '../resource/deprecation.ts'
import type { ResourceModel } from '../resource/model/model.ts'
import { dialectOf } from '../store/sql/text/dialect.ts'
import type { Store } from '../store/store.ts'
import { createTally, type Tally, type UseCount } from './tally.ts'
import { createUsageStore, type Written } from './usage-store.ts'

/** Counts in memory; `Usage` stores the counts. */
export interface UseCounter {
  /** Called for deprecated parts only; costs some lookups. */
  readonly note: NoteUse
  readonly tally: Tally
}
export interface UseCounterDependencies {
  readonly limits: Pick<Limits, 'usageEntries'>
  readonly clock: () => Date
}
export interface Usage {
  /** Never rejects: what cannot be stored is kept for the next time. */
  flush(): Promise<void>
  /** Stores once for each part that counting has begun. Never rejects. */
  begin(): Promise<void>
  forget(now: Date): Promise<void>
}
export interface UsageDependencies {
  readonly tally: Tally
  readonly resource: ResourceModel
  readonly store: Store
  /** Evaluated when there is something to store. */
  readonly deprecations: () => ReadonlyMap<string, Deprecation>
  readonly limits: Pick<Limits, 'usageDays' | 'quietDays' | 'sweepRows'>
  readonly clock: () => Date
  readonly log: Pick<Log, 'warn'>
}

/** Counts per transaction. */
const chunk = 500

export function createUseCounter({ limits, clock }: UseCounterDependencies): UseCounter {
  const tally = createTally(limits.usageEntries)
  return {
    tally,
    note(uses, actor, clientName) {
      const use = { principal: principalOf(actorOf(actor)), client: readClientName(clientName), day: dayOf(clock()) }
      for (const what of uses) tally.add({ ...use, what })
    },
  }
}

export function createUsage({ tally, resource, store, deprecations, limits, clock, log }: UsageDependencies): Usage {
  const rows = createUsageStore(resource, dialectOf(store.engine))
  let running = Promise.resolve()
  let hasBegun = false

  const written = (counted: UseCount): Written => {
    const deprecation = deprecations().get(counted.what)
    // Unknown here, but known to another version of the service: the day has no meaning then.
    const removableFrom =
      deprecation === undefined ? counted.day : removableAfter(deprecation, counted.day, limits.quietDays)
    return { ...counted, removableFrom }
  }
  async function write(): Promise<void> {
    const counts = [...tally.take()]
    try {
      while (counts.length > 0) {
        const some = counts.slice(0, chunk).map(written)
        await store.write(() => rows.add(some, clock()))
        counts.splice(0, chunk)
      }
    } catch (error) {
      for (const each of counts) tally.add(each, each.count)
      logError(error)
    }
  }
  async function writeBeginnings(): Promise<void> {
    const unused = { principal: 'none', client: 'none', day: dayOf(clock()), count: 0 }
    const beginnings = [...deprecations().keys()].map((what) => written({ ...unused, what }))
    await store.write(() => rows.add(beginnings, clock()))
    hasBegun = true
  }
  const logError = (err: unknown) =>
    log.warn('Uses of what is deprecated could not be written down; they will be, later.', { err })

  return {
    flush() {
      if (tally.size > 0) running = running.then(write)
      return running
    },
    async begin() {
      if (!hasBegun) await writeBeginnings().catch(logError)
    },
    async forget(now) {
      const before = new Date(now.getTime() - limits.usageDays * 86_400_000)
      while (await store.write(() => rows.forget(before, limits.sweepRows)));
    },
  }
}

const principalOf = (actor: Actor | null): string =>
  actor === null ? 'anonymous' : actor.credential.kind === 'apiKey' ? actor.credential.keyId : idOfActor(actor)

/** A client's name, from `X-Client-Name`, or `unknown`: unverified, and therefore bounded. */
export const readClientName = (header: string | readonly string[] | undefined): string =>
  typeof header === 'string' && clientForm.test(header) ? header : 'unknown'
const clientForm = /^[A-Za-z0-9][A-Za-z0-9 ._/@+-]{0,63}$/
