// Free-form JSON objects, and lists and objects inside a record.

import { Failure } from '../../failure/failure.ts'
import { readJsonText } from '../../json/read-json.ts'
import { defaultLimits } from '../../limits.ts'
import { aboutPart } from '../about.ts'
import { leavingOf } from '../deprecation.ts'
import {
  type AnyField,
  type Field,
  type FieldKind,
  type Fields,
  field,
  type JsonObject,
  notStorable,
  type Problem,
  type SpecBase,
  shown,
  sizeContradiction,
  type Was,
} from './field.ts'
import {
  checkValue,
  exampleOf,
  initialValue,
  jsonCharsMaxOf,
  kindOf,
  readValue,
  valueSchema,
  writeValue,
} from './registry.ts'

interface JsonSpec extends SpecBase {
  readonly maxBytes: number
}
interface ListSpec extends SpecBase {
  readonly of: SpecBase
  readonly min?: number
  readonly max: number
}
interface ObjectSpec extends SpecBase {
  readonly fields: Readonly<Record<string, SpecBase>>
}
type ValuesOf<F extends Fields> = { readonly [N in keyof F]: F[N]['phantom']['value'] }
type PartsAccepted<F extends Fields> = {
  readonly [N in keyof F as [F[N]['phantom']['input']] extends [never] ? never : N]: F[N]['phantom']['input']
}

/** Any JSON object of at most `maxBytes` in compact form. */
export const json = (options: {
  maxBytes: number
  was?: Was
  column?: string
  about?: string
}): Field<'json', JsonObject, JsonObject, 'free'> => field('json', options)
/** An ordered list of values: at least `min` (default 0), at most `max`. */
export const list = <V, I, T>(
  of: Field<string, V, I, unknown, T>,
  options: { min?: number; max: number; was?: Was; column?: string; about?: string },
): Field<'list', readonly V[], readonly I[], 'free', T> => field('list', { of, ...options })
/** An object stored inside the record. Clients cannot send `readOnly` parts. */
export const object = <const F extends Fields>(
  fields: F,
  options?: { was?: Was; column?: string; about?: string },
): Field<'object', ValuesOf<F>, PartsAccepted<F>, 'needed', F[keyof F]['target']> =>
  field('object', { fields, ...options })
/** A part of an `object` that only the service writes. */
export const readOnly = <K extends string, V>(of: Field<K, V>): Field<K, V, never, 'free'> =>
  ({ ...(of as AnyField), readOnly: true }) as never

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Text that is no JSON is unchanged. */
function readJson(text: string, problem: Problem): unknown {
  try {
    return readJsonText(text, defaultLimits)
  } catch (error) {
    // All problems of a request are reported together.
    if (!(error instanceof Failure)) throw error
    if (error.details === undefined) return text
    for (const { field, message } of error.details) problem(field.startsWith('[') ? field : `.${field}`, message)
    return undefined
  }
}

const mapped = (value: unknown, of: (each: unknown) => unknown): unknown =>
  Array.isArray(value) ? value.map(of) : value

function mappedParts(
  fields: ObjectSpec['fields'],
  value: unknown,
  of: (spec: SpecBase, each: unknown) => unknown,
): unknown {
  if (!isObject(value)) return value
  const parts = Object.entries(value)
  return Object.fromEntries(
    parts.map(([part, each]) => [part, Object.hasOwn(fields, part) ? of(fields[part]!, each) : each]),
  )
}

export const jsonKind: FieldKind<JsonSpec> = {
  column: 'json',
  compares: 'not at all',
  ofText: readJson,
  options: ['maxBytes', 'was', 'column'],
  embeddable: true,
  graphql: 'JSON',
  check(spec, value, problem) {
    if (!isObject(value)) return problem('', 'Must be a JSON object.')
    const text = JSON.stringify(value)
    if (Buffer.byteLength(text) > spec.maxBytes) return problem('', `At most ${spec.maxBytes} bytes of JSON.`)
    return unstorable.test(text) ? problem('', notStorable) : value
  },
  schema: (spec) => ({
    type: 'object',
    additionalProperties: true,
    description: `At most ${spec.maxBytes} bytes of JSON.`,
  }),
  // PostgreSQL adds a space after each comma and colon.
  charsMax: ({ maxBytes }) => 2 * maxBytes,
  initial: () => ({}),
  contradiction({ maxBytes }) {
    if (maxBytes === undefined) return ['it has no maxBytes', 'set the largest length, as JSON']
    const isLength = Number.isSafeInteger(maxBytes) && maxBytes >= 2
    return isLength ? null : [`its maxBytes ${shown(maxBytes)} is no length of JSON`, 'use a whole number, 2 or more']
  },
}
// As JSON.stringify writes it; a preceding escaped backslash is no escape.
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/

function isListOf({ min = 0, max }: ListSpec, value: unknown, problem: Problem): value is readonly unknown[] {
  if (!Array.isArray(value)) problem('', 'Must be a list.')
  else if (value.length < min) problem('', `At least ${min} in the list.`)
  else if (value.length > max) problem('', `At most ${max} in the list.`)
  else return true
  return false
}

