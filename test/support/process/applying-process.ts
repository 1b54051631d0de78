// Started and killed by a test: applies one of two definitions to the database of its first argument, and prints a line before and
// after each transaction.

import { integer, optional, text } from 'duet-api'
import { defaultLimits } from '../../../src/limits.ts'
import { openStore } from '../../../src/service/open/open-store.ts'
import { applyMigration } from '../../../src/store/migration/live/apply.ts'
import { migrationTables } from '../../../src/store/migration/notes.ts'
import { desiredSchema } from '../../../src/store/sql/schema/schema.ts'
import { dialectOf } from '../../../src/store/sql/text/dialect.ts'
import type { Engine, Store } from '../../../src/store/store.ts'
import { modelOf, title } from '../server/migration.ts'
import { patientLimits } from '../server/patient-limits.ts'

const note = optional(text({ max: 50 }))
const definitions = {
  former: modelOf({ title, note }),
  next: modelOf(
    { title, note, level: optional(integer({ default: 3 } as never)) },
    { search: ['title'], sort: ['title'], unique: [{ fields: ['note'], caseless: true }] },
  ),
}
export type Definition = keyof typeof definitions

export const schemaOf = (definition: Definition, engine: Engine) =>
  desiredSchema(definitions[definition], dialectOf(engine), [migrationTables])
export const modelFor = (definition: Definition) => definitions[definition]

/** Prints a line before and after each step. */
function printing(store: Store): Store {
  const around = async <T>(run: () => Promise<T>): Promise<T> => {
    console.log('before')
    const result = await run()
    console.log('after')
    return result
  }
  return {
    engine: store.engine,
    counts: store.counts,
    waiting: 0,
    read: (program, deadline) => store.read(program, deadline),
    write: (program, options) => around(() => store.write(program, options)),
    runAlone: (statement) => around(() => store.runAlone(statement)),
    ping: () => store.ping(),
    close: () => store.close(),
  }
}

function isGone(name: string): boolean {
  try {
    process.kill(Number(name), 0)
    return false
  } catch {
    return true
  }
}

if (import.meta.main) {
  const [url, definition] = process.argv.slice(2) as [string, Definition]
  const log = { warn: console.error, error: console.error }
  const store = await openStore(url, { limits: { ...defaultLimits, ...patientLimits }, log })
  const holder = { name: String(process.pid), isGone }
  const options = { holder, finish: true, accepted: new Set(['things.level']), report: () => undefined }
  const left = await applyMigration(printing(store), schemaOf(definition, store.engine), options)
  console.log(left.length === 0 ? 'done' : JSON.stringify(left))
  await store.close()
}
