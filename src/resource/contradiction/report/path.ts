// Resolves paths such as `assignee.name`, a field of a referenced record.

import { defaultLimits } from '../../../limits.ts'
import type { SpecBase } from '../../field/field.ts'
import type { Definition } from '../../language/definition.ts'
import { comparedFields, type DefinitionIndex, own, readableFields, targetOf } from './definition-index.ts'
import { instead } from './report.ts'

type ReportHere = (problem: string, remedy: string) => void

/** Null if there is none, which is reported. `first`: the kinds of relation it may begin with. */
export function endOfPath(
  path: string,
  holder: Definition,
  definitions: DefinitionIndex,
  reportHere: ReportHere,
  first: readonly string[] = ['one'],
): SpecBase | null {
  const steps = path.split('.')
  const field = steps.pop()!
  let definition = holder
  if (steps.length > defaultLimits.pathSteps) {
    reportHere(
      `it names ${path}, which follows ${steps.length} references`,
      `follow ${defaultLimits.pathSteps} at most`,
    )
    return null
  }
  for (const [index, step] of steps.entries()) {
    const part = own(definition.fields, [...steps.slice(index), field].join('.'))
    if (part !== undefined) return part
    const kinds = index === 0 ? first : ['one']
    const references = Object.entries(definition.fields).filter(([, { kind }]) => kinds.includes(kind))
    const spec = own(Object.fromEntries(references), step)
    const target = spec && targetOf(spec, definitions)
    if (target === undefined && own(definition.fields, step)?.kind === 'object') {
      const part = [...steps.slice(index + 1), field].join('.')
      reportHere(
        `it names ${path}, and ${step} has no part ${part} with an order`,
        'name a text, a number, a time or a choice of it',
      )
      return null
    }
    if (target === undefined) {
      const names = references.map(([name]) => name)
      reportHere(`it names ${path}, and ${step} refers to no one record`, instead(step, names))
      return null
    }
    definition = target
  }
  const spec = own(comparedFields(definition), field)
  if (spec !== undefined) return spec
  const of = steps.length === 0 ? 'no stored field' : `no stored field of ${definition.name}`
  reportHere(`it names ${path}, which is ${of}`, instead(field, Object.keys(readableFields(definition))))
  return null
}

/** 0 for other kinds, which are short. */
export const textMax = (spec: SpecBase): number =>
  spec.kind === 'text' ? ((spec as { readonly max?: number }).max ?? 0) : 0
/** As for an index. */
export const cursorTextMax = 650
