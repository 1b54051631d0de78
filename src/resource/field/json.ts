// Free-form JSON objects, and lists and objects inside a record.

import {
  type AnyField,
  type Field,
  type FieldKind,
  type Fields,
  field,
  type JsonObject,
  type SpecBase,
} from './field.ts'
import { kindOf } from './registry.ts'

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

/** An object of any form, at most `maxBytes` as compact JSON. */
export const json = (options: { maxBytes: number; was?: string }): Field<'json', JsonObject, JsonObject, 'free'> =>
  field('json', options)
export const list = <V, I, T>(
  of: Field<string, V, I, unknown, T>,
  options: { min?: number; max: number; was?: string },
): Field<'list', readonly V[], readonly I[], 'free', T> => field('list', { of, ...options })
/** A small value inside a record. A `readOnly` part is answered and never accepted. */
export const object = <const F extends Fields>(
  fields: F,
  options?: { was?: string },
): Field<'object', ValuesOf<F>, PartsAccepted<F>, 'needed', F[keyof F]['target']> =>
  field('object', { fields, ...options })
export const readOnly = <K extends string, V>(of: Field<K, V>): Field<K, V, never, 'free'> =>
  ({ ...(of as AnyField), readOnly: true }) as never

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const jsonKind: FieldKind<JsonSpec> = {
  column: 'json',
  graphql: 'JSON',
  check(spec, value, problem) {
    if (!isObject(value)) return problem('', 'Must be a JSON object.')
    const bytes = Buffer.byteLength(JSON.stringify(value))
    return bytes > spec.maxBytes ? problem('', `At most ${spec.maxBytes} bytes of JSON.`) : value
  },
  schema: (spec) => ({
    type: 'object',
    additionalProperties: true,
    description: `At most ${spec.maxBytes} bytes of JSON.`,
  }),
  initial: () => ({}),
}

export const listKind: FieldKind<ListSpec> = {
  column: 'json',
  graphql: 'list',
  check(spec, value, problem, partName) {
    if (!Array.isArray(value)) return problem('', 'Must be a list.')
    if (value.length < (spec.min ?? 0)) return problem('', `At least ${spec.min} in the list.`)
    if (value.length > spec.max) return problem('', `At most ${spec.max} in the list.`)
    const kind = kindOf(spec.of)
    return value.map((each, index) =>
      kind.check(spec.of, each, (path, message) => problem(`[${index}]${path}`, message), partName),
    )
  },
  schema: (spec, input, partName) => ({
    type: 'array',
    items: kindOf(spec.of).schema(spec.of, input, partName),
    minItems: spec.min ?? 0,
    maxItems: spec.max,
  }),
  initial: (spec) => ((spec.min ?? 0) === 0 ? [] : undefined),
  contradiction: (spec) =>
    (spec.min ?? 0) > spec.max
      ? `its min ${spec.min} is more than its max ${spec.max}`
      : (kindOf(spec.of).contradiction?.(spec.of) ?? null),
}

export const objectKind: FieldKind<ObjectSpec> = {
  column: 'json',
  graphql: 'object',
  check(spec, value, problem, partName) {
    if (!isObject(value)) return problem('', 'Must be an object.')
    const known = new Map<string, [string, SpecBase]>()
    for (const [part, of] of Object.entries(spec.fields)) if (!of.readOnly) known.set(partName(part, of), [part, of])
    for (const name of Object.keys(value)) if (!known.has(name)) problem(`.${name}`, 'There is no such field.')
    const checked: Record<string, unknown> = {}
    for (const [name, [part, of]] of known) {
      const sent = Object.hasOwn(value, name) ? value[name] : undefined
      if (sent === undefined || (sent === null && of.optional)) {
        const initial = of.optional ? null : (of.default ?? kindOf(of).initial?.(of))
        if (initial === undefined) problem(`.${name}`, 'Is required.')
        checked[part] = initial
      } else
        checked[part] = kindOf(of).check(of, sent, (path, message) => problem(`.${name}${path}`, message), partName)
    }
    return checked
  },
  schema(spec, input, partName) {
    const parts = Object.entries(spec.fields).filter(([, of]) => !(input && of.readOnly))
    return {
      type: 'object',
      additionalProperties: false,
      properties: Object.fromEntries(
        parts.map(([part, of]) => [partName(part, of), kindOf(of).schema(of, input, partName)]),
      ),
      required: parts.filter(([, of]) => !input || isNeeded(of)).map(([part, of]) => partName(part, of)),
    }
  },
}
const isNeeded = (of: SpecBase): boolean =>
  !of.optional && of.default === undefined && kindOf(of).initial?.(of) === undefined
