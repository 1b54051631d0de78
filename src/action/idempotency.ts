// Keys that make a POST repeatable: written in the record's own transaction, so that a key and its records are one. (contract 4.7.10)

import { hash } from 'node:crypto'
import { getOrInsert } from '../cache/get-or-insert.ts'
import { Failure } from '../failure/failure.ts'
import type { Mask } from '../read-plan/mask.ts'
import type { RecordAnswer } from '../read-plan/run.ts'
import { type Asker, actorIdOf, actorOf, codeHashOf } from '../resource/actor.ts'
import { byKey, insertOf } from '../store/sql/batching.ts'
import type { Dialect } from '../store/sql/dialect.ts'
import { bind, command, type Program, query, type Statement } from '../store/store.ts'
import type { Idempotency } from './call.ts'
import type { RunnerContext } from './context.ts'
import type { WriteScope } from './write-scope.ts'

/** The table of keys. `scope` is a hash of principal, method, path and key; `fingerprint` an HMAC of the body;
 * `ids` are those of its records, each with its version, its mask and its tally as they were answered. */
export const idempotencyTable = {
  name: 'duet_idempotency',
  key: 'scope',
  moment: 'created_at',
  create: {
    sqlite: [
      'create table if not exists duet_idempotency (scope text primary key, fingerprint text not null, ids text not null, created_at text not null) without rowid',
      'create index if not exists duet_idempotency_age on duet_idempotency (created_at)',
    ],
    postgres: [
      'create table if not exists duet_idempotency (scope text primary key, fingerprint text not null, ids text not null, created_at timestamptz(3) not null)',
      'create index if not exists duet_idempotency_age on duet_idempotency (created_at)',
    ],
  },
}

/** A record that a key made, and what was answered of it. */
export interface Answered extends Pick<RecordAnswer, 'version' | 'mask' | 'tally'> {
  readonly id: string
  /** The ids of what it was linked with, where its answers hold such. */
  readonly links?: readonly string[]
}

/** The ids in these lists of an answer: what a record is linked with changes by writes of others, too. (contract 13.1.7) */
export function linksIn({ json }: RecordAnswer, lists: readonly string[]): readonly string[] {
  if (lists.length === 0 || json === null) return []
  const record = JSON.parse(json) as Readonly<Record<string, readonly string[] | undefined>>
  return lists.flatMap((list) => record[list] ?? [])
}

/** One use of a key. */
export interface KeyUse {
  readonly scope: string
  readonly fingerprint: string
}

export function keyUse(
  { key, method, path, body }: Idempotency,
  actor: Asker,
  secrets: RunnerContext['secrets'],
): KeyUse {
  const scope = hash('sha256', JSON.stringify([...principalOf(actor), method, path, key]), 'base64url')
  return { scope, fingerprint: secrets.fingerprint(canonical(body)) }
}

/** An account, or a key that is none. Who shows another access code is somebody else. (contract 10.1.15, 10.2.14) */
function principalOf(asker: Asker): readonly (string | null)[] {
  const actor = actorOf(asker)
  const isOfTenant = actor?.tenant !== undefined && actor.credential.kind === 'apiKey'
  const id = isOfTenant ? actor.credential.keyId : actorIdOf(asker)
  const code = codeHashOf(asker)
  return code === null ? [id] : [id, code]
}

/** JSON with the members of every object in one order, so that equal bodies have equal text. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null)
  const members = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1))
  return `{${members.map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`).join(',')}}`
}

interface Statements {
  readonly find: Statement
  readonly keep: Statement
  readonly forget: Statement
  readonly claim: Statement | null
}
const statementsByDialect = new WeakMap<Dialect, Statements>()
const statementsFor = (dialect: Dialect): Statements =>
  getOrInsert(statementsByDialect, dialect, () => {
    const one = dialect.parameter(1)
    const select = 'select fingerprint, ids, created_at'
    const among = `${select}, scope from duet_idempotency where ${dialect.among('scope', one)}`
    return {
      find: query(`${select} from duet_idempotency where scope = ${one}`, byKey(among, 0, dialect)),
      keep: insertOf('insert into duet_idempotency (scope, fingerprint, ids, created_at)', 4, dialect),
      forget: command(`delete from duet_idempotency where scope = ${one}`),
      claim:
        dialect.engine === 'postgres' ? query(`select pg_try_advisory_xact_lock(hashtextextended(${one}, 0))`) : null,
    }
  })

/**
 * The records that this key made before; null when it is new or has expired.
 * Fails with CONFLICT while another instance is using it, with IDEMPOTENCY_KEY_REUSED when it came with another body.
 */
export function* replayed(
  use: KeyUse,
  maxAgeSeconds: number,
  { now, dialect }: Pick<WriteScope, 'now' | 'dialect'>,
): Program<readonly Answered[] | null> {
  const { find, forget, claim } = statementsFor(dialect)
  if (claim !== null) {
    const [[isOurs]] = (yield bind(claim, use.scope)) as unknown as [[boolean]]
    if (!isOurs) throw stillRunning()
  }
  const [row] = yield bind(find, use.scope)
  if (row === undefined) return null
  const created = dialect.decode(row[2]!, 'timestamp') as Date
  if (now.getTime() - created.getTime() >= maxAgeSeconds * 1000) {
    yield bind(forget, use.scope)
    return null
  }
  if (row[0] !== use.fingerprint) throw new Failure('IDEMPOTENCY_KEY_REUSED')
  const records = JSON.parse(row[1] as string) as [string, number, Mask, (number | null)?, string[]?][]
  return records.map(([id, version, mask, tally, links]) => ({
    id,
    version,
    mask,
    ...tallyOf({ tally: tally ?? undefined }),
    ...(links === undefined ? {} : { links }),
  }))
}

/** What a key keeps of an answer, whose links stand in these lists; of records that were not answered, only which they are. */
export const answeredAs = (
  ids: readonly string[],
  records: readonly RecordAnswer[],
  lists: readonly string[],
): readonly Answered[] =>
  ids.map((id, index) => {
    const record = records[index]
    const { version, mask, tally } = record ?? unanswered
    const links = record === undefined || lists.length === 0 ? {} : { links: linksIn(record, lists) }
    return { id, version, mask, ...tallyOf({ tally }), ...links }
  })
const unanswered: Pick<RecordAnswer, 'version' | 'mask' | 'tally'> = { version: 0, mask: 0 }
const tallyOf = ({ tally }: { readonly tally: number | undefined }) => (tally === undefined ? {} : { tally })

/** Remembers what this key made. */
export function* keepKey(
  use: KeyUse,
  records: readonly Answered[],
  { now, dialect }: Pick<WriteScope, 'now' | 'dialect'>,
): Program<void> {
  yield bind(
    statementsFor(dialect).keep,
    use.scope,
    use.fingerprint,
    JSON.stringify(
      records.map(({ id, version, mask, tally, links }) => [
        id,
        version,
        mask,
        ...(links === undefined ? (tally === undefined ? [] : [tally]) : [tally ?? null, links]),
      ]),
    ),
    dialect.encode(now, 'timestamp'),
  )
}

export const stillRunning = (): Failure =>
  new Failure('CONFLICT', { message: 'A request with this idempotency key is still running.', retryAfterSeconds: 1 })
