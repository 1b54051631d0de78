// Derives findings from a definition and, if available, its database. (contract 12.3)

import type { Model, ResourceModel } from '../../resource/model/model.ts'
import { desiredSchema, type Table } from '../../store/sql/schema/schema.ts'
import type { Dialect } from '../../store/sql/text/dialect.ts'
import type { Engine } from '../../store/store.ts'
import { type Question, questionsOf } from './questions.ts'

export type FindingCode = 'walk' | 'matches' | 'indexes' | 'missing'

export interface Finding {
  /** Such as `Post.where.title.range`. */
  readonly id: string
  readonly code: FindingCode
  readonly resource: string
  readonly table: string
  readonly what: string
  /** How long a walk takes, in milliseconds of one core, by number of rows; the actual number if a database was read. */
  readonly cost: readonly { readonly rows: number; readonly ms: number }[]
  /** Null without a database. */
  readonly plan: readonly string[] | null
}

export interface Observation {
  readonly rows: ReadonlyMap<string, number>
  readonly indexes: ReadonlyMap<string, ReadonlySet<string>>
  readonly plans: ReadonlyMap<string, readonly string[]>
}

/** More indexes make every write expensive. */
const indexesMax = 16
/** Microseconds per row read, with one referenced row; from `bench/questions.ts`, rounded up. */
const rowCost: Readonly<Record<Engine, number>> = { sqlite: 1.6, postgres: 1 }
const usualRows = [100_000, 1_000_000]

/** Lists only what reads more than a page, and what must be fixed first. */
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
    question.scanSize === 'page' ? [] : [findingOf(question, question.scanSize, engine, observation)],
  )
}

function findingOf(
  { id, description, resource }: Question,
  code: 'walk' | 'matches',
  engine: Engine,
  observation: Observation | null,
): Finding {
  const { name, table } = resource
  const rows = observation?.rows.get(table)
  const counts = rows === undefined ? usualRows : [rows]
  const cost =
    code === 'walk' ? counts.map((each) => ({ rows: each, ms: Math.ceil((each * rowCost[engine]) / 1_000) })) : []
  return { id, code, resource: name, table, what: description, cost, plan: observation?.plans.get(id) ?? null }
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
  const what = `${derived.length} indexes, and each write keeps all of them: declare fewer filters, sorts or where fields; --indexes shows which keep one`
  return [{ ...plain(resource), id: `${resource.name}.indexes`, code: 'indexes', what }]
}

const plain = ({ name, table }: ResourceModel) => ({ resource: name, table, cost: [], plan: null })
