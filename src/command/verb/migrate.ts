// `duet migrate`: prints what a changed definition does to the database, applies it under load, and drops what was removed.

import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { defaultLimits } from '../../limits.ts'
import { silentLog } from '../../observation/log.ts'
import type { Service } from '../../resource/language/service.ts'
import type { Model } from '../../resource/model/model.ts'
import { readConfiguration } from '../../service/configuration/configuration.ts'
import { compareRights, type RightsChange } from '../../service/diagnosis/compare-rights.ts'
import { internalTables } from '../../service/open/open-database.ts'
import { migrationsMade, runMigrations } from '../../service/run-migrations.ts'
import type { WrittenMigration } from '../../service/start/migration.ts'
import { readDefinition } from '../../service/start/read-definition.ts'
import { recordedRights } from '../../service/start/recorded-definition.ts'
import { type Existing, introspect } from '../../store/migration/introspect.ts'
import { applyMigration, isAfterDeploy, type Left, readAll } from '../../store/migration/live/apply.ts'
import { describePlan } from '../../store/migration/live/describe-plan.ts'
import { purge, removedThings } from '../../store/migration/live/purge.ts'
import { readStatus } from '../../store/migration/live/status.ts'
import { aloneSentence, planMigration } from '../../store/migration/migrate.ts'
import { UnfitDatabase } from '../../store/migration/work.ts'
import { desiredSchema, type Schema } from '../../store/sql/schema/schema.ts'
import { dialectOf } from '../../store/sql/text/dialect.ts'
import type { Store } from '../../store/store.ts'
import {
  asCommandError,
  type Command,
  type CommandEnvironment,
  CommandError,
  readArguments,
} from '../service/command.ts'
import { loadService } from '../service/load-service.ts'
import { changeDatabase, readDatabase } from '../service/open-database.ts'
import { printedPlan, printedRights, printedStatus, sqlFiles } from './print-plan.ts'

/** `plan` returns 0 without work, 2 with work, 3 if something is lost, and 1 if it cannot be applied. */
export const migrateCommand: Command = async (args, environment) => {
  const { values, positionals } = readArguments(
    args,
    ['service', 'json', 'sql', 'finish', 'accept-loss', 'fail-on'],
    ['plan, apply, status or purge'],
  )
  const [word] = positionals
  const accepted = new Set(values['accept-loss'] ?? [])
  const run = { plan: printPlan, apply: runApply, status: printStatus, purge: runPurge }[word]
  if (run === undefined)
    throw new CommandError(`There is no "${word}": name plan, apply, status or purge.`, { exitCode: 2 })
  const failOn = values['fail-on']
  if (failOn !== undefined && failOn !== 'widening')
    throw new CommandError('--fail-on takes the word widening.', { exitCode: 2 })
  const withDatabase = word === 'plan' || word === 'status' ? readDatabase : changeDatabase
  return withDatabase(environment, async (store) => {
    const definition = await loadService(values.service, environment.folder)
    const { model, migrations } = readDefinition(definition, defaultLimits)
    const desired = desiredSchema(model, dialectOf(store.engine), internalTables(model))
    const { finish = false, json = false, sql } = values
    return run({
      store,
      definition,
      migrations,
      model,
      desired,
      environment,
      accepted,
      finish,
      json,
      sql,
      failOn,
    })
  }).catch(asCommandError(UnfitDatabase))
}

interface Run {
  readonly store: Store
  readonly definition: Service<unknown>
  readonly migrations: readonly WrittenMigration[]
  readonly model: Model
  readonly desired: Schema
  readonly environment: CommandEnvironment
  readonly accepted: ReadonlySet<string>
  readonly finish: boolean
  readonly json: boolean
  readonly sql: string | undefined
  readonly failOn: string | undefined
}

