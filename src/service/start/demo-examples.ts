// Chooses demo records for the examples of the OpenAPI documents, and accounts that development may show. Uses only ids of the author's demo data. (contract 4.15.1)

import { passes } from '../../action/target/move.ts'
import { getOrInsert } from '../../cache/get-or-insert.ts'
import type { FindExample } from '../../openapi/document-context.ts'
import { isTrue } from '../../read-plan/print.ts'
import { type Actor, noCredential } from '../../resource/actor.ts'
import type { ActionModel, Model, ResourceModel } from '../../resource/model/model.ts'
import { fold } from '../../resource/model/rule/condition.ts'
import { dialectOf, quote } from '../../store/sql/text/dialect.ts'
import { createWriteStatements } from '../../store/sql/write/write-statements.ts'
import { type Program, query, rowsOf, type Store } from '../../store/store.ts'
import type { Configuration } from '../configuration/configuration.ts'
import { type Demo, demoRecords, type Row } from './seed.ts'

export interface DemoExamples {
  readonly find: FindExample
  readonly account: { readonly email: string; readonly password: string } | undefined
  /** The first demo accounts that may be shown, existing or not. */
  readonly logins: readonly string[]
}

interface DemoDependencies {
  readonly demo: Demo | undefined
  readonly model: Model
  readonly store: Store
  readonly clock: () => Date
}
/** Null in production, and if the database has other data. The result holds all demo records: keep only the document. */
export async function readDemoExamples(
  { production, demoData }: Pick<Configuration, 'production' | 'demoData'>,
  { demo, model, store, clock }: DemoDependencies,
): Promise<DemoExamples | null> {
  if (production || !demoData || demo === undefined) return null
  const rows = demoRecords(demo, model)
  const account = rows.find(({ resource }) => resource === model.accounts.resource)
  if (account === undefined || !(await hasRecord(account, store))) return null
  const accounts = rows.filter(({ resource }) => resource === model.accounts.resource)
  const logins = demoLogins(accounts.map(({ record }) => String(record[model.accounts.login.field]))).slice(
    0,
    accountsShown,
  )
  const [email] = demoLogins([String(account.record[model.accounts.login.field])])
  return {
    find: createFinder(rows, await widestAccess(rows, accounts, { model, store, clock }), model),
    logins,
    account: email === undefined ? undefined : { email, password: demo.password },
  }
}

async function hasRecord({ resource, record }: Row, store: Store): Promise<boolean> {
  const select = query(`select 1 from ${quote(resource.table)} where "id" = ${dialectOf(store.engine).parameter(1)}`)
  return (await store.read(rowsOf(select, record['id'] as string))).length > 0
}

/** What the signed-in account may do with demo records, and which of them anyone may read. */
interface Access {
  readonly open: ReadonlySet<unknown>
  readonly allowed: ReadonlyMap<ActionModel, ReadonlySet<unknown>>
}

/** With tenants, of the account with the widest access, such as an owner. */
async function widestAccess(
  rows: readonly Row[],
  [first, ...others]: readonly Row[],
  { model, store, clock }: Omit<DemoDependencies, 'demo'>,
): Promise<Access> {
  const read = (account: Row) => store.read(accessOf(rows, actorOf(account, model), store, clock()))
  const size = ({ allowed }: Access) => [...allowed.values()].reduce((sum, { size }) => sum + size, 0)
  let widest = await read(first!)
  if (model.resources.every(({ members }) => members === null)) return widest
  for (const account of others.slice(0, accountsShown - 1)) {
    const access = await read(account)
    if (size(access) > size(widest)) widest = access
  }
  return widest
}

function* accessOf(rows: readonly Row[], actor: Actor, { engine }: Store, requestTime: Date): Program<Access> {
  const statements = createWriteStatements(dialectOf(engine))
  const open = new Set<unknown>()
  const allowed = new Map<ActionModel, Set<unknown>>()
  for (const [resource, of] of Map.groupBy(rows, (each) => each.resource)) {
    const actions = [...resource.actions.values()].filter(({ kind }) => kind !== 'create' && kind !== 'collection')
    const rules = actions.map(({ allow }) => fold(allow, resource, actor))
    const conditions = [fold(resource.read.allow, resource, null), ...rules]
    const load = { resource, conditions, columns: [], lock: null }
    const ids = of.map(({ record }) => record['id'] as string)
    for (const action of actions) allowed.set(action, new Set())
    for (const [id, , isOpen, ...holds] of yield statements.load(load, { actor: actor.id, requestTime }, ids)) {
      if (isTrue(isOpen!)) open.add(id)
      for (const [at, action] of actions.entries()) if (isTrue(holds[at]!)) allowed.get(action)!.add(id)
    }
  }
  return { open, allowed }
}

function actorOf({ record }: Row, { accounts, roles }: Model): Actor {
  const role = String(record[accounts.role.field])
  return {
    id: record['id'] as string,
    role,
    permissions: roles.get(role) ?? new Set(),
    scopes: null,
    credential: noCredential,
  }
}

/**
 * The last record on which an action can begin, preferably one the account may use, in its widest tenant, and public; not the
 * account itself, as most rules forbid what it would do.
 */
function createFinder(rows: readonly Row[], { open, allowed }: Access, model: Model): FindExample {
  const isNeeded = createIsNeeded(rows, model)
  const home = homeOf(rows, allowed)
  const isAtHome = ({ resource, record }: Row): boolean =>
    home === null || record['id'] === home || resource.tenants.some(({ field }) => record[field] === home)
  const find = (action: ActionModel): string | null => {
    const all = rows.filter(({ resource }) => resource === action.resource)
    const fitting = all.filter(
      (row) =>
        action.from.every((test) => passes(test, row.record[test.column.field] ?? null)) &&
        (action.kind !== 'delete' || !isNeeded(row)),
    )
    const fitness = (row: Row): number => {
      const id = row.record['id']
      return (allowed.get(action)?.has(id) ? 4 : 0) + (isAtHome(row) ? 2 : 0) + (open.has(id) ? 1 : 0)
    }
    const candidates = fitting.length === 0 ? all : fitting
    const most = Math.max(...candidates.map(fitness))
    return (candidates.findLast((row) => fitness(row) === most)?.record['id'] as string | undefined) ?? null
  }
  const examples = new Map<ActionModel, string | null>()
  return (action) => getOrInsert(examples, action, find)
}

function homeOf(rows: readonly Row[], allowed: Access['allowed']): unknown {
  const count = ({ resource, record }: Row) =>
    [...resource.actions.values()].filter((action) => allowed.get(action)?.has(record['id'])).length
  const [first, ...others] = rows.filter(({ resource }) => resource.members !== null && resource.tenants.length === 0)
  if (first === undefined) return null
  return others.reduce((best, each) => (count(each) > count(best) ? each : best), first).record['id']
}

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

const accountsShown = 3

/** Of accounts that pages may show in development. */
export async function firstLogins({ accounts }: Model, store: Store): Promise<readonly string[]> {
  const { resource, login, status, activeState } = accounts
  const select = query(
    `select ${quote(login.name)} from ${quote(resource.table)} where "deleted_at" is null ` +
      `and ${quote(status.name)} = '${activeState}' order by "created_at", "id" limit ${accountsShown}`,
  )
  return (await store.read(rowsOf(select))).map(([text]) => String(text))
}

/** Addresses reserved for examples, which may be shown to anyone. (RFC 2606 3) */
export const demoLogins = (logins: readonly string[]): readonly string[] =>
  logins.filter((login) => /@example\.(?:com|net|org)$/.test(login))
