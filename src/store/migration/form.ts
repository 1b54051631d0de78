// Whether what is stored has the form that its definition says. Looked at only where that form is another one than the
// stored values were last known to have, and does not include it: a start with nothing new costs no scan.

import { quote } from '../sql/dialect.ts'
import { clearForm, type Form, includes, isEncrypted, isScaled, misfit } from '../sql/form.ts'
import type { Schema, Table, TableColumn } from '../sql/schema.ts'
import { bind, type Program, query } from '../store.ts'
import { isRefused, label, type Work } from './work.ts'

/** By table and column: the form that all living records are known to have. Null where that is not known. */
export type Forms = Readonly<Record<string, Readonly<Record<string, Form | null>>>>

/** What is known once these definitions have been applied. Where a version returns, records of a newer one may be there. */
export function formsOf(desired: Schema, former: Forms, isReturn: boolean): Forms {
  const tables = desired.tables.map(({ name, columns }) => {
    const entries = columns.map(({ name: column, form }) => {
      const isKnown = !isReturn || isSame(form, former[name]?.[column])
      return [column, isKnown ? form : null] as const
    })
    return [name, Object.fromEntries(entries.filter(([, form]) => form !== null))] as const
  })
  return { ...former, ...Object.fromEntries(tables) }
}

const isSame = (one: Form | null, other: Form | null | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other ?? null)

/** Refuses definitions that records do not fit, with how many do not and what to do. */
export function* checkForms(work: Work, table: Table, former: Forms): Program<void> {
  const forms = former[table.name]
  for (const column of table.columns) {
    if (isAdded(work, table, column)) continue
    const before = forms?.[column.name] ?? (column.was === null ? undefined : forms?.[column.was]) ?? null
    const form = column.form ?? (isEncrypted(before) ? clearForm : null)
    if (form === null || (before !== null && includes(form, before))) continue
    if (before !== null && (yield* isRefused(work, `${label(table, column)} takes less than before`))) continue
    yield* checkForm(work, table, column, form, before)
  }
}

/** Whether this migration adds it: then it holds what the definition says, or nothing. */
function isAdded({ existing }: Work, table: Table, { name, was }: TableColumn): boolean {
  const columns = existing.get(table.name)?.columns
  return columns !== undefined && !columns.has(name) && (was === null || !columns.has(was))
}

function* checkForm(work: Work, table: Table, column: TableColumn, form: Form, before: Form | null): Program<void> {
  const { name } = column
  const isSecret = isEncrypted(form) || isEncrypted(before)
  const isRescaled = isScaled(form) || isScaled(before)
  const condition = isRescaled ? `${quote(name)} is not null` : misfit(form, name, work.engine)
  // Secrets of deleted records are encrypted anew with the others.
  const living = `from ${quote(table.name)} where ${isSecret ? '' : '"deleted_at" is null and '}${condition}`
  const [[count]] = (yield bind(query(`select count(*) ${living}`))) as [[number]]
  if (count === 0) return
  if (isRescaled || isSecret) {
    const what = count === 1 ? 'one record' : `${count} records`
    const how = isRescaled
      ? 'with another number of digits behind the point'
      : isEncrypted(form)
        ? 'in clear, deleted ones among them'
        : 'encrypted'
    work.refusals.push(
      `${label(table, column)} does not fit ${what}, which have it ${how}. Give the field the form that it had, or another name.`,
    )
    return
  }
  // Words of a choice are the author's own; anything else may be somebody's secret.
  const words = before?.words === undefined ? [] : yield* valuesOf(name, living)
  work.refusals.push(
    `${label(table, column)} does not fit ${count === 1 ? 'one record' : `${count} records`}` +
      `${words.length === 0 ? ', whose values have another form' : `, which have ${words.join(', ')}`}. ` +
      `${words.length === 0 ? 'Give the field the form that it had, or another name' : 'Keep what they have in the definition'}, ` +
      `or run: update ${quote(table.name)} set ${quote(name)} = <value> where ${condition}`,
  )
}

function* valuesOf(column: string, living: string): Program<readonly string[]> {
  const name = quote(column)
  const counts = `select ${name}, count(*) ${living} group by ${name} order by ${name} limit ${valuesMax}`
  const values = (yield bind(query(counts))).map(([word, often]) => `${String(word)} (${String(often)})`)
  return values.length === valuesMax ? [...values, '…'] : values
}

/** Values that a sentence names. */
const valuesMax = 5
