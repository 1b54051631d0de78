// Security events for auditors: stored in the transaction in which they occur, then logged. They contain no secrets.

import type { Log } from '../../observation/log.ts'
import { makeId } from '../../resource/model/id.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import { type Dialect, quote } from '../../store/sql/text/dialect.ts'
import { bind, command, type Program } from '../../store/store.ts'

export interface Origin {
  readonly ip: string
  readonly userAgent: string
  readonly requestId: string
}
export interface SecurityEvent {
  readonly type: keyof typeof sentences
  readonly userId: string
  readonly origin: Origin
  readonly details: Readonly<Record<string, string>>
}

export interface SecurityEvents {
  /** Runs in the transaction that detects the event. */
  record(event: SecurityEvent, now: Date): Program<void>
  /** To be called after the commit. */
  log(event: SecurityEvent): void
}

export function createSecurityEvents(
  resource: ResourceModel,
  dialect: Dialect,
  log: Pick<Log, 'warn'>,
): SecurityEvents {
  const names = ['id', 'type', 'user_id', 'ip', 'request_id', 'details', 'created_at', 'updated_at']
  const values = names.map((_, index) => dialect.parameter(index + 1))
  const insert = command(
    `insert into ${quote(resource.table)} (${names.map(quote).join(', ')}) values (${values.join(', ')})`,
  )
  return {
    *record({ type, userId, origin: { ip, requestId }, details }, now) {
      const at = dialect.encode(now, 'timestamp')
      yield bind(insert, makeId(resource.prefix, now), type, userId, ip, requestId, JSON.stringify(details), at, at)
    },
    log({ type, userId, origin: { ip, requestId }, details }) {
      log.warn(sentences[type], { event: type, userId, ip, requestId, ...details })
    },
  }
}

const sentences = {
  refresh_token_reused: 'A refresh token was shown again after it had been used.',
  role_granted: 'An account was given a role by the command.',
  account_provisioned: 'An account was made for a person of an outside issuer.',
  password_reset: 'A password was reset, and every session of its user ended.',
  address_verified: 'The address of an account was proved.',
  address_changed: 'An account got another address, which was proved.',
  account_reset:
    'A mailed token alone proved an address: the password, sessions and API keys of the account were removed.',
  method_added: 'A sign-in method was added, and every other session of its user ended.',
  method_removed: 'A sign-in method was removed, and every other session of its user ended.',
  counter_decreased: 'A passkey was used whose counter is not ahead of its last use: there may be a copy of it.',
  recovery_code_used: 'A recovery code was used as the second factor.',
  second_factor_blocked:
    'Codes of an authenticator app were wrong too often: for the rest of an hour none is accepted.',
  password_changed: 'A password was changed, and every other session of its user ended.',
}
