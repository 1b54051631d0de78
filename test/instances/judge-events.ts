// Who must have seen which event, and who must not have.

import { setTimeout as wait } from 'node:timers/promises'
import { createResumeIds } from '../../src/event/resume-id.ts'
import type { Cluster } from './cluster.ts'
import type { Subscriber } from './subscribers.ts'

/** Moments in milliseconds: what was hidden, and who was suspended, when that was answered. */
export interface Turns {
  readonly hiddenPost: string
  readonly hiddenAt: number
  readonly suspendedAt: number
}
interface Happened {
  readonly id: string
  readonly name: string
  readonly record: string
  readonly by: string | null
  readonly at: number
  /** Of a post: `always` public, public `later`, or `never`. */
  readonly public: 'always' | 'later' | 'never'
}
/** Everybody learns of a suspension within a second; the rest is for a machine that has a lot to do. */
const learnMs = 3_000

export async function readEvents({ rows }: Cluster): Promise<readonly Happened[]> {
  const [installation] = await rows<{ epoch: string; secret: string }>(
    `select p.epoch, s.value as secret from duet_event_epoch p cross join duet_secret s where s.name = 'event-ids'`,
  )
  const ids = createResumeIds(installation!.secret, installation!.epoch)
  const events = await rows<Omit<Happened, 'id'> & { readonly transaction: string; readonly number: string }>(
    `select e.transaction::text, e.number::text, e.name, e.record_id as record, e.by_id as by,
       (extract(epoch from e.at) * 1000)::float8 as at,
       case when post.published_at is null then 'never' when post.published_at = post.created_at then 'always' else 'later' end as public
     from duet_event e left join posts post on post.id = case e.name when 'commentAdded' then e.by_id else e.record_id end
     order by e.transaction, e.number`,
  )
  return events.map(({ transaction, number, ...event }) => ({
    ...event,
    id: ids.ofEvent({ transaction: BigInt(transaction), number: BigInt(number) }),
  }))
}

/** Events that this subscriber has still to see: every one since the first that it saw and is entitled to. */
export function missing(subscriber: Subscriber, events: readonly Happened[], turns: Turns): readonly Happened[] {
  const first = events.findIndex(({ id }) => subscriber.seen.has(id))
  return events.slice(first).filter((each) => mustSee(subscriber, each, turns) && !subscriber.seen.has(each.id))
}

/** Resolves when nobody misses anything any more, or after the time that they are given for it. */
export async function untilAllIsSeen(
  subscribers: readonly Subscriber[],
  events: readonly Happened[],
  turns: Turns,
  limitMs: number,
): Promise<void> {
  const giveUpAt = Date.now() + limitMs
  while (subscribers.some((each) => missing(each, events, turns).length > 0) && Date.now() < giveUpAt) await wait(200)
}

export function faultsOfEvents(
  subscribers: readonly Subscriber[],
  events: readonly Happened[],
  turns: Turns,
  cluster: Cluster,
): readonly string[] {
  const byId = new Map(events.map((each) => [each.id, each]))
  return subscribers.flatMap((subscriber, place) => {
    const name = `subscriber ${place} (${subscriber.who}, ${subscriber.event}, ${subscriber.connections} connections)`
    const missed = missing(subscriber, events, turns)
    const unknown = [...subscriber.seen].filter(([id, { recordId }]) => byId.get(id)?.record !== recordId)
    const forbidden = [...subscriber.seen.keys()].filter((id) => mustNotSee(subscriber, byId.get(id), turns, cluster))
    return [
      ...(missed.length > 0 ? [`${name} missed ${missed.length}: ${missed.slice(0, 5).map(({ id }) => id)}`] : []),
      ...unknown.map(([id]) => `${name} saw ${id}, which is no such event`),
      ...forbidden.map((id) => `${name} saw ${JSON.stringify(byId.get(id))}`),
    ]
  })
}

function mustSee({ event, by, who }: Subscriber, happened: Happened, { hiddenPost }: Turns): boolean {
  if (who === 'suspended' || happened.name !== event || happened.by !== by) return false
  if (who === 'editor') return true
  if (by === hiddenPost || happened.record === hiddenPost) return false
  return event !== 'postCreated' || happened.public === 'always'
}

function mustNotSee(
  { event, by, who }: Subscriber,
  happened: Happened | undefined,
  { hiddenPost, hiddenAt, suspendedAt }: Turns,
  { outages }: Cluster,
): boolean {
  if (happened === undefined) return false
  if (happened.name !== event || happened.by !== by) return true
  if (who === 'suspended' && happened.at > knownAt(suspendedAt, outages)) return true
  if (who === 'editor') return false
  // The feed may be behind, so that a subscriber sees what was just before it.
  if (by === hiddenPost || happened.record === hiddenPost) return happened.at > hiddenAt
  return event !== 'commentAdded' && happened.public === 'never'
}

/** By when every instance knows of a suspension: nobody learns anything while the database is away. */
function knownAt(suspendedAt: number, outages: Cluster['outages']): number {
  let at = suspendedAt + learnMs
  for (const { from, to } of outages) if (from <= at && to >= suspendedAt) at = Math.max(at, to + learnMs)
  return at
}
