// Examines a service's database without changing it.

import { createKeyStorage } from '../../authentication/key/key-storage.ts'
import { keyIdOf } from '../../encryption/data-cipher.ts'
import { createReactionAdmin } from '../../reaction/reaction-admin.ts'
import type { Model } from '../../resource/model/model.ts'
import { runningInstances } from '../../store/migration/instances.ts'
import { isMigrated } from '../../store/migration/migrate.ts'
import { desiredSchema } from '../../store/sql/schema/schema.ts'
import { dialectOf } from '../../store/sql/text/dialect.ts'
import { type Ability, query, rowsOf, type Store } from '../../store/store.ts'
import type { Configuration } from '../configuration/configuration.ts'
import { encryptedValues, unreadable } from '../open/encrypted-values.ts'
import { internalTables } from '../open/open-database.ts'
import { type Finding, problem, warning, well } from './finding.ts'

export interface Examined {
  readonly store: Store
  readonly model: Model
  readonly configuration: Configuration
  readonly now: () => Date
}

/** Beyond this clock difference, tokens and windows are judged wrongly. */
const skewMaxMs = 5_000
const keyAgeMaxDays = 400
const dayMs = 86_400_000

export async function examineDatabase(examined: Examined): Promise<readonly Finding[]> {
  const found: Finding[] = []
  const parts = [
    examineAbility,
    examineSettings,
    examineSchema,
    examineClock,
    examineKeys,
    examineSecrets,
    examineReactions,
    examineWebhooks,
  ]
  for (const examine of parts) found.push(...(await examine(examined)))
  return found
}

const versionOf = {
  sqlite: query('select sqlite_version()'),
  postgres: query(`select current_setting('server_version')`),
}
const troubles: Readonly<Record<Exclude<Ability, 'ok'>, readonly [finding: string, remedy: string]>> = {
  'read-only': ['The database takes no writes.', 'Make it writable, or name the server that takes writes.'],
  full: ['The database has no room left.', 'Make room.'],
  gone: ['The database is not the file that it was.', 'Put it back, and restart.'],
  damaged: ['The database is damaged.', 'Restore a backup.'],
}

async function examineAbility({ store }: Examined): Promise<readonly Finding[]> {
  const [row] = await store.read(rowsOf(versionOf[store.engine]))
  const name = `${store.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'} ${String(row![0])}`
  const ability = await store.ping()
  if (ability === 'ok') return [well('database', `${name} answers${await instancesOf(store)}.`)]
  return [problem('database', ...troubles[ability])]
}

async function instancesOf(store: Store): Promise<string> {
  if (store.engine === 'sqlite') return ''
  const count = await store.read(runningInstances(store.engine))
  return `, and ${count} ${count === 1 ? 'instance runs' : 'instances run'}`
}

const askSettings = query(`select current_setting('synchronous_commit'), current_setting('session_replication_role')`)
/** Settings of a database or a role under which less is promised, and which a service may not want to change. */
async function examineSettings({ store }: Examined): Promise<readonly Finding[]> {
  if (store.engine === 'sqlite') return []
  const [row] = await store.read(rowsOf(askSettings))
  const [commit, replication] = row!.map(String)
  const found: Finding[] = []
  if (commit === 'off') {
    const sentence = 'synchronous_commit is off: if the server crashes, acknowledged writes can be lost.'
    found.push(warning('settings', sentence, 'Set it to on for this database and role, unless that is acceptable.'))
  }
  if (replication !== 'origin') {
    const sentence = `session_replication_role is ${replication}: PostgreSQL tests no references between records.`
    found.push(problem('settings', sentence, 'Reset it for this database and role.'))
  }
  return found.length > 0 ? found : [well('settings', 'The database keeps what it confirms, and tests references.')]
}

