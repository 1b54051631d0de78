// Makes ordinary read-only fields of computed fields that are stored. (contract 13.2)

import { hash } from 'node:crypto'
import { getOrInsert } from '../../../cache/get-or-insert.ts'
import type { SpecBase } from '../../field/field.ts'
import { columnTypeOf } from '../../field/registry.ts'
import type { ComputedDefinition, Definition, ServiceDefinition } from '../../language/definition.ts'
import { definitionHash } from './kept-number.ts'
import { numberDefinitions } from './kept-number-definition.ts'

/** Returns the same service if nothing is stored. Expects kept numbers among the fields. */
export const withStoredValues = (service: ServiceDefinition): ServiceDefinition =>
  Object.values(service.resources).some((each) => storedDefinitions(each).length > 0)
    ? getOrInsert(expansions, service, (service) => ({
        ...service,
        resources: Object.fromEntries(
          Object.entries(service.resources).map(([key, each]) => [key, withStoredFields(each)]),
        ),
      }))
    : service
const expansions = new WeakMap<ServiceDefinition, ServiceDefinition>()

function withStoredFields(definition: Definition): Definition {
  const entries = storedDefinitions(definition)
  const stored = Object.fromEntries(entries)
  const specs = entries.flatMap(([name, { as }]): [string, SpecBase][] =>
    Object.hasOwn(definition.fields, name) ? [] : [[name, { ...as, isKept: true }]],
  )
  const computed = Object.entries(definition.computed ?? {}).filter(([name]) => !Object.hasOwn(stored, name))
  return {
    ...definition,
    fields: { ...definition.fields, ...Object.fromEntries(specs) },
    computed: Object.fromEntries(computed),
    stored,
  }
}

const storedDefinitions = ({ computed = {} }: Definition): readonly (readonly [string, ComputedDefinition])[] =>
  Object.entries(computed).filter(([, { stored }]) => stored !== undefined)

/** Differs whenever the value would have to be worked out anew. */
export function storedHash({ as, from, stored }: ComputedDefinition, definition: Definition): string {
  const numbers = new Map(numberDefinitions(definition).map((each) => [each.field, definitionHash(each, definition)]))
  const { about, deprecated, ...kind } = as
  const sources = from.map((field) => {
    const spec = definition.fields[field]
    return [field, spec === undefined ? null : columnTypeOf(spec), numbers.get(field)]
  })
  const text = JSON.stringify([kind, sources, stored === true ? 1 : stored!.revision], (_, value) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  return hash('sha256', text).slice(0, 8)
}
