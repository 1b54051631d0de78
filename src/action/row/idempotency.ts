// Idempotency keys are written in the transaction of their records. (contract 4.7.10)

import { createHash, hash } from 'node:crypto'
import { memoize } from '../../cache/memoize.ts'
import { createDataCipher, type DataCipher } from '../../encryption/data-cipher.ts'
import { Failure } from '../../failure/failure.ts'
import type { RecordAnswer } from '../../read-plan/run.ts'
import { actorIdOf, actorOf, type Caller, codeHashOf, isService } from '../../resource/actor.ts'
import { byKey, insertOf } from '../../store/sql/text/batching.ts'
import type { Dialect } from '../../store/sql/text/dialect.ts'
import { bind, command, type Program, query } from '../../store/store.ts'
import type { Idempotency } from '../call.ts'
import type { RunnerContext } from '../context.ts'
import type { WriteScope } from '../write-scope.ts'
import {
  type Answered,
  type FirstAnswer,
  readFirstAnswer,
  readRecords,
  recordsText,
  type StoredRecords,
} from './stored-answer.ts'

/**
 * `scope` hashes principal, method, path and key; `fingerprint` is an HMAC of the body; `ids` of the records, with version,
 * mask, tally, and how many an upsert created; `answer` is a guest's answer, encrypted.
 */
export const idempotencyTable = {
  added: [{ table: 'duet_idempotency', name: 'answer', type: 'text' }],
  name: 'duet_idempotency',
  key: 'scope',
  moment: 'created_at',
  create: {
    sqlite: [
      'create table if not exists duet_idempotency (scope text primary key, fingerprint text not null, ids text not null, created_at text not null, answer text) without rowid',
      'create index if not exists duet_idempotency_age on duet_idempotency (created_at)',
    ],
    postgres: [
      'create table if not exists duet_idempotency (scope text primary key, fingerprint text not null, ids text not null, created_at timestamptz(3) not null, answer text)',
      'create index if not exists duet_idempotency_age on duet_idempotency (created_at)',
    ],
  },
}

/** Writes of other records change them, too. (contract 13.1.7) */
export function linksIn({ json }: RecordAnswer, lists: readonly string[]): readonly string[] {
  if (lists.length === 0 || json === null) return []
  const record = JSON.parse(json) as Readonly<Record<string, readonly string[] | undefined>>
  return lists.flatMap((list) => record[list] ?? [])
}

export interface KeyUse {
  readonly scope: string
  readonly fingerprint: string
  /**
   * Encrypts the answer to a guest, who may not read the record later. Its key derives from the idempotency key and the body,
   * which are not stored.
   */
  readonly answerCipher: DataCipher | null
}
export interface Replayed extends StoredRecords {
  readonly answer: FirstAnswer | null
}

export function keyUse(
  { key, method, path, body }: Idempotency,
  actor: Caller,
  secrets: RunnerContext['secrets'],
): KeyUse {
  const about = [...principalOf(actor), method, path, key]
  const scope = hash('sha256', JSON.stringify(about), 'base64url')
  const text = canonical(body)
  return { scope, fingerprint: secrets.fingerprint(text), answerCipher: isGuest(actor) ? cipherOf(about, text) : null }
}

const isGuest = (caller: Caller): boolean => actorOf(caller) === null && !isService(caller)

const cipherOf = (about: readonly unknown[], body: string): DataCipher => {
  const key = createHash('sha256')
    .update(JSON.stringify(['duet idempotent answer', ...about, body]))
    .digest()
  return createDataCipher([key])
}

/** An account, or a tenant's key. Another access code is another guest. (contract 10.1.15, 10.2.14) */
function principalOf(caller: Caller): readonly (string | null)[] {
  const actor = actorOf(caller)
  const isOfTenant = actor?.tenant !== undefined && actor.credential.kind === 'apiKey'
  const id = isOfTenant ? actor.credential.keyId : actorIdOf(caller)
  const code = codeHashOf(caller)
  return code === null ? [id] : [id, code]
}

/** JSON with sorted members, so that equal bodies have equal text. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null)
  const members = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1))
  return `{${members.map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`).join(',')}}`
}

const statementsFor = memoize((dialect: Dialect) => {
  const one = dialect.parameter(1)
  const select = 'select fingerprint, ids, created_at, answer'
  const among = `${select}, scope from duet_idempotency where ${dialect.among('scope', one)}`
  return {
    find: query(`${select} from duet_idempotency where scope = ${one}`, byKey(among, 0, dialect)),
    keep: insertOf(
      'insert into duet_idempotency (scope, fingerprint, ids, created_at, answer)',
      ['text', 'text', 'text', 'timestamptz', 'text'],
      dialect,
    ),
    forget: command(`delete from duet_idempotency where scope = ${one}`),
    claim:
      dialect.engine === 'postgres' ? query(`select pg_try_advisory_xact_lock(hashtextextended(${one}, 0))`) : null,
  }
})

/**
 * Null if the key is new or expired. Fails with CONFLICT while another instance uses it, IDEMPOTENCY_KEY_REUSED if it came with
 * another body.
 */
export function* replayed(
  use: KeyUse,
  maxAgeSeconds: number,
  { now, dialect }: Pick<WriteScope, 'now' | 'dialect'>,
): Program<Replayed | null> {
  const { find, forget, claim } = statementsFor(dialect)
  if (claim !== null) {
    const [[isOurs]] = (yield bind(claim, use.scope)) as unknown as [[boolean]]
    if (!isOurs) throw stillRunning()
  }
  const [row] = yield bind(find, use.scope)
  if (row === undefined) return null
  const keptAt = dialect.decode(row[2]!, 'timestamp') as Date
  if (now.getTime() - keptAt.getTime() >= maxAgeSeconds * 1000) {
    yield bind(forget, use.scope)
    return null
  }
  if (row[0] !== use.fingerprint) throw new Failure('IDEMPOTENCY_KEY_REUSED')
  const [, ids, , answer] = row
  return {
    ...readRecords(ids as string),
    answer: answer == null ? null : readFirstAnswer(() => use.answerCipher!.decrypt(answer as string, use.scope)),
  }
}

/** Of records that were not answered, only the ids are stored. */
export const answeredAs = (
  ids: readonly string[],
  records: readonly RecordAnswer[],
  lists: readonly string[],
): readonly Answered[] =>
  ids.map((id, index) => {
    const record = records[index]
    const { version, mask, tally } = record ?? unanswered
    const links = record === undefined || lists.length === 0 ? {} : { links: linksIn(record, lists) }
    return { id, version, mask, ...(tally === undefined ? {} : { tally }), ...links }
  })
const unanswered: Pick<RecordAnswer, 'version' | 'mask' | 'tally'> = { version: 0, mask: 0 }

export function* keepKey(
  use: KeyUse,
  { records, created = 0, answer = null }: Pick<Replayed, 'records'> & Partial<Replayed>,
  { now, dialect }: Pick<WriteScope, 'now' | 'dialect'>,
): Program<void> {
  const { answerCipher } = use
  const isKept = answer !== null && answerCipher !== null
  yield bind(
    statementsFor(dialect).keep,
    use.scope,
    use.fingerprint,
    recordsText({ records, created }),
    dialect.encode(now, 'timestamp'),
    isKept ? answerCipher.encrypt(JSON.stringify(answer), use.scope) : null,
  )
}

export const stillRunning = (): Failure =>
  new Failure('CONFLICT', { message: 'A request with this idempotency key is still running.', retryAfterSeconds: 1 })
