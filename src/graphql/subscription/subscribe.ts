// One subscription, from now on or from the client's last event. (contract 6.3.1)

import type { Runner } from '../../action/call.ts'
import { getOrInsert } from '../../cache/get-or-insert.ts'
import type { EventAnswer } from '../../event/event-reader.ts'
import type { Feed } from '../../event/feed.ts'
import type { HolderWatch } from '../../event/holder-watch.ts'
import type { Hub, Subscriber } from '../../event/hub.ts'
import { isBeyond, type Outbox, type OutboxEvent, type Position } from '../../event/outbox.ts'
import type { ResumeIds } from '../../event/resume-id.ts'
import { Failure } from '../../failure/failure.ts'
import type { Requester } from '../../resource/actor.ts'
import { entryOf } from '../error.ts'
import type { RootCall } from '../prepare/compile.ts'
import { locationsAt } from '../prepare/location.ts'
import type { PreparedOperation } from '../prepare/prepare.ts'

export interface SubscribeContext {
  readonly runner: Runner
  readonly hub: Hub
  readonly holders: HolderWatch
  readonly outbox: Outbox
  readonly resumeIds: ResumeIds
  readonly feed: Pick<Feed, 'position' | 'deliveryPosition'>
  readonly limits: { readonly eventBatch: number }
}
/** `send` takes the JSON of a result. */
export interface Listener {
  readonly actor: Requester
  readonly resumeAfter: string | null
  readonly send: (payload: string) => void
  /** The record listened to is no longer readable. (contract 6.1.5) */
  readonly end: (failure: Failure) => void
  /** Resolves in a later turn, when most of what was sent is read; false once the subscription has ended. */
  readonly hasRead: () => Promise<boolean>
}

/**
 * Starts a subscription; returns a function that ends it. Fails with UNAUTHENTICATED, FORBIDDEN, INSUFFICIENT_SCOPE, NOT_FOUND (the
 * record listened to), EVENTS_GONE.
 */
export async function subscribe(
  prepared: PreparedOperation,
  listener: Listener,
  context: SubscribeContext,
): Promise<() => void> {
  const call = prepared.calls[0] as Extract<RootCall, { is: 'event' }>
  const { event, reading } = call
  const { actor, resumeAfter, send, end, hasRead } = listener
  const { values, problems } = prepared.args[0]!
  const by = event.by === null ? null : (values[`${event.by.field}Id`] as string)
  const requireForm = () => {
    prepared.wrongLists.get(0)?.refuse(context.runner)
    if (problems.length > 0) throw new Failure('VALIDATION_ERROR', { details: problems })
  }
  await context.runner.listen({ event, actor, by, requireForm })
  const after = resumeAfter === null ? null : await positionOf(resumeAfter, context)

  const { hub, holders, feed, resumeIds } = context
  const subscriber = {
    event: event.name,
    by,
    actor,
    root: reading.root,
    lists: reading.lists.map((list) => prepared.lists[list]!),
    deliver: (answer: EventAnswer, { position }: OutboxEvent) =>
      send(payloadOf(call, answer, resumeIds.ofEvent(position))),
  }
  let position = after ?? feed.position
  // No await between the last check and the first delivery, so that no event is missed.
  while (isBeyond(feed.position, position)) {
    const caughtUp = await catchUp({ ...subscriber, after: position }, hasRead, context)
    if (caughtUp === null) return () => {}
    position = caughtUp
  }
  const leave = hub.add({ ...subscriber, after: position })
  if (by === null) return leave
  const release = holders.add({ holder: event.by!.target, id: by, actor, end })
  return () => {
    leave()
    release()
  }
}

async function positionOf(id: string, { resumeIds, outbox }: SubscribeContext): Promise<Position> {
  const position = resumeIds.read(id)
  // An invalid id is answered like an old one, to reveal nothing. (contract 6.3.4)
  if (position === null || (await outbox.isForgotten(position))) throw new Failure('EVENTS_GONE')
  return position
}

/** Delivers past events as fast as they are read; returns the last position, or null once the subscription has ended. */
async function catchUp(
  subscriber: Subscriber,
  hasRead: Listener['hasRead'],
  { hub, outbox, feed, limits }: SubscribeContext,
): Promise<Position | null> {
  const end = feed.position
  let position = subscriber.after
  while (isBeyond(end, position)) {
    const events = (await outbox.after(position, limits.eventBatch)).filter((each) => !isBeyond(each.position, end))
    if (events.length === 0) return end
    for (const happened of events) {
      await hub.deliverTo(subscriber, happened)
      if (!(await hasRead())) return null
    }
    position = events.at(-1)!.position
  }
  return position
}

/** An answer is printed once per response key, for all subscribers. */
const payloads = new WeakMap<EventAnswer, Map<string, string>>()

function payloadOf({ field }: Extract<RootCall, { is: 'event' }>, answer: EventAnswer, eventId: string): string {
  const byKey = getOrInsert(payloads, answer, () => new Map<string, string>())
  return getOrInsert(byKey, field.key, () => {
    const extensions = `"extensions":{"eventId":"${eventId}"}`
    if (answer.refusal !== undefined) return `{"errors":${JSON.stringify([entryOf(answer.refusal)])},${extensions}}`
    const data = answer.json === null ? 'null' : `{${JSON.stringify(field.key)}:${answer.json}}`
    const errors = answer.errors.map(({ code, path }) =>
      entryOf(new Failure(code), { ...locationsAt(field, path), path: [field.key, ...path] }),
    )
    return errors.length === 0
      ? `{"data":${data},${extensions}}`
      : `{"errors":${JSON.stringify(errors)},"data":${data},${extensions}}`
  })
}
