// How a step is made while requests are served: PostgreSQL builds indexes concurrently, and reads a table before it locks it.

import { quote } from '../../sql/text/dialect.ts'
import type { Plan } from '../migrate.ts'
import type { Step } from '../work.ts'

/** Statements of one transaction, or one that no transaction may contain. */
export type OnlineStep =
  | { readonly kind: 'transaction'; readonly statements: readonly string[] }
  | { readonly kind: 'concurrently'; readonly statement: string }

const index = /^(create (?:unique )?|drop )index "/

export function online(step: Step, { engine, existing }: Pick<Plan, 'engine' | 'existing'>): readonly OnlineStep[] {
  const { statements, table, change } = step
  const isLive = engine === 'postgres' && (table === null || existing.has(table))
  if (isLive && change === 'required field') return statements.flatMap(requireWithoutScan)
  if (!isLive || !statements.some((each) => index.test(each))) return [{ kind: 'transaction', statements }]
  return statements.map((each) => ({ kind: 'concurrently', statement: each.replace(index, '$1index concurrently "') }))
}

/** A valid constraint spares the scan under the lock. */
function requireWithoutScan(statement: string): readonly OnlineStep[] {
  const [, table, column] = /^alter table (".+?") alter column (".+?") set not null$/.exec(statement)!
  const name = quote('duet_required')
  const alter = `alter table ${table}`
  const drop = `${alter} drop constraint if exists ${name}`
  return [
    [drop, `${alter} add constraint ${name} check (${column} is not null) not valid`],
    [`${alter} validate constraint ${name}`],
    [statement, drop],
  ].map((statements) => ({ kind: 'transaction', statements }))
}

/** As an operator may read and run them. */
export const printedStatements = (step: Step, plan: Pick<Plan, 'engine' | 'existing'>): readonly string[] =>
  online(step, plan).flatMap((each) => (each.kind === 'concurrently' ? [each.statement] : each.statements))
