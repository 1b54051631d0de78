// Examples of REST in the names of GraphQL.

import type { SpecBase } from '../../resource/field/field.ts'
import type { Vocabulary } from '../../resource/model/vocabulary.ts'
import { enumName } from '../../resource/naming/casing.ts'

export interface Names {
  readonly rest: Vocabulary
  readonly graphql: Vocabulary
}

export function renamed(spec: SpecBase, value: unknown, names: Names): unknown {
  const { of, fields } = spec as SpecBase & { of?: SpecBase; fields?: Readonly<Record<string, SpecBase>> }
  if (Array.isArray(value) && spec.kind === 'list') return value.map((each) => renamed(of!, each, names))
  if (spec.kind === 'argument') return renamed(of!, value, names)
  if (spec.kind === 'choice' && typeof value === 'string') return enumName(value)
  if (spec.kind === 'either') return (value as { readonly id: string } | null)?.id ?? null
  if (spec.kind !== 'object' || typeof value !== 'object' || value === null) return value
  const parts = value as Readonly<Record<string, unknown>>
  const entries = Object.entries(fields!).flatMap(([part, each]) => {
    const name = names.rest.part(part, each)
    return name in parts ? [[names.graphql.part(part, each), renamed(each, parts[name], names)] as const] : []
  })
  return Object.fromEntries(entries)
}
