// SQL of authors: a template in which handles name resources and fields, and every other value is bound. (contract 13.6)

import type { Deadline } from '../../budget/deadline.ts'
import { getOrInsert } from '../../cache/get-or-insert.ts'
import { Failure, invariant } from '../../failure/failure.ts'
import type { Model } from '../../resource/model/model.ts'
import { type Dialect, quote } from '../../store/sql/text/dialect.ts'
import { command, type Program, query, type Statement, type Value } from '../../store/store.ts'
import type { RunnerContext } from '../context.ts'

export type SqlRow = Readonly<Record<string, Value>>
export interface SqlQuestion {
  readonly strings: TemplateStringsArray
  readonly values: readonly unknown[]
}
type SqlContext = Pick<RunnerContext, 'model' | 'dialect' | 'limits'>

export function* runSql(
  { strings, values }: SqlQuestion,
  { model, dialect, limits }: SqlContext,
): Program<readonly SqlRow[]> {
  if (!Array.isArray(strings) || !Object.isFrozen(strings) || !Object.hasOwn(strings, 'raw'))
    throw new Error('records.sql is a tag: write it before a template, records.sql`select …`, and no text in brackets.')
  const parts = values.map((value) => partOf(value, model, dialect))
  const statement = statementOf(strings, parts, dialect)
  let chars = 0
  const counter = {
    get readableChars() {
      return limits.sqlChars - chars
    },
    addRead(more: number): void {
      chars += more
      if (chars > limits.sqlChars)
        throw new Error(`What records.sql reads has more than ${limits.sqlChars} characters.`)
    },
  }
  const rows = yield { statement, values: parts.flatMap((part) => ('text' in part ? [] : part.values)), counter }
  const [names, ...found] = rows
  return found.map((row) => Object.fromEntries(row.map((value, index) => [names![index] as string, value])))
}

/** Runs outside of writing transactions. A statement that writes fails. */
export type ReadSql = (question: SqlQuestion, deadline: Deadline) => Promise<readonly SqlRow[]>

export function createReadSql(context: RunnerContext): ReadSql {
  const { store, dialect } = context
  return (question, deadline) =>
    dialect.engine === 'sqlite'
      ? store.read(runSql(question, context), deadline)
      : store.write(() => readOnly(question, context), { deadline })
}

/** PostgreSQL refuses writes in this transaction. */
function* readOnly(question: SqlQuestion, context: SqlContext): Program<readonly SqlRow[]> {
  yield { statement: becomeReadOnly, values: [] }
  try {
    return yield* runSql(question, context)
  } catch (error) {
    // The statement is read-only, not the database.
    if (!(error instanceof Failure) || (error.cause as { readonly code?: unknown } | undefined)?.code !== '25006')
      throw error
    throw new Error(onlyReads, { cause: error.cause })
  }
}
const becomeReadOnly = command('set transaction read only')
const onlyReads = 'records.sql only reads outside of effects.'

/** A name, or bound values: several for a list. */
type SqlPart = { readonly text: string } | { readonly isList: boolean; readonly values: readonly Value[] }

function partOf(value: unknown, model: Model, dialect: Dialect): SqlPart {
  const name = typeof value === 'object' && value !== null ? model.sqlNames.get(value) : undefined
  if (name === null)
    throw new Error('A field in records.sql has another column in each of several resources, or none: write its name.')
  if (name !== undefined) return { text: quote(name) }
  if (!Array.isArray(value)) return { isList: false, values: [boundValue(value, dialect)] }
  if (value.length > listMax) throw new Error(`A list in records.sql has ${value.length} values, more than ${listMax}.`)
  // An empty list matches nothing.
  return { isList: true, values: value.length === 0 ? [null] : value.map((each) => boundValue(each, dialect)) }
}
const listMax = 1_000

function boundValue(value: unknown, dialect: Dialect): Value {
  if (value instanceof Date) return dialect.encode(value, 'timestamp')
  if (value === null || ['string', 'number', 'bigint', 'boolean'].includes(typeof value)) return value as Value
  throw new Error('A value in records.sql is none: bind texts, numbers, booleans, dates, null, or lists of them.')
}

const statements = new WeakMap<TemplateStringsArray, Map<string, Statement>>()

/** Cached per template and lengths of its lists. */
function statementOf(strings: TemplateStringsArray, parts: readonly SqlPart[], dialect: Dialect): Statement {
  const shape = parts.map((part) => ('text' in part ? part.text : part.isList ? part.values.length : '')).join()
  const byShape = getOrInsert(statements, strings, () => new Map<string, Statement>())
  return getOrInsert(byShape, `${dialect.engine} ${shape}`, () => {
    let number = 0
    const texts = parts.map((part) => {
      if ('text' in part) return part.text
      const parameters = part.values.map(() => dialect.parameter(++number))
      return part.isList ? `(${parameters.join(', ')})` : parameters[0]!
    })
    invariant(texts.length === strings.length - 1, 'a template has a value between two texts')
    const sql = strings.map((text, index) => text + (texts[index] ?? '')).join('')
    return { ...query(sql), namesColumns: true }
  })
}
