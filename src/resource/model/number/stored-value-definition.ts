// Makes ordinary read-only fields of computed fields that are stored, and hidden ones of the parts of objects that lists name.
// (contract 13.2)

import { getOrInsert } from '../../../cache/get-or-insert.ts'
import type { SpecBase } from '../../field/field.ts'
import { columnTypeOf, isWord } from '../../field/registry.ts'
import { type ComputedDefinition, type Definition, type ServiceDefinition, sortsOf } from '../../language/definition.ts'
import { mapValues } from '../expand-resources.ts'
import { definitionHash, numberDefinitions, shortHash } from './kept-number-definition.ts'

/** Returns the same service if nothing is stored. Expects kept numbers among the fields. */
export const withStoredValues = (service: ServiceDefinition): ServiceDefinition => {
  const parts = objectParts(service)
  const isStored = Object.values(service.resources).some((each) => storedDefinitions(each).length > 0)
  return isStored || parts.size > 0 ? getOrInsert(expansions, service, (service) => expand(service, parts)) : service
}
const expansions = new WeakMap<ServiceDefinition, ServiceDefinition>()

type Stored = Readonly<Record<string, ComputedDefinition>>
const expand = (service: ServiceDefinition, parts: ReadonlyMap<string, Stored>): ServiceDefinition => ({
  ...service,
  resources: mapValues(service.resources, (each) =>
    withParts(withStoredFields(each, Object.fromEntries(storedDefinitions(each))), parts.get(each.name) ?? {}),
  ),
})

function withStoredFields(definition: Definition, stored: Stored): Definition {
  const specs = Object.entries(stored).flatMap(([name, { as }]): [string, SpecBase][] =>
    Object.hasOwn(definition.fields, name) ? [] : [[name, { ...as, isKept: true }]],
  )
  const computed = Object.entries(definition.computed ?? {}).filter(([name]) => !Object.hasOwn(stored, name))
  return {
    ...definition,
    fields: { ...definition.fields, ...Object.fromEntries(specs) },
    computed: Object.fromEntries(computed),
    stored: { ...definition.stored, ...stored },
  }
}

const storedDefinitions = ({ computed = {} }: Definition): readonly (readonly [string, ComputedDefinition])[] =>
  Object.entries(computed).filter(([, { stored }]) => stored !== undefined)

/** Parts of objects are protected as these are. */
function withParts(definition: Definition, parts: Stored): Definition {
  const { protect = {} } = definition
  const same = Object.entries(parts).flatMap(([path, { from }]) => {
    const rules = protect[from[0]!]
    return rules === undefined ? [] : [[path, rules] as const]
  })
  return withStoredFields({ ...definition, protect: { ...protect, ...Object.fromEntries(same) } }, parts)
}

/** What lists name of objects, such as `address.city`, by resource: hidden values that are in no answer. (contract 12.1.23) */
function objectParts({ resources }: ServiceDefinition): ReadonlyMap<string, Stored> {
  const byName = new Map(Object.values(resources).map((each) => [each.name, each]))
  const parts = new Map<string, Record<string, ComputedDefinition>>()
  for (const definition of byName.values())
    for (const path of listPaths(definition)) {
      const [holder, steps] = pathEnd(path.split('.'), definition, byName)
      const as = partOf(steps, holder)
      if (as !== null)
        getOrInsert(parts, holder.name, (): Record<string, ComputedDefinition> => ({}))[steps.join('.')] = partValue(
          steps,
          as,
        )
    }
  return parts
}

const listPaths = (definition: Definition): readonly string[] => {
  const { where = [], summary } = definition
  const sorts = sortsOf(definition).map(([path]) => path)
  return [...where, ...sorts, ...(summary?.by ?? []), ...(summary?.of ?? []), ...(summary?.distinct ?? [])]
}

/** The last record of the path, and what remains. */
function pathEnd(
  steps: readonly string[],
  holder: Definition,
  resources: ReadonlyMap<string, Definition>,
): readonly [Definition, readonly string[]] {
  const [first = '', ...rest] = steps
  const { target } = (Object.hasOwn(holder.fields, first) ? holder.fields[first] : {}) as { readonly target?: string }
  const next = rest.length === 0 || target === undefined ? undefined : resources.get(target)
  return next === undefined ? [holder, steps] : pathEnd(rest, next, resources)
}

/** Null if it is no value of an object that can be compared. */
function partOf([field, ...path]: readonly string[], { fields }: Definition): SpecBase | null {
  let spec = path.length > 0 && Object.hasOwn(fields, field!) ? fields[field!] : undefined
  for (const part of path) spec = spec?.kind === 'object' ? (spec as ObjectSpec).fields[part] : undefined
  return spec !== undefined && isWord(spec) && spec.kind !== 'one' ? spec : null
}
type ObjectSpec = SpecBase & { readonly fields: Readonly<Record<string, SpecBase>> }

function partValue([field, ...path]: readonly string[], spec: SpecBase): ComputedDefinition {
  const { default: _, readOnly, ...as } = spec
  const make = (row: Readonly<Record<string, unknown>>) =>
    path.reduce((of, part) => (of as Readonly<Record<string, unknown>> | null)?.[part] ?? null, row[field!])
  return { as: { ...as, optional: true }, from: [field!], stored: true, make }
}

/** Differs whenever the value would have to be worked out anew. */
export function storedHash(name: string, { as, from, stored }: ComputedDefinition, definition: Definition): string {
  const numbers = new Map(numberDefinitions(definition).map((each) => [each.field, definitionHash(each, definition)]))
  const { about, deprecated, ...kind } = as
  const sources = from.map((field) => {
    const spec = definition.fields[field]
    return [field, spec === undefined ? null : columnTypeOf(spec), numbers.get(field)]
  })
  return shortHash([name, kind, sources, stored === true ? 1 : stored!.revision])
}
