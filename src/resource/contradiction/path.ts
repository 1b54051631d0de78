// Paths to values: `assignee.name` goes by references to the field of another record.

import { defaultLimits } from '../../limits.ts'
import type { SpecBase } from '../field/field.ts'
import type { OneSpec } from '../field/relation.ts'
import type { Definition } from '../language/definition.ts'
import { type DefinitionIndex, momentsAnd, own, readableFields } from './definition-index.ts'
import { instead } from './report.ts'

/** Tells what is wrong, and what to do about it. */
type Tell = (problem: string, remedy: string) => void

/** What stands at the end of a path; null where there is none, which is told. `first` are the kinds of relations that it may begin with. */
export function endOfPath(
  path: string,
  holder: Definition,
  { resources, unlisted }: DefinitionIndex,
  tell: Tell,
  first: readonly string[] = ['one'],
): SpecBase | null {
  const steps = path.split('.')
  const field = steps.pop()!
  let definition = holder
  if (steps.length > defaultLimits.pathSteps) {
    tell(`it names ${path}, which follows ${steps.length} references`, `follow ${defaultLimits.pathSteps} at most`)
    return null
  }
  for (const [index, step] of steps.entries()) {
    const kinds = index === 0 ? first : ['one']
    const references = Object.entries(definition.fields).filter(([, { kind }]) => kinds.includes(kind))
    const spec = own(Object.fromEntries(references), step) as OneSpec | undefined
    const target = spec && (resources.get(spec.target) ?? unlisted.find(({ name }) => name === spec.target))
    if (target === undefined) {
      const names = references.map(([name]) => name)
      const remedy = names.length === 0 ? 'strike it' : instead(step, names)
      tell(`it names ${path}, and ${step} refers to no one record`, remedy)
      return null
    }
    definition = target
  }
  const fields = momentsAnd(readableFields(definition))
  const spec = own(fields, field)
  if (spec !== undefined) return spec
  const of = steps.length === 0 ? 'no stored field' : `no stored field of ${definition.name}`
  tell(`it names ${path}, which is ${of}`, instead(field, Object.keys(readableFields(definition))))
  return null
}

/** The most characters of a text; 0 for all else, which is short. */
export const textMax = (spec: SpecBase): number =>
  spec.kind === 'text' ? ((spec as { readonly max?: number }).max ?? 0) : 0
/** What an index can hold is as much. */
export const cursorTextMax = 650
