// The form of stored values, as far as answers depend on it: values of a choice, structure of JSON. Limits of length apply only
// to writes.

import { valueSchema } from '../../../resource/field/registry.ts'
import type { Column } from '../../../resource/model/column.ts'
import type { Engine } from '../../store.ts'
import { isDecimalType } from './codec.ts'
import { literal, quote } from './dialect.ts'

export interface Form {
  readonly types: readonly string[]
  readonly words?: readonly string[]
  readonly elements?: Form
  readonly parts?: Readonly<Record<string, Form>>
}

/** Null if the column type suffices. SQLite uses one for texts, moments and days, and one for integers, booleans and decimals. */
export function formOf({ type, spec, encrypted }: Column, engine: Engine): Form | null {
  if (spec.kind === 'id') return null
  if (encrypted) return encryptedForm
  if (engine === 'sqlite' && (type in tests || isDecimalType(type))) return { types: [type] }
  if (type !== 'json' && type !== 'text') return null
  const { types, ...more } = formIn(valueSchema(spec, false, (part) => part))
  // JSON null does not occur: the column is null instead.
  const form = { types: types.filter((each) => each !== 'null'), ...more }
  return type === 'json' || form.words !== undefined ? form : null
}

const encryptedForm: Form = { types: ['encrypted'] }
export const clearForm: Form = { types: ['clear'] }
export const isEncrypted = (form: Form | null): boolean => form?.types[0] === 'encrypted'

function formIn(schema: object): Form {
  const {
    type,
    enum: words,
    items,
    properties,
  } = schema as {
    readonly type: string | readonly string[]
    readonly enum?: readonly (string | null)[]
    readonly items?: object
    readonly properties?: Readonly<Record<string, object>>
  }
  const parts = properties && Object.entries(properties).map(([name, each]) => [name, formIn(each)] as const)
  return {
    types: [type].flat(),
    ...(words === undefined ? {} : { words: words.filter((word) => word !== null) }),
    ...(items === undefined ? {} : { elements: formIn(items) }),
    ...(parts === undefined ? {} : { parts: Object.fromEntries(parts) }),
  }
}

/** Whether every value of the former form is valid in this one. */
export function includes(form: Form, former: Form): boolean {
  const { types, words, elements, parts } = form
  const parted = Object.entries(parts ?? {})
  return (
    former.types.every((each) => types.some((type) => type === each || isWider(type, each))) &&
    (words === undefined || (former.words?.every((each) => words.includes(each)) ?? false)) &&
    (elements === undefined || (former.elements !== undefined && includes(elements, former.elements))) &&
    parted.every(([name, part]) => {
      const before = former.parts?.[name]
      return before === undefined ? former.parts !== undefined && mayMiss(part) : includes(part, before)
    })
  )
}

function isWider(type: string, former: string): boolean {
  if (former === 'integer') return type === 'bigint'
  const [digits, before] = [digitsOf(type), digitsOf(former)]
  return digits?.scale === before?.scale && (digits?.precision ?? 0) > (before?.precision ?? Number.POSITIVE_INFINITY)
}

function digitsOf(type: string): { readonly precision: number; readonly scale: number } | null {
  const [, precision, scale] = /^decimal\((\d+),(\d+)\)$/.exec(type) ?? []
  return precision === undefined ? null : { precision: Number(precision), scale: Number(scale) }
}

const mayMiss = ({ types }: Form): boolean => types.includes('null')

/** Null is always valid. */
export function misfit(form: Form, column: string, engine: Engine): string {
  const name = quote(column)
  const test = isJson(form) ? differs(form, engines[engine].whole(name), engine, 0) : differsPlainly(form, name, engine)
  return `${name} is not null and (${test})`
}

function differsPlainly({ types, words }: Form, name: string, engine: Engine): string {
  if (types[0] === 'encrypted') return `not (${looksEncrypted[engine](name)})`
  if (types[0] === 'clear') return looksEncrypted[engine](name)
  if (words !== undefined) return `${name} not in ${listed(words)}`
  const digits = digitsOf(types[0]!)
  return digits === null ? tests[types[0]!]!(name) : outside(name, '9'.repeat(digits.precision))
}

/** Unlike `abs`, it has a result for every integer. */
const outside = (name: string, most: string): string => `${name} not between -${most} and ${most}`
const unlike = (pattern: string) => (name: string) =>
  `${name} not glob '${pattern.replaceAll('d', '[0-9]').replaceAll('x', '[0-9a-f]')}'`
