// Checks that stored values fit their definition. Only if its form has changed and does not include the former one, so that a usual
// start needs no scan.

import type { Schema, Table, TableColumn } from '../sql/schema/schema.ts'
import { quote } from '../sql/text/dialect.ts'
import { clearForm, type Form, includes, isEncrypted, isScaled, misfit, scaleOf } from '../sql/text/form.ts'
import { bind, type Program, query } from '../store.ts'
import { refuseType, remedyFor, sentenceOf, unfitSentence } from './alter-table.ts'
import { heldBy } from './conversion.ts'
import { type Forms, label, pairOf, remedyOf, storedName, type Work } from './work.ts'

/** The known forms after applying these definitions. If an older version returns, records of a newer one may exist. */
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

/** Refuses definitions that records violate, with their number and a remedy. */
export function* checkForms(work: Work, table: Table): Program<void> {
  const forms = work.forms[table.name]
  for (const column of table.columns) {
    if (isAdded(work, table, column) || isOfAnotherType(work, table, column)) continue
    const before = forms?.[column.name] ?? (column.was === null ? undefined : forms?.[column.was]) ?? null
    const form = column.form ?? (isEncrypted(before) ? clearForm : null)
    if (form === null || (before !== null && includes(form, before))) continue
    // Its numbers were converted to its scale.
    if (before === null && isScaled(form) && pairOf(work, table.name, column.name)?.column === column.name) continue
    if (before !== null && !isRescaled(form, before)) {
      const about = label(table, column)
      const alone = `${about} takes less than before`
      work.steps.push({ change: 'narrower field', about, table: table.name, statements: [], alone })
    }
    yield* checkForm(work, table, column, form, before)
  }
}

/** A column that this migration adds is valid or empty. */
function isAdded({ existing }: Work, table: Table, { name, was }: TableColumn): boolean {
  const columns = existing.get(table.name)?.columns
  return columns !== undefined && !columns.has(name) && (was === null || !columns.has(was))
}

/** Its values are converted first. */
function isOfAnotherType(work: Work, table: Table, column: TableColumn): boolean {
  const existing = work.existing.get(table.name)?.columns.get(storedName(work, table, column))
  return existing !== undefined && existing.type !== column.type.toLowerCase()
}

const isRescaled = (form: Form, before: Form | null): boolean =>
  (isScaled(form) || isScaled(before)) && scaleOf(form) !== scaleOf(before)

function* checkForm(work: Work, table: Table, column: TableColumn, form: Form, before: Form | null): Program<void> {
  const [name, stored] = [column.name, storedName(work, table, column)]
  const isSecret = isEncrypted(form) || isEncrypted(before)
  const isConverted = isRescaled(form, before)
  const conditionOn = (each: string) => (isConverted ? `${quote(each)} is not null` : misfit(form, each, work.engine))
  // Secrets of deleted records are re-encrypted too.
  const notDeleted = `from ${quote(table.name)} where ${isSecret ? '' : '"deleted_at" is null and '}${conditionOn(stored)}`
  const [[count]] = (yield bind(query(`select count(*) ${notDeleted}`))) as [[number]]
  if (count === 0) return
  if (isConverted || isSecret) {
    const what = count === 1 ? 'one record' : `${count} records`
    const how = isConverted
      ? 'with another number of digits behind the point'
      : isEncrypted(form)
        ? 'in clear, deleted ones among them'
        : 'encrypted'
    const existing = work.existing.get(table.name)?.columns.get(stored)
    const remedy =
      isConverted && before !== null && existing !== undefined
        ? yield* remedyFor(work, table, column, heldBy(existing.type, before), existing)
        : null
    refuseType(
      work,
      table,
      column,
      remedy,
      `${label(table, column)} does not fit ${what}, which have it ${how}${unfitSentence(remedy)}. Give the field the form that it had, or another ` +
        (remedy === null ? 'name.' : `name, or run: ${remedyOf(work, table, column, sentenceOf(work, remedy))}`),
    )
    return
  }
  // Values of a choice are public; others may be secret.
  const words = before?.words === undefined ? [] : yield* valuesOf(stored, notDeleted)
  work.refusals.push(
    `${label(table, column)} does not fit ${count === 1 ? 'one record' : `${count} records`}` +
      `${words.length === 0 ? ', whose values have another form' : `, which have ${words.join(', ')}`}. ` +
      `${words.length === 0 ? 'Give the field the form that it had, or another name' : 'Keep what they have in the definition'}, ` +
      `or run: ${remedyOf(work, table, column, `update ${quote(table.name)} set ${quote(name)} = <value> where ${conditionOn(name)}`)}`,
  )
}

function* valuesOf(column: string, notDeleted: string): Program<readonly string[]> {
  const name = quote(column)
  const counts = `select ${name}, count(*) ${notDeleted} group by ${name} order by ${name} limit ${valuesMax}`
  const values = (yield bind(query(counts))).map(([word, often]) => `${String(word)} (${String(often)})`)
  return values.length === valuesMax ? [...values, '…'] : values
}

/** Values listed in a message. */
const valuesMax = 5
