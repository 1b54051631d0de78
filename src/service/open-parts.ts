// Opens everything of a service but its door: each part needs those above it, and the shutdown closes them in reverse.

import type { Authentication } from '../authentication/authentication.ts'
import type { CreateAccount } from '../authentication/issuer/provisioning.ts'
import type { Usage } from '../deprecation/usage.ts'
import type { Explorer } from '../explorer/explorer.ts'
import type { Reactions } from '../reaction/reactions.ts'
import type { Model } from '../resource/model/model.ts'
import type { Store } from '../store/store.ts'
import { createAccounts } from './create-accounts.ts'
import { type Admission, openAdmission } from './open-admission.ts'
import { openServiceAuthentication } from './open-authentication.ts'
import type { OpenContext } from './open-context.ts'
import { openDataCipher } from './open-data-cipher.ts'
import { type Database, openDatabase } from './open-database.ts'
import { type DemoData, openDemo } from './open-demo.ts'
import { type EventStream, openEvents } from './open-events.ts'
import { openExplorer } from './open-explorer.ts'
import { type Faces, openFaces } from './open-faces.ts'
import { type Observation, openObservation } from './open-observation.ts'
import { startReactions } from './open-reactions.ts'
import { type OpenRunner, openRunner } from './open-runner.ts'

export interface Parts {
  readonly observation: Observation
  readonly database: Database
  readonly authentication: Authentication
  readonly events: EventStream
  readonly runner: OpenRunner
  readonly demo: DemoData
  readonly admission: Admission
  readonly faces: Faces
  readonly usage: Usage
  readonly explorer: Explorer | null
  readonly reactions: Reactions | null
}

/** A service without its door, as commands and tests look into it. */
export interface InnerService {
  readonly model: Model
  readonly store: Store
  /** True where this start filled an empty database. */
  readonly isSeeded: boolean
  /** The paths of the pages for developers that a browser can open. */
  pages(): Promise<readonly string[]>
  /** Null where there are none. */
  readonly reactions: Reactions | null
  /** Counts of who uses what is deprecated. */
  readonly usage: Usage
  /** Resolves once the events of earlier writes were read and handed on. */
  settled(): Promise<void>
}

export async function openParts(context: OpenContext): Promise<Parts> {
  const observation = await openObservation(context)
  const database = await openDatabase(context, observation)
  const createAccount = Promise.withResolvers<CreateAccount>()
  const authentication = await openServiceAuthentication(context, database, createAccount.promise)
  const events = await openEvents(context, database, observation)
  const cipher = openDataCipher(context)
  const runner = await openRunner({ ...context, cipher }, database, authentication, events)
  createAccount.resolve(createAccounts(runner.runnerContext))
  const demo = await openDemo({ ...context, cipher }, database, authentication)
  const admission = await openAdmission(context)
  const parts = { observation, database, authentication, events, runner, demo, admission }
  const faces = await openFaces(context, parts)
  const explorer = openExplorer(context, parts)
  const reactions = await startReactions(context, runner, events)
  return { ...parts, faces, usage: faces.usage, explorer, reactions }
}

export const innerService = (
  { model }: OpenContext,
  { database, demo, reactions, usage, events, explorer }: Parts,
): InnerService => ({
  model,
  store: database.store,
  isSeeded: demo.isSeeded,
  reactions,
  usage,
  settled: events.settled,
  pages: async () => (await explorer?.available()) ?? [],
})
