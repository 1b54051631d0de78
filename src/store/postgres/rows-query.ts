// One statement whose rows are arrays, as the driver sends it. The driver's own class copies its options, makes an object and an
// event of each row, and looks parsers up by name: a tenth of what a page of records costs the process.

import { type FieldDef, Query } from 'pg'

/** Makes a value of the text form of its type. */
export type ParseValue = (text: string) => unknown

export interface RowsStatement {
  /** What the server knows the prepared statement by. */
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
  /** By the number of a type. What a parser throws fails the statement, once the server has answered all of it. */
  readonly parserOf: (type: number) => ParseValue
  /** Milliseconds after which the driver destroys the connection. */
  readonly timeLimitMs: number | undefined
}

export interface Rows {
  readonly rows: readonly (readonly unknown[])[]
  readonly fields: readonly FieldDef[]
}
/** The driver calls it with an error alone where the time limit has ended. */
type Done = (error: unknown, answer?: Rows) => void

/** The names without `#` are the driver's: its client calls the methods, and its class sends the statement. */
export class RowsQuery extends Query {
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
  readonly query_timeout: number | undefined
  /** The driver replaces it where there is a time limit. */
  callback: Done
  readonly #parserOf: RowsStatement['parserOf']
  #parsers: readonly ParseValue[] = []
  #fields: readonly FieldDef[] = []
  readonly #rows: unknown[][] = []
  #failure: unknown = null

  constructor({ name, text, values, parserOf, timeLimitMs }: RowsStatement, done: Done) {
    super('')
    this.name = name
    this.text = text
    this.values = values
    this.query_timeout = timeLimitMs
    this.callback = done
    this.#parserOf = parserOf
  }

  handleRowDescription({ fields }: { readonly fields: readonly FieldDef[] }): void {
    this.#fields = fields
    this.#parsers = fields.map(({ dataTypeID }) => this.#parserOf(dataTypeID))
  }

  handleDataRow({ fields: row }: { readonly fields: unknown[] }): void {
    if (this.#failure !== null) return
    const parsers = this.#parsers
    try {
      for (let index = 0; index < row.length; index++) {
        const text = row[index]
        if (text !== null) row[index] = parsers[index]!(text as string)
      }
      this.#rows.push(row)
    } catch (error) {
      this.#failure = error
    }
  }

  handleCommandComplete(): void {}

  handleError(error: unknown): void {
    this.callback(this.#failure ?? error)
  }

  handleReadyForQuery(): void {
    if (this.#failure === null) this.callback(null, { rows: this.#rows, fields: this.#fields })
    else this.callback(this.#failure)
  }
}
