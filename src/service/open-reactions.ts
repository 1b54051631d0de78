// Puts reactions together with what they may do: read as somebody who holds every permission, change as the service.

import type { Runner } from '../action/call.ts'
import type { RunnerContext } from '../action/context.ts'
import { outOfTime } from '../budget/deadline.ts'
import type { Outbox } from '../event/outbox.ts'
import type { Log } from '../observation/log.ts'
import type { ReactionDefinition } from '../reaction/definition.ts'
import type { Reactions } from '../reaction/reactions.ts'
import type { Actor } from '../resource/actor.ts'
import type { Model } from '../resource/model/model.ts'

export interface ReactionsStart {
  readonly context: RunnerContext
  readonly runner: Runner
  readonly outbox: Outbox
  readonly log: Log
  readonly random: () => number
}

/** Null, and nothing loaded, where there are no reactions. */
export async function startReactions(
  definitions: ReadonlyMap<string, ReactionDefinition>,
  { context, runner, outbox, log, random }: ReactionsStart,
): Promise<Reactions | null> {
  if (definitions.size === 0) return null
  const [{ openReactions }, { withinSight }, { createAct }, { createRoots }, { createRecords, unversioned }] =
    await Promise.all([
      import('../reaction/reactions.ts'),
      import('../reaction/sight.ts'),
      import('../action/act.ts'),
      import('../rest/parsed-queries.ts'),
      import('../rest/custom-route/records.ts'),
    ])
  const { model, store, dialect, clock, limits } = context
  const recordsFor = createRecords({ model, runner, dialect, limits, roots: createRoots(limits) })
  const reader = ownerOfNothing(model)
  return openReactions({
    definitions,
    outbox,
    store,
    dialect,
    recordsFor(eventId, signal) {
      const ended = () => (signal.aborted ? outOfTime : null)
      const records = recordsFor(reader, unversioned, { requestId: eventId, ended, expired: ended })
      return withinSight(records, reader, model)
    },
    act: createAct(context),
    clock,
    random,
    log,
    limits,
  })
}

/** No account: it holds every permission, and nothing is its own. No role has its name. */
const ownerOfNothing = ({ permissions }: Model): Actor => ({
  id: '',
  role: ' service',
  permissions,
  scopes: null,
  credential: { kind: 'bearer', tokenId: '', sessionId: null, expiresAt: new Date(0) },
})