/** A key id, and at least a nonce, a character and a tag. */
const looksEncrypted: Readonly<Record<Engine, (name: string) => string>> = {
  sqlite: (name) =>
    `${name} glob '${'[0-9a-f]'.repeat(8)}.*' and length(${name}) >= 48 and substr(${name}, 10) not glob '*[^A-Za-z0-9_-]*'`,
  postgres: (name) => `${name} ~ '^[0-9a-f]{8}\\.[A-Za-z0-9_-]{39,}$'`,
}
const tests: Readonly<Record<string, (name: string) => string>> = {
  boolean: (name) => `${name} not in (0, 1)`,
  timestamp: unlike('dddd-dd-ddTdd:dd:dd.dddZ'),
  date: unlike('dddd-dd-dd'),
  uuid: unlike(['x'.repeat(8), ...Array(3).fill('xxxx'), 'x'.repeat(12)].join('-')),
  bigint: () => 'false',
  integer: (name) => `${name} not between -2147483648 and 2147483647`,
}

export const isJson = (form: Form | null): boolean =>
  form?.types.some((each) => each === 'object' || each === 'array') ?? false

/** The scale of a number stored without its point; null otherwise. */
export function scaleOf(form: Form | null): number | null {
  const type = form?.types[0] ?? ''
  return digitsOf(type)?.scale ?? (type in { integer: 0, bigint: 0, boolean: 0 } ? 0 : null)
}
/** Such a number would change its value under another form. */
export const isScaled = (form: Form | null): boolean => digitsOf(form?.types[0] ?? '') !== null

interface Place {
  readonly type: string
  readonly text: string
  readonly json: string
}

function differs({ types, words, elements, parts }: Form, at: Place, engine: Engine, depth: number): string {
  const { names, part, each } = engines[engine]
  const when = (type: string, test: string) =>
    `case (${at.type}) when ${literal(names[type]![0]!)} then ${test} else false end`
  const tests = [`coalesce(${at.type}, 'null') not in ${listed(types.flatMap((type) => names[type]!))}`]
  if (words !== undefined) tests.push(when('string', `${at.text} not in ${listed(words)}`))
  if (elements !== undefined) {
    const { from, element } = each(at, `e${depth}`)
    tests.push(when('array', `exists (select 1 from ${from} where ${differs(elements, element, engine, depth + 1)})`))
  }
  const inside = Object.entries(parts ?? {}).map(([name, form]) => differs(form, part(at, name), engine, depth + 1))
  if (inside.length > 0) tests.push(when('object', `(${inside.join(' or ')})`))
  return tests.join(' or ')
}

const listed = (words: readonly string[]): string => `(${words.map(literal).join(', ')})`

interface JsonEngine {
  readonly names: Readonly<Record<string, readonly string[]>>
  readonly whole: (column: string) => Place
  readonly part: (of: Place, name: string) => Place
  readonly each: (of: Place, alias: string) => { readonly from: string; readonly element: Place }
}

const same = { string: ['string'], object: ['object'], array: ['array'], null: ['null'], boolean: ['boolean'] }
const postgresPlace = (json: string): Place => ({ type: `json_typeof(${json})`, text: `(${json} #>> '{}')`, json })

const engines: Readonly<Record<Engine, JsonEngine>> = {
  sqlite: {
    names: {
      ...same,
      string: ['text'],
      boolean: ['true', 'false'],
      integer: ['integer'],
      number: ['integer', 'real'],
    },
    // A text column may have any content so far.
    whole: (column) => ({
      type: `case when json_valid(${column}) then json_type(${column}) end`,
      text: column,
      json: column,
    }),
    part(of, name) {
      const path = literal(`$."${name}"`)
      const value = `json_extract(${of.json}, ${path})`
      return { type: `json_type(${of.json}, ${path})`, text: value, json: value }
    },
    each: (of, alias) => ({
      from: `json_each(${of.json}) ${alias}`,
      element: { type: `${alias}.type`, text: `${alias}.value`, json: `${alias}.value` },
    }),
  },
  postgres: {
    names: { ...same, integer: ['number'], number: ['number'] },
    whole: postgresPlace,
    part: (of, name) => postgresPlace(`(${of.json} -> ${literal(name)})`),
    each: (of, alias) => ({
      from: `json_array_elements(${of.json}) ${alias}(value)`,
      element: postgresPlace(`${alias}.value`),
    }),
  },
}
