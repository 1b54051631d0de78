// Opens everything but the listener: each part needs those before it, and the shutdown closes them in reverse.

import type { ChangeAccount } from '../../authentication/account/change-account.ts'
import type { Authentication } from '../../authentication/authentication.ts'
import type { CreateAccount } from '../../authentication/issuer/provisioning.ts'
import type { Usage } from '../../deprecation/usage.ts'
import type { Explorer } from '../../explorer/explorer.ts'
import type { Reactions } from '../../reaction/reactions.ts'
import type { Model } from '../../resource/model/model.ts'
import type { Store } from '../../store/store.ts'
import type { Clock } from '../../time/open-clock.ts'
import type { Webhooks } from '../../webhook/webhooks.ts'
import { changeAccounts, createAccounts } from '../start/create-accounts.ts'
import type { InProcess } from '../start/in-process.ts'
import { type Admission, openAdmission } from './open-admission.ts'
import { openMailer, openServiceAuthentication } from './open-authentication.ts'
import type { OpenContext } from './open-context.ts'
import { openDataCipher } from './open-data-cipher.ts'
import { type Database, openDatabase } from './open-database.ts'
import { type DemoData, openDemo } from './open-demo.ts'
import { readTrusted } from './open-documents.ts'
import { type OpenEvents, openEvents } from './open-events.ts'
import { openExplorer } from './open-explorer.ts'
import { type Faces, openFaces } from './open-faces.ts'
import { openInProcess } from './open-in-process.ts'
import { type Observation, openObservation } from './open-observation.ts'
import { openRhythms, startClock, startReactions } from './open-reactions.ts'
import { type OpenRunner, openRunner } from './open-runner.ts'
import { openWebhookParts, startWebhooks } from './webhook/open-webhooks.ts'

export interface Parts {
  readonly observation: Observation
  readonly database: Database
  readonly authentication: Authentication
  readonly events: OpenEvents
  readonly runner: OpenRunner
  readonly demo: DemoData
  readonly admission: Admission
  readonly faces: Faces
  readonly explorer: Explorer | null
  readonly reactions: Reactions | null
  readonly webhooks: Webhooks | null
  readonly clock: Clock | null
  readonly inProcess: InProcess
}

/** A service without listener, for commands and tests. */
export interface InnerService extends InProcess, Pick<Parts, 'reactions' | 'webhooks' | 'clock'> {
  readonly model: Model
  readonly store: Store
  readonly isSeeded: boolean
  pages(): Promise<readonly string[]>
  readonly usage: Usage
  /** Resolves when the events of earlier writes were delivered, and no worker looks for tasks. */
  settled(): Promise<void>
}

export async function openParts(context: OpenContext): Promise<Parts> {
  // Before the database, which may be slow to open.
  const trusted = await readTrusted(context.configuration, context.options.trustedDocuments)
  const rhythms = await openRhythms(context)
  const observation = await openObservation(context)
  const database = await openDatabase(context, observation)
  const createAccount = Promise.withResolvers<CreateAccount>()
  const changeAccount = Promise.withResolvers<ChangeAccount>()
  const runners = { createAccount: createAccount.promise, changeAccount: changeAccount.promise }
  const mailer = openMailer(context)
  const cipher = await openDataCipher(context, database)
  const authentication = await openServiceAuthentication({ ...context, cipher }, database, runners, mailer)
  const events = await openEvents(context, database, observation, authentication)
  const webhookParts = await openWebhookParts(context, database, cipher)
  const runner = await openRunner({ ...context, cipher }, database, authentication, events, webhookParts)
  createAccount.resolve(createAccounts(runner.runnerContext, authentication.unusableHash))
  changeAccount.resolve(changeAccounts(runner.runnerContext))
  const demo = await openDemo({ ...context, cipher }, database, authentication)
  const admission = await openAdmission(context)
  const parts = { observation, database, authentication, events, runner, demo, admission }
  const faces = await openFaces(context, { ...parts, trusted })
  const explorer = openExplorer(context, parts)
  const reactions = await startReactions(context, runner, events, observation)
  const { noteUse } = faces
  const webhooks = await startWebhooks(context, webhookParts, { database, events, send: mailer.send, noteUse })
  const clock = await startClock(context, rhythms, runner, observation)
  return {
    ...parts,
    faces,
    explorer,
    reactions,
    webhooks,
    clock,
    inProcess: openInProcess(context, database, runner),
  }
}

export const innerService = (
  { model }: OpenContext,
  { database, demo, reactions, clock, webhooks, faces, events, explorer, inProcess }: Parts,
): InnerService => ({
  ...inProcess,
  model,
  store: database.store,
  isSeeded: demo.isSeeded,
  reactions,
  webhooks,
  clock,
  usage: faces.usage,
  async settled() {
    await events.settled()
    await Promise.all([reactions?.idle(), webhooks?.idle(), clock?.idle()])
  },
  pages: async () => (await explorer?.available()) ?? [],
})
