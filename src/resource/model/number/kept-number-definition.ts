// Expands `counts` and `sums` of a definition into ordinary read-only fields. (contract 13.2)

import { hash } from 'node:crypto'
import type { SpecBase } from '../../field/field.ts'
import type { Definition, KeptNumberDefinition, ServiceDefinition } from '../../language/definition.ts'
import type { RuleNode } from '../../language/rule/rule.ts'
import { countField, words } from '../../naming/casing.ts'
import { createServiceExpansion, mapValues } from '../expand-resources.ts'
import { type Resources, targetOf } from '../tenant/tenancy.ts'

export interface NumberDefinition {
  readonly field: string
  readonly place: string
  readonly list: string
  /** The summed field; null for a count. */
  readonly of: string | null
  readonly where: RuleNode | null
  readonly isShownToAll: boolean
  readonly about: string | undefined
  /** The kind that a sum is declared to have. */
  readonly as: string | undefined
}

/** Returns the same service if there are no kept numbers. A number that contradicts something becomes a field, too. */
export const withKeptNumbers = createServiceExpansion((each) => numberDefinitions(each).length > 0, expand)

function expand(service: ServiceDefinition): ServiceDefinition {
  const byName = new Map(Object.values(service.resources).map((each) => [each.name, each]))
  const resources = mapValues(service.resources, (each) => ({ ...each, fields: fieldsOf(each, byName) }))
  return { ...service, resources }
}

function fieldsOf(definition: Definition, resources: Resources): Definition['fields'] {
  const numbers = numberDefinitions(definition).flatMap((each) =>
    Object.hasOwn(definition.fields, each.field) ? [] : [[each.field, specOfNumber(each, definition, resources)]],
  )
  return { ...definition.fields, ...Object.fromEntries(numbers) }
}

export function numberDefinitions({ counts = {}, sums = {} }: Definition): readonly NumberDefinition[] {
  return [
    ...Object.entries(counts).map(([name, each]): NumberDefinition => {
      const { of: list, ...more } = partsOf(each)
      return { field: countField(name), place: `counts.${name}`, list, of: null, ...more }
    }),
    ...Object.entries(sums).map(([name, each]): NumberDefinition => {
      const { of: path, ...more } = partsOf(each)
      const [list = '', ...field] = path.split('.')
      return { field: name, place: `sums.${name}`, list, of: field.join('.'), ...more }
    }),
  ]
}

const partsOf = (said: KeptNumberDefinition) => {
  const { of, where = null, shown, about, as } = typeof said === 'string' ? { of: said } : said
  return { of, where, isShownToAll: shown === 'to all', about, as }
}

export const countedKinds: ReadonlySet<string> = new Set(['integer', 'bigint', 'decimal'])
const sumDigits = 18

/** `outer`: the sums that add it, which it cannot add itself. */
export function specOfNumber(
  number: NumberDefinition,
  definition: Definition,
  resources: Resources,
  outer: readonly string[] = [],
): SpecBase {
  const { list, of, about } = number
  const target = targetOf(list, definition, resources)
  const place = placeOf(number, definition)
  const inner = of === null || target === undefined || outer.includes(place) ? undefined : numberNamed(of, target)
  const innerSpec = inner && specOfNumber(inner, target!, resources, [...outer, place])
  const summed = innerSpec ?? (of === null ? undefined : target?.fields[of])
  const common = { isKept: true, optional: false } as const
  if (summed === undefined || !countedKinds.has(summed.kind))
    return {
      kind: 'integer',
      min: 0,
      default: 0,
      ...common,
      about: about ?? `How many ${words(list)} it has.`,
    } as SpecBase
  const adds = inner && definitionHash(inner, { fields: { ...target!.fields, [inner.field]: innerSpec! } })
  const sum = {
    ...common,
    ...(adds === undefined ? {} : { adds }),
    about: about ?? `The sum of ${words(of!)} over its ${words(list)}.`,
  }
  if (summed.kind !== 'decimal') return { kind: summed.kind, default: summed.kind === 'bigint' ? 0n : 0, ...sum }
  const { scale } = summed as SpecBase & { readonly scale: number }
  return { kind: 'decimal', precision: sumDigits, scale, default: '0', ...sum } as SpecBase
}

export const numberNamed = (field: string, definition: Definition): NumberDefinition | undefined =>
  numberDefinitions(definition).find((each) => each.field === field)

export const placeOf = ({ place }: NumberDefinition, { name }: Pick<Definition, 'name'>): string => `${name}.${place}`

/** Differs whenever the value would have to be recomputed. */
export function definitionHash(
  { field, list, of, where }: NumberDefinition,
  { fields }: Pick<Definition, 'fields'>,
): string {
  const { target, by } = fields[list] as { readonly target?: string; readonly by?: string }
  const { kind, scale, adds } = fields[field] as SpecBase & { readonly scale?: number; readonly adds?: string }
  return shortHash([target, by, of, where, kind, scale, ...(adds === undefined ? [] : [adds])])
}

export function shortHash(parts: readonly unknown[]): string {
  const text = JSON.stringify(parts, (_, value) => (typeof value === 'bigint' ? String(value) : value))
  return hash('sha256', text).slice(0, 8)
}
