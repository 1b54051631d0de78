// A service with kept numbers, said without them: the fields that `counts` and `sums` stand for. What reads the fields of a
// definition after this takes them for numbers that nobody writes. (contract 13.2)

import { getOrInsert } from '../../cache/get-or-insert.ts'
import type { SpecBase } from '../field/field.ts'
import type { Definition, KeptNumberDefinition, ServiceDefinition } from '../language/definition.ts'
import type { RuleNode } from '../language/rule.ts'
import { countField, words } from '../naming/casing.ts'
import { type Resources, targetOf } from './tenancy.ts'

/** A kept number as it was said. */
export interface NumberDefinition {
  /** The field that it is. */
  readonly field: string
  /** Where it stands: `counts.likes`. */
  readonly place: string
  readonly list: string
  /** What is added up of each record of the list; null where they are counted. */
  readonly of: string | null
  readonly where: RuleNode | null
  readonly isShownToAll: boolean
  readonly about: string | undefined
}

/** The same service where no resource has kept numbers. Expects kept numbers without contradictions. */
export const withKeptNumbers = (service: ServiceDefinition): ServiceDefinition =>
  Object.values(service.resources).some((each) => numberDefinitions(each).length > 0)
    ? getOrInsert(expansions, service, expand)
    : service
const expansions = new WeakMap<ServiceDefinition, ServiceDefinition>()

function expand(service: ServiceDefinition): ServiceDefinition {
  const entries = Object.entries(service.resources)
  const resources = new Map(entries.map(([, each]) => [each.name, each]))
  return {
    ...service,
    resources: Object.fromEntries(entries.map(([key, each]) => [key, { ...each, fields: fieldsOf(each, resources) }])),
  }
}

function fieldsOf(definition: Definition, resources: Resources): Definition['fields'] {
  const numbers = numberDefinitions(definition).map((each) => [each.field, specOfNumber(each, definition, resources)])
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
  const { of, where = null, shown, about } = typeof said === 'string' ? { of: said } : said
  return { of, where, isShownToAll: shown === 'to all', about }
}

/** Kinds of fields that can be added up: their sums are exact. */
export const countedKinds: ReadonlySet<string> = new Set(['integer', 'bigint', 'decimal'])
/** Digits of a sum, which is as exact as what it adds up. */
const sumDigits = 18

/** What a count or a sum is as a field: a sum is of the kind of what it adds up. */
export function specOfNumber(
  { list, of, about }: NumberDefinition,
  definition: Definition,
  resources: Resources,
): SpecBase {
  const target = targetOf(list, definition, resources)
  const summed = of === null ? undefined : target?.fields[of]
  const common = { isKept: true, optional: false } as const
  if (summed === undefined)
    return {
      kind: 'integer',
      min: 0,
      default: 0,
      ...common,
      about: about ?? `How many ${words(list)} it has.`,
    } as SpecBase
  const sum = { ...common, about: about ?? `The sum of ${words(of!)} over its ${words(list)}.` }
  if (summed.kind !== 'decimal') return { kind: summed.kind, default: summed.kind === 'bigint' ? 0n : 0, ...sum }
  const { scale } = summed as SpecBase & { readonly scale: number }
  return { kind: 'decimal', precision: sumDigits, scale, default: '0', ...sum } as SpecBase
}
