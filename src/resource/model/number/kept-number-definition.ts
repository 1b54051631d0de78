// Expands `counts` and `sums` of a definition into ordinary read-only fields. (contract 13.2)

import { memoize } from '../../../cache/memoize.ts'
import type { SpecBase } from '../../field/field.ts'
import type { Definition, KeptNumberDefinition, ServiceDefinition } from '../../language/definition.ts'
import type { RuleNode } from '../../language/rule/rule.ts'
import { countField, words } from '../../naming/casing.ts'
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
export const withKeptNumbers = (service: ServiceDefinition): ServiceDefinition =>
  Object.values(service.resources).some((each) => numberDefinitions(each).length > 0) ? expandOnce(service) : service
const expandOnce = memoize(expand)

function expand(service: ServiceDefinition): ServiceDefinition {
  const entries = Object.entries(service.resources)
  const resources = new Map(entries.map(([, each]) => [each.name, each]))
  return {
    ...service,
    resources: Object.fromEntries(entries.map(([key, each]) => [key, { ...each, fields: fieldsOf(each, resources) }])),
  }
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

export function specOfNumber(
  { list, of, about }: NumberDefinition,
  definition: Definition,
  resources: Resources,
): SpecBase {
  const target = targetOf(list, definition, resources)
  const summed = of === null ? undefined : target?.fields[of]
  const common = { isKept: true, optional: false } as const
  if (summed === undefined || !countedKinds.has(summed.kind))
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
