// Choices and states. Clients send a choice; a state changes only through actions.

import type { Deprecating } from '../deprecation.ts'
import { enumName } from '../naming/casing.ts'
import { type Field, type FieldKind, field, type NeedOf, type SpecBase, shown, type Was } from './field.ts'

interface ChoiceSpec extends SpecBase {
  readonly values: readonly string[]
  readonly deprecatedValues?: Readonly<Record<string, Deprecating>>
  readonly ordered?: boolean
  readonly begins?: readonly string[]
}

export type Ordered = 'choice' & { readonly ordered: true }

/**
 * One of these texts. `deprecatedValues` marks some as deprecated. With `ordered`, values sort and compare by their position, the
 * first being the least; otherwise alphabetically. (contract 11.3.3)
 */
export const choice = <const V extends string, const D extends V = never, const O extends boolean = false>(
  values: readonly V[],
  options?: {
    default?: D
    ordered?: O
    was?: Was
    column?: string
    about?: string
    deprecatedValues?: { readonly [W in NoInfer<V>]?: Deprecating }
  },
): Field<O extends true ? Ordered : 'choice', V, V, NeedOf<D>> => field('choice', { values, ...options })
/**
 * Changes only through actions with `from` and `to`; a new record has the first value. With `begins`, the effect of create may
 * choose another one of these: `assign({ status: 'ACCEPTED' })`. (contract 3.1.3)
 */
export function state<const V extends string>(...values: readonly V[]): Field<'state', V, never, 'free'>
export function state<const V extends string, const B extends V = never>(
  values: readonly V[],
  options: {
    begins?: readonly B[]
    was?: Was
    column?: string
    about?: string
    deprecatedValues?: { readonly [W in NoInfer<V>]?: Deprecating }
  },
): Field<'state', V, never, 'free', never, B>
export function state(...args: readonly unknown[]): never {
  const [values, options] = Array.isArray(args[0]) ? args : [args, {}]
  return field('state', { values, ...(options as object) })
}

/** The states in which a new record may begin; the first one is that of a create which chooses none. */
export const beginningsOf = (spec: SpecBase): readonly string[] => {
  const { values, begins = [] } = spec as ChoiceSpec
  return [...new Set([values[0]!, ...begins])]
}

/** The values of an ordered choice, least first; otherwise null. */
export const orderOf = (spec: SpecBase): readonly string[] | null =>
  spec.kind === 'choice' && (spec as ChoiceSpec).ordered === true ? (spec as ChoiceSpec).values : null

const sunsetsOf = (values: Readonly<Record<string, Deprecating>>): object =>
  Object.fromEntries(Object.entries(values).map(([value, { sunset }]) => [value, sunset]))

// GraphQL writes dots and dashes as underscores. (contract 4.8.16)
const word = /^(?!__|(?:true|false|null)$)[A-Za-z_][A-Za-z0-9_]*$/
const isWord = (value: string): boolean => /^[A-Za-z_]/.test(value) && word.test(enumName(value))

export const kind: FieldKind<ChoiceSpec> = {
  embeddable: true,
  column: 'text',
  options: ['values', 'ordered', 'default', 'was', 'column', 'deprecatedValues'],
  graphql: 'enum',
  compares: { of: (spec) => (orderOf(spec) === null ? null : 'in order') },
  check: (spec, value, problem) =>
    typeof value === 'string' && spec.values.includes(value)
      ? value
      : problem('', `Must be one of ${spec.values.join(', ')}.`),
  example: ({ values }) => values[0],
  schema: ({ values, deprecatedValues }) => ({
    type: 'string',
    enum: values,
    ...(deprecatedValues === undefined ? {} : { 'x-deprecated-values': sunsetsOf(deprecatedValues) }),
  }),
  contradiction({ values, ordered }) {
    if (ordered !== undefined && typeof ordered !== 'boolean')
      return [`its ordered ${shown(ordered)} is neither true nor false`, 'write ordered: true or omit it']
    if (!Array.isArray(values) || values.length === 0) return ['it has no values', 'list what it can be']
    const odd = values.findIndex((each) => typeof each !== 'string' || !isWord(each))
    if (odd !== -1) return [`${shown(values[odd])} is no word`, 'use letters, digits, underscores, dots and dashes']
    const equal = values.find((each, index) =>
      values.some((other, at) => at < index && other !== each && enumName(other) === enumName(each)),
    )
    if (equal !== undefined)
      return [`its ${equal} and another value are one name in GraphQL, ${enumName(equal)}`, 'choose another value']
    const twice = values.find((each, index) => values.indexOf(each) < index)
    return twice === undefined ? null : [`it lists ${twice} twice`, 'strike one']
  },
}

export const stateKind: FieldKind<ChoiceSpec> = {
  ...kind,
  options: ['values', 'begins', 'was', 'column', 'deprecatedValues'],
  embeddable: false,
  contradiction(spec) {
    const { values, begins } = spec
    const wrong = kind.contradiction!(spec)
    if (wrong !== null || begins === undefined) return wrong
    if (!Array.isArray(begins) || begins.length === 0) return ['its begins lists no state', 'list states, or strike it']
    const odd = begins.find((each) => !values.includes(each))
    return odd === undefined ? null : [`it begins with ${shown(odd)}, which is none of its states`, 'name one of them']
  },
  initial: (spec) => spec.values[0],
}