async function printPlan({ store, migrations, model, desired, environment, json, sql, failOn }: Run): Promise<number> {
  const plan = await readAll(store, () => describe(desired))
  const tables = await store.read(introspect(store.engine))
  const rights = await changedRights(store, tables, model)
  const toRun = (await unmade(store, tables, migrations)).map(({ migration }) => migration)
  const lines = toRun.map((name) => `migration ${name}: to be made\n`).join('')
  environment.write(
    json
      ? `${JSON.stringify({ ...plan, migrations: toRun, rights }, null, 2)}\n`
      : printedPlan(plan, lines) + printedRights(rights),
  )
  if (sql !== undefined) await writeFiles(resolve(environment.folder, sql), sqlFiles(plan), environment)
  const isWider = rights?.some(({ direction }) => direction !== 'narrows') ?? false
  if (plan.problems.length > 0 || (failOn === 'widening' && isWider)) return 1
  if (plan.changes.some(({ loss }) => loss !== null)) return 3
  return plan.changes.length + toRun.length > 0 ? 2 : 0
}

async function writeFiles(
  folder: string,
  files: ReadonlyMap<string, string>,
  { note }: Pick<CommandEnvironment, 'note'>,
): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const [name, text] of files) await writeFile(join(folder, name), text)
  note(`${files.size} files in ${folder}\n`)
}

async function printStatus({ store, migrations, desired, environment, json }: Run): Promise<number> {
  const tables = await store.read(introspect(store.engine))
  const status = await readAll(store, () => readStatus(desired, tables))
  const toRun = (await unmade(store, tables, migrations)).map(({ migration }) => migration)
  environment.write(
    json ? `${JSON.stringify({ ...status, migrations: toRun }, null, 2)}\n` : printedStatus(status, toRun),
  )
  return 0
}

async function unmade(
  store: Store,
  tables: Existing,
  migrations: readonly WrittenMigration[],
): Promise<readonly WrittenMigration[]> {
  if (!tables.has('duet_migration')) return migrations
  const made = await store.read(migrationsMade())
  return migrations.filter(({ migration }) => !made.has(migration))
}

/** Null if no definition is known to have run on the database. */
async function changedRights(store: Store, tables: Existing, model: Model): Promise<readonly RightsChange[] | null> {
  const former = tables.has('duet_definition') ? await store.read(recordedRights()) : null
  return former === null ? null : await compareRights(former, model, { store, dialect: dialectOf(store.engine) })
}

function* describe(desired: Schema) {
  return yield* describePlan(yield* planMigration(desired))
}

async function runApply({
  store,
  definition,
  migrations,
  desired,
  environment,
  accepted,
  finish,
}: Run): Promise<number> {
  const { write, process: holder, now: clock, variables } = environment
  const report = (line: string) => write(`${line}\n`)
  const left = await applyMigration(store, desired, { holder, finish, accepted, report })
  const configuration = { ...readConfiguration(variables), demoData: false, metricsPort: null }
  const options = { configuration, log: silentLog, clock }
  if (left.every(isAfterDeploy)) {
    const tables = await store.read(introspect(store.engine))
    await runMigrations(definition, await unmade(store, tables, migrations), options, report)
  }
  write(
    left.length === 0 ? 'The database fits the definition.\n' : left.map((each) => `LEFT  ${whyLeft(each)}\n`).join(''),
  )
  return left.length === 0 ? 0 : left.some(({ step }) => step.loss !== undefined) ? 3 : 2
}

function whyLeft({ step, why }: Left): string {
  const { about, change, alone = '', loss } = step
  const consent = loss === undefined ? '' : ` --accept-loss ${loss}`
  switch (why) {
    case 'instances':
      return aloneSentence(alone)
    case 'finish':
      return `${about}: ${change}. When no older instance runs: duet migrate apply --finish${consent}`
    case 'consent':
      return `${about}: ${change}. It takes${consent}`
    case 'order':
      return `${about}: ${change}, after the above.`
  }
}

async function runPurge({ store, environment, accepted }: Run): Promise<number> {
  const tables = await store.read(introspect(store.engine))
  const removed = await store.read(removedThings(store.engine, tables))
  const now = removed.filter(({ loss, isDue }) => isDue && accepted.has(loss)).map(({ loss }) => loss)
  await store.write(() => purge(now), { withoutTimeout: true })
  for (const { loss, isDue } of removed) {
    if (now.includes(loss)) environment.write(`${loss} is gone.\n`)
    else if (isDue) environment.write(`${loss} was removed more than seven days ago: --accept-loss ${loss} drops it.\n`)
    else environment.write(`${loss} was removed less than seven days ago, and stays.\n`)
  }
  if (removed.length === 0) environment.write('Nothing was put aside.\n')
  return 0
}