export const listKind: FieldKind<ListSpec> = {
  column: 'json',
  compares: 'not at all',
  ofText: readJson,
  read: ({ of }, value) => mapped(value, (each) => readValue(of, each)),
  write: ({ of }, value) => mapped(value, (each) => writeValue(of, each)),
  example: ({ of, min = 0 }, { name, ...place }) =>
    Array(Math.max(1, min)).fill(exampleOf(of, { ...place, name: name.replace(/s$/, '') })),
  options: ['of', 'min', 'max', 'was', 'column'],
  embeddable: true,
  graphql: 'list',
  check(spec, value, problem, partName) {
    const kind = kindOf(spec.of)
    return isListOf(spec, value, problem)
      ? value.map((each, index) =>
          kind.check(spec.of, each, (path, message) => problem(`[${index}]${path}`, message), partName),
        )
      : undefined
  },
  checkValue: (spec, value, problem) =>
    isListOf(spec, value, problem)
      ? value.map((each, index) => checkValue(spec.of, each, (path, message) => problem(`[${index}]${path}`, message)))
      : undefined,
  schema: (spec, input, partName) => ({
    type: 'array',
    items: valueSchema(spec.of, input, partName),
    minItems: spec.min ?? 0,
    maxItems: spec.max,
  }),
  charsMax: ({ of, max }) => max * (jsonCharsMaxOf(of) + 2) + 2,
  initial: (spec) => ((spec.min ?? 0) === 0 ? [] : undefined),
  parts: (spec) => [['[]', spec.of]],
  contradiction: (spec) => sizeContradiction(spec.min ?? 0, spec.max),
}

export const objectKind: FieldKind<ObjectSpec> = {
  column: 'json',
  compares: 'not at all',
  ofText: readJson,
  read: ({ fields }, value) => mappedParts(fields, value, readValue),
  write: ({ fields }, value) => mappedParts(fields, value, writeValue),
  example: ({ fields }, { partName, ...place }) =>
    Object.fromEntries(
      Object.entries(fields)
        .filter(([, of]) => place.direction === 'answer' || !of.readOnly)
        .map(([part, of]) => [partName(part, of), exampleOf(of, { ...place, partName, name: part })]),
    ),
  options: ['fields', 'was', 'column'],
  embeddable: true,
  graphql: 'object',
  check(spec, value, problem, partName) {
    if (!isObject(value)) return problem('', 'Must be an object.')
    const partsByName = new Map<string, [string, SpecBase]>()
    for (const [part, of] of Object.entries(spec.fields))
      if (!of.readOnly) partsByName.set(partName(part, of), [part, of])
    for (const name of Object.keys(value)) if (!partsByName.has(name)) problem(`.${name}`, 'There is no such field.')
    const checked: Record<string, unknown> = {}
    for (const [name, [part, of]] of partsByName) {
      const sent = Object.hasOwn(value, name) ? value[name] : undefined
      if (sent === undefined) {
        checked[part] = initialValue(of)
        if (checked[part] === undefined) problem(`.${name}`, 'Is required.')
      } else if (sent === null && of.optional) checked[part] = null
      else checked[part] = kindOf(of).check(of, sent, (path, message) => problem(`.${name}${path}`, message), partName)
    }
    return checked
  },
  checkValue(spec, value, problem) {
    if (!isObject(value)) return problem('', 'Must be an object.')
    for (const name of Object.keys(value))
      if (!Object.hasOwn(spec.fields, name)) problem(`.${name}`, 'There is no such field.')
    const parts: Record<string, unknown> = {}
    for (const [part, of] of Object.entries(spec.fields)) {
      const inner = Object.hasOwn(value, part) ? value[part] : undefined
      if (inner !== undefined)
        parts[part] = checkValue(of, inner, (path, message) => problem(`.${part}${path}`, message))
      // Read-only parts may be filled in later.
      else if (!of.readOnly) {
        parts[part] = initialValue(of)
        if (parts[part] === undefined) problem(`.${part}`, 'Is required.')
      }
    }
    return parts
  },
  schema(spec, input, partName) {
    const parts = Object.entries(spec.fields).filter(([, of]) => !(input && of.readOnly))
    return {
      type: 'object',
      additionalProperties: false,
      properties: Object.fromEntries(
        parts.map(([part, of]) => {
          const schema = valueSchema(of, input, partName)
          const sentences = [aboutPart(part, of), schema['description']].filter((each) => each !== undefined)
          return [partName(part, of), { ...schema, description: sentences.join(' '), ...leavingOf(of.deprecated) }]
        }),
      ),
      required: parts
        .filter(([, of]) => !input || initialValue(of) === undefined)
        .map(([part, of]) => partName(part, of)),
    }
  },
  charsMax: ({ fields }) =>
    Object.entries(fields).reduce((sum, [name, of]) => sum + name.length + jsonCharsMaxOf(of) + 6, 2),
  parts: (spec) => Object.entries(spec.fields).map(([part, of]) => [`.${part}`, of]),
  contradiction: ({ fields }) => (Object.keys(fields).length === 0 ? ['it has no parts', 'name some'] : null),
}