async function examineSchema({ store, model }: Examined): Promise<readonly Finding[]> {
  const desired = desiredSchema(model, dialectOf(store.engine), internalTables(model))
  if (await store.read(isMigrated(desired))) return [well('schema', 'The tables are those of the definitions.')]
  const sentence = 'The definitions have changed since an instance has started: the next start changes the tables.'
  return [warning('schema', sentence, 'duet migrate plan prints how, and what older instances notice.')]
}

const askTime = query(`select extract(epoch from clock_timestamp()) * 1000`)
async function examineClock({ store, now }: Examined): Promise<readonly Finding[]> {
  if (store.engine === 'sqlite') return []
  const [row] = await store.read(rowsOf(askTime))
  const skewMs = Math.round(now().getTime() - Number(row![0]))
  const seconds = Math.abs(skewMs / 1000).toFixed(1)
  if (Math.abs(skewMs) <= skewMaxMs) return [well('clock', `The clocks of here and of the database agree.`)]
  const sentence = `The clock of this machine is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} the database's.`
  return [problem('clock', sentence, 'Let both follow NTP: tokens would be refused before they end, or begin.')]
}

async function examineKeys({ store, configuration, now }: Examined): Promise<readonly Finding[]> {
  if (configuration.jwtAlgorithm === 'HS256') return []
  const keys = (await createKeyStorage(store).load()).filter(
    ({ algorithm }) => algorithm === configuration.jwtAlgorithm,
  )
  const newest = keys.at(-1)
  if (newest === undefined)
    return [warning('keys', 'There is no key that signs tokens yet.', 'The first start makes one.')]
  const days = Math.floor((now().getTime() - newest.publishedAt.getTime()) / dayMs)
  const sentence = `The newest key that signs tokens, ${newest.kid}, was published ${days} days ago.`
  return days <= keyAgeMaxDays
    ? [well('keys', sentence)]
    : [warning('keys', sentence, 'Make a new one: duet keys rotate.')]
}

async function examineSecrets({ store, model, configuration }: Examined): Promise<readonly Finding[]> {
  const isEncrypted = [...model.resources, ...model.unlisted].some(({ columns }) =>
    columns.some((each) => each.encrypted),
  )
  if (!isEncrypted || configuration.dataKeys === null) return []
  const [current, ...former] = configuration.dataKeys.map(keyIdOf)
  const found = (await encryptedValues(store, model)).map((values) => {
    const { what, keyId } = values
    if (keyId === current) return well('secrets', `${what} can be read, by the first key of DATA_KEY.`)
    if (!former.includes(keyId)) return problem('secrets', unreadable(values), 'Put it behind the first.')
    const sentence = `${what} can be read, by a later key of DATA_KEY, which has to stay until duet keys reencrypt has run.`
    return well('secrets', sentence)
  })
  return found.length === 0 ? [well('secrets', 'Nothing is encrypted yet.')] : found
}

/** Nothing without webhooks. */
async function examineWebhooks({ store, model }: Examined): Promise<readonly Finding[]> {
  if (model.byName.get('Webhook')?.isCredential !== true) return []
  const counts = query(
    "select count(*), (select count(*) from webhooks where status = 'paused' and paused_reason is not null and deleted_at is null) " +
      'from duet_webhook_message where due_at is not null',
  )
  const [[waiting, paused] = []] = await store.read(rowsOf(counts))
  const sentence = `${Number(waiting)} messages to webhooks are waiting, ${Number(paused)} webhooks are paused.`
  return [
    Number(paused) === 0
      ? well('webhooks', sentence)
      : warning('webhooks', sentence, 'Their owners are notified, and resume them.'),
  ]
}

async function examineReactions({ store }: Examined): Promise<readonly Finding[]> {
  const states = await store.read(createReactionAdmin(dialectOf(store.engine)).states())
  return states.map(({ name, waiting, deadLetters }) =>
    deadLetters === 0
      ? well('reactions', `${name}: ${waiting} waiting, none given up.`)
      : warning(
          'reactions',
          `${name}: ${waiting} waiting, ${deadLetters} given up.`,
          'duet reactions shows why, and tries them again.',
        ),
  )
}
