// GET event-stream: events of the named kinds as server-sent events. (contract 6.4)

import type { Runner } from '../../action/call.ts'
import { eventPayload, eventRoot } from '../../action/event-payload.ts'
import { getOrInsert } from '../../cache/get-or-insert.ts'
import type { EventAnswer } from '../../event/event-reader.ts'
import type { OutboxEvent } from '../../event/outbox.ts'
import { type EventStreams, lastEventId } from '../../event/stream/event-stream.ts'
import { eventBlock } from '../../event/stream/server-sent-events.ts'
import { resumePosition, Subscription, type SubscriptionContext } from '../../event/subscription.ts'
import { type Detail, Failure } from '../../failure/failure.ts'
import type { Exchange, Reply } from '../../http/message/exchange.ts'
import { readQuery, requireKnown } from '../../http/message/query.ts'
import type { Requester } from '../../resource/actor.ts'
import { type EventModel, eventsOf, type Model } from '../../resource/model/model.ts'
import type { Version } from '../route/version.ts'

export interface EventStreamDependencies {
  readonly model: Model
  readonly runner: Runner
  /** Without them, the address does not exist. */
  readonly events?: { readonly streams: EventStreams; readonly context: SubscriptionContext } | undefined
}

export function eventStreamHandle(
  version: Version,
  { model, runner, events }: EventStreamDependencies,
): (exchange: Exchange, actor: Requester) => Promise<Reply> {
  const byName = new Map(eventsOf(model).map((event) => [event.name, event]))
  const textOf = createTexts(events?.context.resumeIds)
  return async (exchange, actor) => {
    if (events === undefined) throw new Failure('NOT_FOUND')
    const { streams, context } = events
    const reply = await streams.open(exchange, {
      async subscribe(stream) {
        const { chosen, problems } = readRequest(exchange, byName)
        for (const event of chosen) await runner.listen({ event, actor, by: null, requireForm: () => {} })
        if (problems.length > 0) throw new Failure('VALIDATION_ERROR', { details: problems })
        const id = lastEventId(exchange)
        const after = id === null ? null : await resumePosition(id, context)
        const deliver = (answer: EventAnswer, event: OutboxEvent) => stream.send(textOf(answer, event))
        const listenings = chosen.map((event) => {
          const root = eventRoot(event, version.vocabulary)
          return { event: event.name, by: null, root, lists: [] }
        })
        const request = { actor, listenings, holders: [], after }
        const recipient = { deliver, end: () => stream.end(''), hasRead: () => stream.hasRead() }
        return new Subscription(request, recipient, context)
      },
      keepAlive: (id) => eventBlock({ event: 'keep-alive', id, data: '{}' }),
    })
    return { ...reply, headers: { ...reply.headers, ...version.headers(exchange.path) } }
  }
}

/** In one order, so that requests for the same events share their reads. */
function readRequest(
  { query }: Pick<Exchange, 'query'>,
  byName: ReadonlyMap<string, EventModel>,
): { readonly chosen: readonly EventModel[]; readonly problems: readonly Detail[] } {
  const problems: Detail[] = []
  const parameters = readQuery(query, problems, new Set(['events']))
  requireKnown(parameters, (name) => name === 'events', problems)
  const names = parameters.get('events') ?? ''
  if (!parameters.has('events') && problems.length === 0) problems.push({ field: 'events', message: 'Is required.' })
  const chosen = new Map<string, EventModel>()
  for (const name of names === '' ? [] : names.split(',')) {
    const event = byName.get(name)
    if (event === undefined) problems.push({ field: 'events', message: `There is no event ${name}.` })
    else if (chosen.has(name)) problems.push({ field: 'events', message: `Names ${name} twice.` })
    else chosen.set(name, event)
  }
  return { chosen: [...byName.values()].filter(({ name }) => chosen.has(name)), problems }
}

/** An answer is printed once, for all subscribers. */
function createTexts(resumeIds: SubscriptionContext['resumeIds'] | undefined) {
  const texts = new WeakMap<EventAnswer, string>()
  return (answer: EventAnswer, event: OutboxEvent): string =>
    getOrInsert(texts, answer, () => {
      const id = resumeIds!.ofEvent(event.position)
      return eventBlock({ event: event.name, id, data: eventPayload(event, answer) })
    })
}
