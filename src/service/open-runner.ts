// Opens the runner, which carries out calls, with what it needs from authentication and events.

import { createHmac } from 'node:crypto'
import { createAct } from '../action/act.ts'
import type { Runner } from '../action/call.ts'
import type { RunnerContext } from '../action/context.ts'
import type { Cipher } from '../action/encrypted-value.ts'
import { createRunner } from '../action/run.ts'
import { createReadSql } from '../action/sql.ts'
import { createRequireKnownScopes } from '../authentication/api-key/known-scopes.ts'
import type { Authentication } from '../authentication/authentication.ts'
import { installationSecret } from '../authentication/installation-secret.ts'
import { createFaces } from '../program/faces.ts'
import { createRecords, type RecordsFor } from '../program/records.ts'
import { createTokenHandover, type TokenHandover } from '../reaction/token-handover.ts'
import { makeId } from '../resource/model/id.ts'
import { routeScopes } from '../rest/custom-route/access.ts'
import type { OpenContext } from './open-context.ts'
import type { Database } from './open-database.ts'
import type { EventStream } from './open-events.ts'

export interface OpenRunner {
  readonly runner: Runner
  /** What it was made with; reactions write with the same. */
  readonly runnerContext: RunnerContext
  /** How routes and reactions read and write records. */
  readonly recordsFor: RecordsFor
  /** Null where no reaction is handed tokens. */
  readonly handover: TokenHandover | null
}

export async function openRunner(
  context: OpenContext & { readonly cipher: Cipher },
  database: Database,
  authentication: Authentication,
  { outbox, announce }: EventStream,
): Promise<OpenRunner> {
  const { options, model, limits, clock, reactionDefinitions, cipher } = context
  const secret = await installationSecret('idempotency', database.store)
  const handover = cipher === null ? null : createTokenHandover(reactionDefinitions.values(), database.dialect, cipher)
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
    cipher,
    codeFaces: createFaces({ versions: model.versions, dialect: database.dialect, limits, cipher }),
    emit: handover === null ? outbox.emit : emitWith(outbox, handover),
    changed: authentication.changed,
    committed: (change) => {
      authentication.committed(change, clock())
      if (change.events.length > 0) announce()
    },
  }
  const runner = createRunner(runnerContext)
  const recordsFor = createRecords({
    model,
    runner,
    codeFaces: runnerContext.codeFaces,
    act: createAct(runnerContext),
    readSql: createReadSql(runnerContext),
  })
  return { runner, runnerContext, recordsFor, handover }
}

const emitWith = (outbox: EventStream['outbox'], handover: TokenHandover): RunnerContext['emit'] =>
  function* (events, now) {
    yield* outbox.emit(events, now)
    yield* handover.keep(events, now)
  }
