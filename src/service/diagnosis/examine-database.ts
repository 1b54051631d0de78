// What can be said of a service's database by looking at it. Nothing is changed.

import { createKeyStorage } from '../../authentication/key/key-storage.ts'
import { keyIdChars, keyIdOf } from '../../encryption/data-cipher.ts'
import { createReactionAdmin } from '../../reaction/reaction-admin.ts'
import type { Model } from '../../resource/model/model.ts'
import { isMigrated } from '../../store/migration/migrate.ts'
import { dialectOf, quote } from '../../store/sql/dialect.ts'
import { desiredSchema } from '../../store/sql/schema.ts'
import { type Ability, query, rowsOf, type Store } from '../../store/store.ts'
import type { Configuration } from '../configuration.ts'
import { internalTables } from '../open-database.ts'
import { type Finding, problem, warning, well } from './finding.ts'

export interface Examined {
  readonly store: Store
  readonly model: Model
  readonly configuration: Configuration
  readonly now: () => Date
}

/** So far may the clock of this machine be from the database's before tokens and windows are judged wrongly. */
const skewMaxMs = 5_000
/** The age at which a key that signs is worth a word. */
const keyAgeMaxDays = 400
const dayMs = 86_400_000

/** Fails as the store does where the database is lost meanwhile. */
export async function examineDatabase(examined: Examined): Promise<readonly Finding[]> {
  const found: Finding[] = []
  for (const examine of [examineAbility, examineSchema, examineClock, examineKeys, examineSecrets, examineReactions])
    found.push(...(await examine(examined)))
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

// Each instance listens on a connection of its own.
const countInstances = query(
  `select count(*) from pg_stat_activity where datname = current_database() and application_name = 'duet listener'`,
)
async function instancesOf(store: Store): Promise<string> {
  if (store.engine === 'sqlite') return ''
  const [row] = await store.read(rowsOf(countInstances))
  const count = Number(row![0])
  return `, and ${count} ${count === 1 ? 'instance listens' : 'instances listen'} to it`
}

async function examineSchema({ store, model }: Examined): Promise<readonly Finding[]> {
  const desired = desiredSchema(model, dialectOf(store.engine), internalTables)
  if (await store.read(isMigrated(desired))) return [well('schema', 'The tables are those of the definitions.')]
  const says = 'The definitions have changed since an instance has started: the next start changes the tables.'
  return [warning('schema', says, 'Start an instance; docs/operating.md says which changes go beside older ones.')]
}

const askTime = query(`select extract(epoch from clock_timestamp()) * 1000`)
async function examineClock({ store, now }: Examined): Promise<readonly Finding[]> {
  if (store.engine === 'sqlite') return []
  const [row] = await store.read(rowsOf(askTime))
  const skewMs = Math.round(now().getTime() - Number(row![0]))
  const seconds = Math.abs(skewMs / 1000).toFixed(1)
  if (Math.abs(skewMs) <= skewMaxMs) return [well('clock', `The clocks of here and of the database agree.`)]
  const says = `The clock of this machine is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} the database's.`
  return [problem('clock', says, 'Let both follow NTP: tokens would be refused before they end, or begin.')]
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
  const says = `The newest key that signs tokens, ${newest.kid}, was published ${days} days ago.`
  return days <= keyAgeMaxDays ? [well('keys', says)] : [warning('keys', says, 'Make a new one: duet keys rotate.')]
}

/** With which keys stored secrets are encrypted: each begins with the id of its own. */
async function examineSecrets({ store, model, configuration }: Examined): Promise<readonly Finding[]> {
  const columns = [...model.resources, ...model.unlisted].flatMap(({ name, table, columns: all }) =>
    all
      .filter(({ encrypted }) => encrypted)
      .map(({ field, name: column }) => ({ what: `${name}.${field}`, table, column })),
  )
  if (columns.length === 0 || configuration.dataKeys === null) return []
  const [current, ...former] = configuration.dataKeys.map(keyIdOf)
  const found: Finding[] = []
  for (const { what, table, column } of columns) {
    const select = query(
      `select substr(${quote(column)}, 1, ${keyIdChars}), count(*) from ${quote(table)} where ${quote(column)} is not null group by 1`,
    )
    for (const [id, count] of await store.read(rowsOf(select))) {
      const values = `${Number(count)} ${Number(count) === 1 ? 'value' : 'values'} of ${what}`
      if (id === current) found.push(well('secrets', `${values} can be read, by the first key of DATA_KEY.`))
      else if (former.includes(String(id)))
        found.push(
          well(
            'secrets',
            `${values} can be read, by a later key of DATA_KEY, which has to stay until duet keys reencrypt has run.`,
          ),
        )
      else
        found.push(
          problem(
            'secrets',
            `${values} cannot be read: DATA_KEY lacks the key ${String(id)}.`,
            'Put it behind the first.',
          ),
        )
    }
  }
  return found.length === 0 ? [well('secrets', 'Nothing is encrypted yet.')] : found
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
