// Finds or creates the account for the verified claims of an outside issuer. (contract 5.6.6)

import { getOrInsert } from '../../cache/get-or-insert.ts'
import { Failure } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import type { Log } from '../../observation/log.ts'
import type { Model } from '../../resource/model/model.ts'
import type { Program, Store } from '../../store/store.ts'
import type { SecurityEvent, SecurityEvents } from '../account/security-events.ts'
import { type Members, refuseToken } from '../token/signed-text.ts'
import type { OutsideAccount, OutsideAccountStore, OutsidePerson } from './outside-account-store.ts'
import type { ActorFromClaims, ProvisionDefinition } from './provision.ts'

/** As the service; `last` is part of the transaction. Returns the id. Fails as `create`. */
export type CreateAccount = (
  values: Readonly<Record<string, unknown>>,
  last: (id: string, now: Date) => Program<void>,
) => Promise<string>

export interface ProvisioningDependencies {
  readonly store: Store
  readonly links: OutsideAccountStore
  readonly events: SecurityEvents
  /** Resolves when the runner exists. */
  readonly createAccount: Promise<CreateAccount>
  readonly model: Pick<Model, 'accounts'>
  readonly log: Pick<Log, 'warn'>
  readonly limits: Pick<Limits, 'provisionsPerMinute'>
}
export interface RequestOrigin {
  readonly address: string
  readonly requestId: string
}
/** Fails with INVALID_TOKEN, FORBIDDEN or SERVICE_UNAVAILABLE. */
export type FindAccount = (
  person: OutsidePerson,
  claims: Members,
  now: Date,
  origin: RequestOrigin,
) => Promise<{ readonly id: string; readonly role: string }>

export function createFindAccount(
  definition: ProvisionDefinition,
  dependencies: ProvisioningDependencies,
): FindAccount {
  const { store, links, events, createAccount, model, log, limits } = dependencies
  const running = new Map<string, Promise<OutsideAccount>>()

  async function requireRate({ issuer }: OutsidePerson, now: Date): Promise<void> {
    const { provisionsPerMinute } = limits
    const count = await store.read(links.countAfter(issuer, new Date(now.getTime() - 60_000), provisionsPerMinute))
    if (count < provisionsPerMinute) return
    log.warn('An outside issuer has had as many accounts made in a minute as it may.', { issuer })
    throw new Failure('SERVICE_UNAVAILABLE', { retryAfterSeconds: 60 })
  }

  async function make(
    person: OutsidePerson,
    values: Readonly<Record<string, unknown>>,
    { address: ip, requestId }: RequestOrigin,
  ): Promise<OutsideAccount> {
    const eventOf = (userId: string): SecurityEvent => ({
      type: 'account_provisioned',
      userId,
      origin: { ip, requestId, userAgent: '' },
      details: { ...person },
    })
    const create = await createAccount
    try {
      const id = await create(values, function* (userId, at) {
        yield* links.add(person, userId, at)
        yield* events.record(eventOf(userId), at)
      })
      events.log(eventOf(id))
    } catch (error) {
      const account = await store.read(links.find(person))
      if (account !== null) return account
      throw refusalOf(error, person, log)
    }
    return (await store.read(links.find(person)))!
  }

  async function provision(person: OutsidePerson, claims: Members, now: Date, origin: RequestOrigin) {
    const values = definition.account(claims)
    if (values === null) refuseToken('it is for no account here')
    requireRole(values[model.accounts.role.field], definition, person)
    await requireRate(person, now)
    return make(person, values, origin)
  }

  return async (person, claims, now, origin) => {
    const existing = await store.read(links.find(person))
    // Concurrent requests share one creation; those of other instances conflict in the database.
    const key = JSON.stringify([person.issuer, person.subject])
    const start = () => provision(person, claims, now, origin).finally(() => running.delete(key))
    const { id, role } = existing ?? (await getOrInsert(running, key, start))
    if (role === null) refuseToken('its bearer is not let in')
    return { id, role }
  }
}

function requireRole(role: unknown, { roles = [] }: ProvisionDefinition, { issuer }: OutsidePerson): void {
  if (role === undefined || roles.includes(role as string)) return
  throw new Error(`What provision makes of claims of ${issuer} gives a role that its roles do not list.`)
}

/** Only the log gets the reason, never a value. */
function refusalOf(error: unknown, { issuer }: OutsidePerson, log: Pick<Log, 'warn'>): unknown {
  if (!(error instanceof Failure) || error.status >= 500) return error
  if (error.code === 'VALIDATION_ERROR') {
    const problems = (error.details ?? []).map(({ field, message }) => `${field}: ${message}`).join(' ')
    return new Error(`What provision makes of claims of ${issuer} does not fit the account: ${problems}`)
  }
  const isTaken = error.code === 'CONFLICT'
  const fields = (error.details ?? []).map(({ field }) => field)
  const reason = isTaken ? `another account has this ${fields.join(', ')}, and none is ever taken over` : error.message
  log.warn('No account was made for a person of an outside issuer.', { event: 'provision_refused', issuer, reason })
  return new Failure('FORBIDDEN', { message: isTaken ? noAccount : error.message, cause: error })
}
const noAccount = 'No account can be made here for the bearer of this token.'

/** For an issuer that creates no accounts: finds only persons who were linked. */
export const linkedAccount =
  ({ store, links }: Pick<ProvisioningDependencies, 'store' | 'links'>): FindAccount =>
  async (person) => {
    const { id, role } = (await store.read(links.find(person))) ?? { id: '', role: null }
    if (role === null) refuseToken('it is for no account here')
    return { id, role }
  }

/** `admits`: whether the account may act. */
export const claimedAccount =
  (actorFrom: ActorFromClaims, admits: (accountId: string) => Promise<boolean>): FindAccount =>
  async (_person, claims) => {
    const actor = actorFrom(claims)
    if (actor === null) refuseToken('it is for no account here')
    if (!(await admits(actor.id))) refuseToken('its bearer is not let in')
    return actor
  }
