// `migration(…)`: a change of stored values that `duet migrate apply` makes once.

import { ServiceDefinitionError } from '../../resource/contradiction/contradiction.ts'
import type { InProcess } from './in-process.ts'

/** What the code of a migration receives. */
export interface MigrationRun extends Pick<InProcess, 'asService'> {
  readonly now: Date
}

/** Inert until `duet migrate apply` runs it. */
export interface Migration {
  readonly migration: string
}
export interface WrittenMigration extends Migration {
  readonly work: (run: MigrationRun) => Promise<void>
}

/**
 * Changes stored values. `duet migrate apply` runs it once, in the order of the definition, as the service itself; a start never
 * does. Put each batch into `asService.records.once` with a key of its own: what a killed run has committed is then not done
 * again. `name` is stored, so it must not change. (contract 18.3)
 */
export const migration = (name: string, work: (run: MigrationRun) => Promise<void>): Migration =>
  ({ migration: name, work }) as Migration

/** Fails with ServiceDefinitionError for names that cannot be stored, or are given twice. */
export function readMigrations(migrations: readonly Migration[]): readonly WrittenMigration[] {
  const written = migrations as readonly WrittenMigration[]
  const problems = written.flatMap(({ migration: name, work }, index) => [
    ...(typeof name === 'string' && /^[A-Za-z0-9][\w-]{0,99}$/.test(name)
      ? []
      : [`The migration ${name} needs a name of letters, digits, _ and -.`]),
    ...(written.slice(0, index).some((other) => other.migration === name)
      ? [`The migration ${name} is there twice: give one of them a name of its own.`]
      : []),
    ...(typeof work === 'function' ? [] : [`The migration ${name} has no work.`]),
  ])
  if (problems.length > 0) throw new ServiceDefinitionError(problems)
  return written
}
