// Opens reactions: they read with every permission, and write as the service itself.

import { outOfTime } from '../budget/deadline.ts'
import type { Reactions } from '../reaction/reactions.ts'
import type { Actor } from '../resource/actor.ts'
import type { Model } from '../resource/model/model.ts'
import { asDefined } from '../resource/model/vocabulary.ts'
import type { OpenContext } from './open-context.ts'
import type { EventStream } from './open-events.ts'
import type { OpenRunner } from './open-runner.ts'

/** Null, and nothing loaded, where there are no reactions. */
export async function startReactions(
  { options, reactionDefinitions: definitions, log, shutdown }: OpenContext,
  { runner, runnerContext }: OpenRunner,
  { outbox, onEvent }: EventStream,
): Promise<Reactions | null> {
  if (definitions.size === 0) return null
  const [{ openReactions }, { withinSight }, { createAct }, { createRecords }] = await Promise.all([
    import('../reaction/reactions.ts'),
    import('../reaction/sight.ts'),
    import('../action/act.ts'),
    import('../program/records.ts'),
  ])
  const { model, store, dialect, clock, limits } = runnerContext
  const recordsFor = createRecords({ model, runner, dialect, limits })
  const reader = serviceActor(model)
  const reactions = await openReactions({
    definitions,
    outbox,
    store,
    dialect,
    recordsFor(eventId, signal) {
      const ended = () => (signal.aborted ? outOfTime : null)
      const deadline = { ended, expired: ended }
      const records = recordsFor({ actor: reader, vocabulary: asDefined, requestId: eventId, deadline })
      return withinSight(records, reader, model)
    },
    act: createAct(runnerContext),
    clock,
    random: options.random ?? Math.random,
    log,
    limits,
  })
  onEvent((event) => reactions.hear(event))
  shutdown.beforeClose(() => reactions.stop())
  return reactions
}

/** Holds every permission and owns nothing. It is no account, and no role can have its name. */
const serviceActor = ({ permissions }: Model): Actor => ({
  id: '',
  role: ' service',
  permissions,
  scopes: null,
  credential: { kind: 'bearer', tokenId: '', sessionId: null, expiresAt: new Date(0) },
})
