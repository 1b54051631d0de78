// From values as callbacks hold them to JSON as a version's clients see it: their names, and moments as text.

import type { PartName, SpecBase } from '../resource/field/field.ts'
import { writeValue as jsonValue } from '../resource/field/registry.ts'
import type { ActionModel } from '../resource/model/model.ts'
import type { Vocabulary } from '../resource/model/vocabulary.ts'

type Members = Readonly<Record<string, unknown>>
interface Spec extends SpecBase {
  readonly of?: Spec
  readonly fields?: Readonly<Record<string, Spec>>
}

/** The input of an action as a client would send it. What the action does not accept keeps its name, and is refused. */
export function writeInput({ accept, resource }: ActionModel, input: object, { name, part }: Vocabulary): Members {
  const specs = new Map(accept.map(({ field, spec }) => [field, spec]))
  const members = Object.entries(input).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    members.map(([field, value]) => {
      const spec = specs.get(field)
      return spec === undefined ? [field, value] : [name(resource, field), writeValue(spec, value, part)]
    }),
  )
}

/** The parts that `fields` names and no others, whatever else the object holds. */
export function writeParts(fields: Readonly<Record<string, Spec>>, object: Members, partName: PartName): Members {
  return Object.fromEntries(
    Object.entries(fields).map(([part, of]) => [partName(part, of), writeValue(of, object[part], partName)]),
  )
}

function writeValue(spec: Spec, value: unknown, partName: PartName): unknown {
  if (value === null || value === undefined) return value
  if (spec.kind === 'argument') return writeValue(spec.of!, value, partName)
  if (spec.kind === 'list' && Array.isArray(value)) return value.map((each) => writeValue(spec.of!, each, partName))
  if (spec.kind === 'object') return writeParts(spec.fields!, value as Members, partName)
  return jsonValue(spec, value)
}
