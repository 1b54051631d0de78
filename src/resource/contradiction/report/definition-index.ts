// Lookups shared by the checks.

import { memoize } from '../../../cache/memoize.ts'
import type { SpecBase } from '../../field/field.ts'
import { checkValue, columnTypeOf } from '../../field/registry.ts'
import type { OneSpec } from '../../field/relation.ts'
import { accountName, type Definition, type ServiceDefinition } from '../../language/definition.ts'
import type { RuleNode } from '../../language/rule/rule.ts'
import { within } from '../../language/rule/rule-parts.ts'

export interface DefinitionIndex {
  readonly service: ServiceDefinition
  readonly resources: ReadonlyMap<string, Definition>
  readonly accountName: string
  /** Resources of the library that this service does not list. */
  readonly unlisted: readonly Definition[]
  /** Names of the library's resources, listed or not: expansions copy definitions. */
  readonly library: ReadonlySet<string>
}
export function indexDefinitions(service: ServiceDefinition, own: readonly Definition[]): DefinitionIndex {
  const resources = Object.values(service.resources)
  return {
    service,
    resources: new Map(resources.map((each) => [each.name, each])),
    accountName: accountName(service),
    unlisted: own.filter((each) => !resources.includes(each)),
    library: new Set(own.map(({ name }) => name)),
  }
}

/** Fields whose values rules, filters and callbacks may use: no secrets, no lists of records. */
export const readableFields = memoize(
  ({ fields }: Definition): Readonly<Record<string, SpecBase>> =>
    Object.fromEntries(Object.entries(fields).filter(([, spec]) => isStored(spec) && !isSecret(spec))),
)

/** With the two times of every record. */
export const comparedFields = (definition: Definition): Readonly<Record<string, SpecBase>> => ({
  ...readableFields(definition),
  createdAt: { kind: 'timestamp' },
  updatedAt: { kind: 'timestamp' },
})

export const rowFields = (definition: Definition): Readonly<Record<string, SpecBase>> => ({
  id: { kind: 'one' },
  ...comparedFields(definition),
})

export const fieldsOfKind = ({ fields }: Pick<Definition, 'fields'>, ...kinds: readonly string[]): readonly string[] =>
  Object.keys(fields).filter((field) => kinds.includes(fields[field]!.kind))

/** The resource that a relation leads to, listed by the service or not. */
export const targetOf = (spec: SpecBase, { resources, unlisted }: DefinitionIndex): Definition | undefined => {
  const { target } = spec as OneSpec
  return resources.get(target) ?? unlisted.find(({ name }) => name === target)
}

export const own = <T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined =>
  record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined

export const isStored = (spec: SpecBase): boolean => columnTypeOf(spec) !== null
export const isSecret = ({ kind }: SpecBase): boolean => ['password', 'token', 'secret'].includes(kind)
export const isPresence = (value: unknown): value is { readonly present: boolean } =>
  typeof value === 'object' && value !== null && typeof (value as { present?: unknown }).present === 'boolean'

export function fits(spec: SpecBase, value: unknown): boolean {
  if (spec.kind === 'timestamp' && typeof value === 'string') return false
  let fitting = true
  checkValue(spec, value, () => {
    fitting = false
  })
  return fitting
}

export function* rulesOf(definition: Definition): Iterable<readonly [where: string, rule: RuleNode]> {
  for (const [name, { allow }] of Object.entries(definition.actions)) yield [`${definition.name}.${name}`, allow]
  for (const [name, { allow }] of Object.entries(definition.queries ?? {}))
    yield [`${definition.name}.queries.${name}`, allow]
  for (const [field, protect] of Object.entries(definition.protect ?? {})) {
    for (const aspect of ['read', 'write', 'filter'] as const) {
      const rule = protect[aspect]
      if (rule !== undefined) yield [`${definition.name}.protect.${field}`, rule]
    }
  }
}

export function findRecordRule(rule: RuleNode): RuleNode | undefined {
  for (const each of within(rule)) if (recordRules.has(each.rule)) return each
  return undefined
}

const recordRules: ReadonlySet<RuleNode['rule']> = new Set([
  'own',
  'self',
  'hasToken',
  'when',
  'readable',
  'through',
  'some',
])

export function letsInAnonymous(rule: RuleNode): boolean {
  switch (rule.rule) {
    case 'anyone':
    case 'when':
    case 'hasToken':
    case 'readable':
    case 'not':
      return true
    case 'through':
    case 'some':
    case 'confined':
      return letsInAnonymous(rule.of)
    case 'anyOf':
      return rule.rules.some(letsInAnonymous)
    case 'allOf':
      return rule.rules.every(letsInAnonymous)
    default:
      return false
  }
}

export const wordFor = (option: string): string => (option === 'isActor' ? 'default: actor' : option)
