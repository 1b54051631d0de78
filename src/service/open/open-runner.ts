// Opens the runner of calls, with its dependencies from authentication and events.

import { createHmac } from 'node:crypto'
import type { Runner } from '../../action/call.ts'
import { createFaces } from '../../action/code/faces.ts'
import type { Act } from '../../action/code/own-records.ts'
import { createRecords, type RecordsFor } from '../../action/code/records.ts'
import { createReadSql } from '../../action/code/sql.ts'
import type { RunnerContext } from '../../action/context.ts'
import type { Cipher } from '../../action/encrypted-value.ts'
import { createAct } from '../../action/write/act.ts'
import { createRunner } from '../../action/write/run.ts'
import { createRequireKnownScopes } from '../../authentication/api-key/known-scopes.ts'
import type { Authentication } from '../../authentication/authentication.ts'
import { installationSecret } from '../../authentication/installation-secret.ts'
import { routeScopes } from '../../custom-route/access.ts'
import { createTokenHandover, type TokenHandover } from '../../reaction/token-handover.ts'
import { makeId } from '../../resource/model/id.ts'
import type { WebhookParts } from '../../webhook/parts.ts'
import type { OpenContext } from './open-context.ts'
import type { Database } from './open-database.ts'
import type { OpenEvents } from './open-events.ts'
import { withWebhooks } from './webhook/open-webhooks.ts'

export interface OpenRunner {
  readonly runner: Runner
  readonly runnerContext: RunnerContext
  /** For routes and reactions. */
  readonly recordsFor: RecordsFor
  /** For what runs without a caller. */
  readonly act: Act
  readonly handover: TokenHandover | null
}

export async function openRunner(
  context: OpenContext & { readonly cipher: Cipher },
  database: Database,
  authentication: Authentication,
  { outbox, announce }: OpenEvents,
  webhooks: WebhookParts | null,
): Promise<OpenRunner> {
  const { options, model, routes, limits, clock, reactions, cipher } = context
  const secret = await installationSecret('idempotency', database.store)
  const handover = cipher === null ? null : createTokenHandover(reactions.values(), database.dialect, cipher)
  const ownContext: RunnerContext = {
    ...database,
    model,
    limits,
    clock,
    newId: ({ prefix }, now) => (options.newId ?? makeId)(prefix, now),
    secrets: {
      hashPassword: authentication.hashPassword,
      makeToken: authentication.makeToken,
      fingerprint: (text) => createHmac('sha256', secret).update(text).digest('base64url'),
    },
    beforeValidation: authentication.guard,
    afterValidation: createRequireKnownScopes(model, routeScopes(routes)),
    cipher,
    codeFaces: createFaces({ versions: model.versions, dialect: database.dialect, limits, cipher }),
    emit: handover === null ? outbox.emit : emitWith(outbox, handover),
    changed: authentication.changed,
    committed: (change) => {
      authentication.committed(change, clock())
      if (change.events.length > 0) announce()
    },
  }
  const runnerContext = withWebhooks(ownContext, webhooks)
  const runner = createRunner(runnerContext)
  const act = createAct(runnerContext)
  const recordsFor = createRecords({
    model,
    runner,
    codeFaces: runnerContext.codeFaces,
    act,
    readSql: createReadSql(runnerContext),
  })
  return { runner, runnerContext, recordsFor, act, handover }
}

const emitWith = (outbox: OpenEvents['outbox'], handover: TokenHandover): RunnerContext['emit'] =>
  function* (events, now) {
    yield* outbox.emit(events, now)
    yield* handover.keep(events, now)
  }
