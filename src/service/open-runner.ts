// Opens the runner, which carries out calls, with what it needs from authentication and events.

import { createHmac } from 'node:crypto'
import type { Runner } from '../action/call.ts'
import type { RunnerContext } from '../action/context.ts'
import { createRunner } from '../action/run.ts'
import { createRequireKnownScopes } from '../authentication/api-key/known-scopes.ts'
import type { Authentication } from '../authentication/authentication.ts'
import { installationSecret } from '../authentication/installation-secret.ts'
import { makeId } from '../resource/model/id.ts'
import { routeScopes } from '../rest/custom-route/access.ts'
import type { OpenContext } from './open-context.ts'
import type { Database } from './open-database.ts'
import type { EventStream } from './open-events.ts'

export interface OpenRunner {
  readonly runner: Runner
  /** What it was made with; reactions write with the same. */
  readonly runnerContext: RunnerContext
}

export async function openRunner(
  { options, model, limits, clock }: OpenContext,
  database: Database,
  authentication: Authentication,
  { outbox, announce }: EventStream,
): Promise<OpenRunner> {
  const secret = await installationSecret('idempotency', database.store)
  const runnerContext: RunnerContext = {
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
    afterValidation: createRequireKnownScopes(model, routeScopes(options.routes ?? [])),
    emit: outbox.emit,
    changed: authentication.changed,
    committed: (change) => {
      authentication.committed(change, clock())
      if (change.events.length > 0) announce()
    },
  }
  return { runner: createRunner(runnerContext), runnerContext }
}
