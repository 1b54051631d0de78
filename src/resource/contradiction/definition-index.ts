// What the looks at a definition have in common: finding a field, asking whether a value fits, whether a rule needs a record.

import type { SpecBase } from '../field/field.ts'
import { checkValue, columnTypeOf } from '../field/registry.ts'
import { accountName, type Definition, type ServiceDefinition } from '../language/definition.ts'
import type { RuleNode } from '../language/rule.ts'
import { within } from '../language/rule-parts.ts'

/** A whole service, its resources by name. */
export interface DefinitionIndex {
  readonly service: ServiceDefinition
  readonly resources: ReadonlyMap<string, Definition>
  readonly accountName: string
  /** What the library needs for itself, and this service does not list. */
  readonly unlisted: readonly Definition[]
  /** What is the library's, listed or not. */
  readonly library: readonly Definition[]
}
export function indexDefinitions(service: ServiceDefinition, own: readonly Definition[]): DefinitionIndex {
  const resources = Object.values(service.resources)
  return {
    service,
    resources: new Map(resources.map((each) => [each.name, each])),
    accountName: accountName(service),
    unlisted: own.filter((each) => !resources.includes(each)),
    library: own,
  }
}

/** The fields of which a record holds a value that rules, filters and callbacks may know: no secrets, no lists of others. */
export const readableFields = (definition: Definition): Readonly<Record<string, SpecBase>> =>
  Object.fromEntries(Object.entries(definition.fields).filter(([, spec]) => isStored(spec) && !isSecret(spec)))

/** The same and those that every record has. */
export const rowFields = (definition: Definition): Readonly<Record<string, SpecBase>> => ({
  id: { kind: 'one' },
  ...readableFields(definition),
  createdAt: { kind: 'timestamp' },
  updatedAt: { kind: 'timestamp' },
})

export const own = <T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined =>
  record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined

export const isStored = (spec: SpecBase): boolean => columnTypeOf(spec) !== null
export const isSecret = ({ kind }: SpecBase): boolean => ['password', 'token', 'secret'].includes(kind)
export const isPresence = (value: unknown): value is { readonly present: boolean } =>
  typeof value === 'object' && value !== null && typeof (value as { present?: unknown }).present === 'boolean'

/** Whether a record's field can have this value, as callbacks see it. */
export function fits(spec: SpecBase, value: unknown): boolean {
  if (spec.kind === 'timestamp' && typeof value === 'string') return false
  let fitting = true
  checkValue(spec, value, () => {
    fitting = false
  })
  return fitting
}

/** Every rule that a resource states, with the place where it stands. */
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

/** Fields that every record has, which nobody writes. */
export const momentsAnd = (fields: Readonly<Record<string, SpecBase>>): Readonly<Record<string, SpecBase>> => ({
  ...fields,
  createdAt: { kind: 'timestamp' },
  updatedAt: { kind: 'timestamp' },
})

/** The first part of a rule that can only be answered of a record. */
export function asksOfRecord(rule: RuleNode): RuleNode | undefined {
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

/** Whether somebody who is not signed in may pass. */
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

/** An option of a field as its author wrote it. */
export const wordFor = (option: string): string => (option === 'isActor' ? 'default: actor' : option)
