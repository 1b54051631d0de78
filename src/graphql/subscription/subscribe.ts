// The subscription of an operation: its events, authorized, and the results that it receives.

import type { Runner } from '../../action/call.ts'
import { getOrInsert } from '../../cache/get-or-insert.ts'
import { memoize } from '../../cache/memoize.ts'
import type { EventAnswer } from '../../event/event-reader.ts'
import { type Recipient, resumePosition, Subscription, type SubscriptionContext } from '../../event/subscription.ts'
import { Failure } from '../../failure/failure.ts'
import type { Requester } from '../../resource/actor.ts'
import { branchOf } from '../../resource/model/either.ts'
import { entryOf } from '../error.ts'
import type { RootCall } from '../prepare/compile.ts'
import type { PreparedOperation } from '../prepare/prepare.ts'
import { locationsAt } from '../prepare/tree.ts'

export interface SubscribeContext extends SubscriptionContext {
  readonly runner: Runner
}
export interface Listener extends Omit<Recipient, 'deliver'> {
  readonly actor: Requester
  readonly resumeAfter: string | null
  /** Takes the JSON of a result, and the id of its event. */
  readonly send: (payload: string, eventId: string) => void
}

/**
 * A subscription, to be started. Fails with UNAUTHENTICATED, FORBIDDEN, INSUFFICIENT_SCOPE, NOT_FOUND (the record listened to),
 * EVENTS_GONE.
 */
export async function subscribe(
  prepared: PreparedOperation,
  { actor, resumeAfter, send, end, hasRead }: Listener,
  context: SubscribeContext,
): Promise<Subscription> {
  const call = prepared.calls[0] as Extract<RootCall, { is: 'event' }>
  const { event, reading } = call
  const { values, problems } = prepared.args[0]!
  const by = event.by === null ? null : (values[`${event.by.field}Id`] as string)
  const requireForm = () => {
    prepared.wrongLists.get(0)?.refuse(context.runner)
    if (problems.length > 0) throw new Failure('VALIDATION_ERROR', { details: problems })
  }
  await context.runner.listen({ event, actor, by, requireForm })
  const after = resumeAfter === null ? null : await resumePosition(resumeAfter, context)
  const lists = reading.lists.map((list) => prepared.lists[list]!)
  const request = {
    actor,
    listenings: [{ event: event.name, by, root: reading.root, lists }],
    holders: by === null ? [] : [{ holder: branchOf(by, event.by!.branches).target, id: by }],
    after,
  }
  const deliver: Recipient['deliver'] = (answer, { position }) => {
    const eventId = context.resumeIds.ofEvent(position)
    send(payloadOf(call, answer, eventId), eventId)
  }
  return new Subscription(request, { deliver, end, hasRead }, context)
}

/** An answer is printed once per response key, for all subscribers. */
const payloadsOf = memoize((_: EventAnswer) => new Map<string, string>())

function payloadOf({ field }: Extract<RootCall, { is: 'event' }>, answer: EventAnswer, eventId: string): string {
  return getOrInsert(payloadsOf(answer), field.key, () => {
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
