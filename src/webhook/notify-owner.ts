// Notifies the owner of a paused webhook by mail: the account, or members of the tenant who may change the webhook. (contract 15.2.7)

import { getOrInsert } from '../cache/get-or-insert.ts'
import { createRuleReader } from '../event/rule-record.ts'
import type { Mail } from '../mail/mailer.ts'
import type { Actor, KeyTenant } from '../resource/actor.ts'
import { quote } from '../store/sql/text/dialect.ts'
import { bind, type Program, query } from '../store/store.ts'
import type { PauseReason } from './resources.ts'
import type { Sending } from './sending.ts'
import type { StoredWebhook } from './webhook-store.ts'

type NotifyDependencies = Pick<Sending, 'model' | 'webhook' | 'store' | 'dialect' | 'send' | 'clock' | 'log' | 'limits'>
/** Members that are looked at, oldest first. */
const membersMax = 500

/** What it returns never rejects. */
export function createNotifyOwner(dependencies: NotifyDependencies) {
  const { store, send, log } = dependencies
  const addressesOf = createAddresses(dependencies)
  return async (webhook: StoredWebhook, reason: PauseReason): Promise<void> => {
    try {
      for (const to of await store.read(addressesOf(webhook))) await send(mailAbout(webhook, reason, to))
    } catch (error) {
      log.error('The owner of a paused webhook could not be notified.', { err: error, webhookId: webhook.id })
    }
  }
}

function createAddresses({ model, webhook: resource, dialect, clock, limits }: NotifyDependencies) {
  const { accounts, roles, byName } = model
  const p = dialect.parameter
  const rules = createRuleReader(dialect, limits.eventActors)
  const active = `u."deleted_at" is null and u.${quote(accounts.status.name)} = ${p(2)}`
  const verified =
    accounts.verified === null
      ? ''
      : ` and u.${quote(accounts.verified.name)}${dialect.engine === 'sqlite' ? ' = 1' : ''}`
  const users = quote(accounts.resource.table)
  const ofAccount = query(
    `select u.${quote(accounts.login.name)} from ${users} u where u."id" = ${p(1)} and ${active}${verified}`,
  )
  const statements = new Map<string, ReturnType<typeof query>>()
  const membersOf = (tenant: string) =>
    getOrInsert(statements, tenant, () => {
      const { list, account } = byName.get(tenant)!.members!
      return query(
        `select u."id", u.${quote(accounts.role.name)}, u.${quote(accounts.login.name)} from ${quote(list.target.table)} m ` +
          `join ${users} u on u."id" = m.${quote(account.name)} and ${active}${verified} ` +
          `where m.${quote(list.by.column.name)} = ${p(1)} and m."deleted_at" is null order by m."created_at", m."id" limit ${membersMax}`,
      )
    })

  function* ofTenant({ id: webhookId }: StoredWebhook, tenant: KeyTenant): Program<readonly string[]> {
    const rows = yield bind(membersOf(tenant.resource), tenant.id, accounts.activeState)
    const allow = resource.actions.get('update')!.allow
    const credential = { kind: 'apiKey', keyId: webhookId } as const
    const members = new Map<Actor, string>()
    for (const [id, role, address] of rows as readonly (readonly string[])[])
      members.set({ id: id!, role: role!, permissions: roles.get(role!)!, scopes: null, credential }, address!)
    const mayUpdate = yield* rules.test({ resource, id: webhookId }, allow, members.keys(), clock())
    const notified = [...members].filter(([actor]) => mayUpdate?.(actor) === true).slice(0, limits.webhookMails)
    return notified.map(([, address]) => address)
  }

  return function* (webhook: StoredWebhook): Program<readonly string[]> {
    const { userId, actor } = webhook
    if (userId !== null)
      return (yield bind(ofAccount, userId, accounts.activeState)).map(([address]) => String(address))
    return actor?.tenant === undefined ? [] : yield* ofTenant(webhook, actor.tenant)
  }
}

function mailAbout({ id, url }: StoredWebhook, reason: PauseReason, to: string): Mail {
  const text = [
    `The webhook ${id}, which sends events to ${new URL(url).origin}, is paused: ${reasons[reason]}.`,
    '',
    'It receives nothing until you resume it. What was waiting is sent then, if it is not older than three days.',
    '',
  ]
  return { to, subject: 'A webhook is paused', text: text.join('\n') }
}
const reasons: Readonly<Record<PauseReason, string>> = {
  gone: 'the receiver answered 410, that it is gone for good',
  failing: 'every attempt of the last three days failed',
  version: 'the version of the API that it names is no longer served',
}
