// What is found in a definition and, where there is one, its database. (contract 12.3)

import type { Model, ResourceModel } from '../../resource/model/model.ts'
import type { Dialect } from '../../store/sql/dialect.ts'
import { desiredSchema, type Table } from '../../store/sql/schema.ts'
import type { Engine } from '../../store/store.ts'
import { type Question, questionsOf } from './questions.ts'

export type FindingCode = 'walk' | 'matches' | 'indexes' | 'missing'

export interface Finding {
  /** What accepts it: `Post.where.title.range`. */
  readonly id: string
  readonly code: FindingCode
  readonly resource: string
  readonly table: string
  /** What is asked, or what is wrong. */
  readonly what: string
  /** How long a walk takes: for so many rows, in milliseconds of one core; the table's own number where a database was looked at. */
  readonly cost: readonly { readonly rows: number; readonly ms: number }[]
  /** How the database would look for it; null where none was looked at. */
  readonly plan: readonly string[] | null
}

/** What a database says of itself. */
export interface Observation {
  /** How many rows each table has. */
  readonly rows: ReadonlyMap<string, number>
  /** The names of the indexes that each table has. */
  readonly indexes: ReadonlyMap<string, ReadonlySet<string>>
  readonly plans: ReadonlyMap<string, readonly string[]>
}

/** More than these make every write dear. */
const indexesMax = 16
/** What a row costs that is looked at, in microseconds, with one that it refers to: by `bench/questions.ts`, rounded up. */
const rowCost: Readonly<Record<Engine, number>> = { sqlite: 1.6, postgres: 1 }
const usualRows = [100_000, 1_000_000]

/** Only what reads more than a page; what has to be mended first. */
export function findingsOf(model: Model, dialect: Dialect, observation: Observation | null): readonly Finding[] {
  const tables = desiredSchema(model, dialect).tables
  return model.resources.flatMap((resource) => {
    const table = tables.find(({ name }) => name === resource.table)!
    return [
      ...missingIndexes(resource, table, observation),
      ...crowdOf(resource, table),
      ...questionFindings(model, resource, dialect, observation),
    ]
  })
}

function questionFindings(
  model: Model,
  resource: ResourceModel,
  { engine, ...dialect }: Dialect,
  observation: Observation | null,
): readonly Finding[] {
  return questionsOf({ ...model, resources: [resource] }, { engine, ...dialect }).flatMap((question) =>
    question.reach === 'page' ? [] : [findingOf(question, question.reach, engine, observation)],
  )
}

function findingOf(
  { id, asks, resource }: Question,
  code: 'walk' | 'matches',
  engine: Engine,
  observation: Observation | null,
): Finding {
  const { name, table } = resource
  const rows = observation?.rows.get(table)
  const counts = rows === undefined ? usualRows : [rows]
  const cost =
    code === 'walk' ? counts.map((each) => ({ rows: each, ms: Math.ceil((each * rowCost[engine]) / 1_000) })) : []
  return { id, code, resource: name, table, what: asks, cost, plan: observation?.plans.get(id) ?? null }
}

function missingIndexes(resource: ResourceModel, table: Table, observation: Observation | null): readonly Finding[] {
  const existing = observation?.indexes.get(table.name)
  if (existing === undefined) return []
  return table.derived
    .filter(({ name, create }) => create[0]!.startsWith('create index') && !existing.has(name))
    .map(({ name }) => ({
      ...plain(resource),
      id: `${resource.name}.missing.${name}`,
      code: 'missing',
      what: `the database lacks the index ${name}: start the service, which makes it`,
    }))
}

function crowdOf(resource: ResourceModel, { derived }: Table): readonly Finding[] {
  if (derived.length <= indexesMax) return []
  const what = `${derived.length} indexes, and each write keeps all of them: declare fewer filters, sorts or where fields`
  return [{ ...plain(resource), id: `${resource.name}.indexes`, code: 'indexes', what }]
}

const plain = ({ name, table }: ResourceModel) => ({ resource: name, table, cost: [], plan: null })
