// Which demo records the OpenAPI documents name in their examples, so that what they offer can be tried as it stands.
// Only ids that the author's own demo data has everywhere: never those of anything that a client wrote. (contract 4.15.1)

import { passes } from '../action/move.ts'
import { getOrInsert } from '../cache/get-or-insert.ts'
import { isTrue } from '../read-plan/print.ts'
import { fold } from '../resource/model/condition.ts'
import type { ActionModel, Model, ResourceModel } from '../resource/model/model.ts'
import type { FindExample } from '../rest/openapi/document-context.ts'
import { dialectOf, quote } from '../store/sql/dialect.ts'
import { createWriteStatements } from '../store/sql/write-statements.ts'
import { bind, type Program, query, type Store } from '../store/store.ts'
import type { Configuration } from './configuration.ts'
import { accountsShown, demoLogins } from './demo-logins.ts'
import { type Demo, demoRecords, type Row } from './seed.ts'

export interface DemoExamples {
  readonly find: FindExample
  /** Who signs in; undefined where no demo account may be shown. */
  readonly account: { readonly email: string; readonly password: string } | undefined
  /** The first accounts of the demo data that may be shown, whether or not they are still there. */
  readonly logins: readonly string[]
}

interface DemoDependencies {
  readonly demo: Demo | undefined
  readonly model: Model
  readonly store: Store
  readonly clock: () => Date
}
/**
 * Null in production, and where this database was filled with anything else. Makes all demo records, which the answer holds on
 * to: ask when a document is made, and keep only the document.
 */
export async function readDemoExamples(
  { production, demoData }: Pick<Configuration, 'production' | 'demoData'>,
  { demo, model, store, clock }: DemoDependencies,
): Promise<DemoExamples | null> {
  if (production || !demoData || demo === undefined) return null
  const rows = demoRecords(demo, model)
  const account = rows.find(({ resource }) => resource === model.accounts.resource)
  if (account === undefined || !(await store.read(hasRecord(account, store)))) return null
  const accounts = rows.filter(({ resource }) => resource === model.accounts.resource)
  const logins = demoLogins(accounts.map(({ record }) => String(record[model.accounts.login.field]))).slice(
    0,
    accountsShown,
  )
  const [email] = demoLogins([String(account.record[model.accounts.login.field])])
  return {
    find: createFinder(rows, await store.read(openTo(rows, store, clock())), model),
    logins,
    account: email === undefined ? undefined : { email, password: demo.password },
  }
}

function* hasRecord({ resource, record }: Row, { engine }: Store): Program<boolean> {
  const select = query(`select 1 from ${quote(resource.table)} where "id" = ${dialectOf(engine).parameter(1)}`)
  return (yield bind(select, record['id'] as string)).length > 0
}

/** The ids of those that anybody may read. */
function* openTo(rows: readonly Row[], { engine }: Store, requestTime: Date): Program<ReadonlySet<unknown>> {
  const statements = createWriteStatements(dialectOf(engine))
  const open = new Set<unknown>()
  for (const [resource, of] of Map.groupBy(rows, (each) => each.resource)) {
    const load = { resource, conditions: [fold(resource.read.allow, resource, null)], columns: [], lock: null }
    const ids = of.map(({ record }) => record['id'] as string)
    const found = yield statements.load(load, { actor: null, requestTime }, ids)
    for (const [id, , isOpen] of found) if (isTrue(isOpen!)) open.add(id)
  }
  return open
}

/**
 * The last record that an action can begin with, rather one that anybody may read: the first account is the one that signs in,
 * and most rules forbid what it would do to itself.
 */
function createFinder(rows: readonly Row[], open: ReadonlySet<unknown>, model: Model): FindExample {
  const isNeeded = createIsNeeded(rows, model)
  const find = (action: ActionModel): string | null => {
    const fitting = rows.filter(
      (row) =>
        row.resource === action.resource &&
        action.from.every((test) => passes(test, row.record[test.column.field] ?? null)) &&
        (action.kind !== 'delete' || !isNeeded(row)),
    )
    const row =
      fitting.findLast(({ record }) => open.has(record['id'])) ??
      fitting.at(-1) ??
      rows.findLast((row) => row.resource === action.resource)
    return row === undefined ? null : (row.record['id'] as string)
  }
  const examples = new Map<ActionModel, string | null>()
  return (action) => getOrInsert(examples, action, find)
}

/** Whether another record forbids that this one is deleted. */
function createIsNeeded(rows: readonly Row[], model: Model): (row: Row) => boolean {
  const needed = new Set<unknown>()
  const restricting = model.resources.flatMap(({ referrers }) =>
    referrers.filter(({ relation }) => relation.onDelete === 'restrict'),
  )
  const columnsOf = (holder: ResourceModel) =>
    restricting.filter((each) => each.holder === holder).map(({ relation }) => relation.column.field)
  for (const { resource, record } of rows) for (const field of columnsOf(resource)) needed.add(record[field])
  return ({ record }) => needed.has(record['id'])
}
