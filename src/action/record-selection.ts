// All that a reader can see of a record, or some of its fields, under the names of a vocabulary.

import type { Selection, ValueShape } from '../read-plan/selection.ts'
import type { PartName, SpecBase } from '../resource/field/field.ts'
import type { FieldModel, ResourceModel } from '../resource/model/model.ts'
import type { Vocabulary } from '../resource/model/vocabulary.ts'

/** Everything a reader can see: stored fields, relations by their id, what is computed; not the lists below. */
export const fieldsOf = (resource: ResourceModel): readonly FieldModel[] =>
  [...resource.fields.values()].filter((field) => field.column !== null || field.computed !== null)

/** Selects these fields, or all. What the reader may not see is left out. (contract 2.7.8) */
export function makeSelection(
  resource: ResourceModel,
  vocabulary: Vocabulary,
  fields: readonly FieldModel[] = fieldsOf(resource),
): Selection {
  const parts = fields.map((field) => {
    const shape = shapeOf(field.spec, vocabulary.part)
    const key = vocabulary.name(resource, field.name)
    const part = { kind: 'field', key, field: field.name, nullable: field.nullable } as const
    return shape === null ? part : { ...part, shape }
  })
  return { resource, parts, hidden: 'omit' }
}

interface ShapedSpec extends SpecBase {
  readonly of?: SpecBase
  readonly fields?: Readonly<Record<string, SpecBase>>
}

/** How the parts of embedded objects are called; null where a value goes out as it is stored. */
function shapeOf(spec: ShapedSpec, partName: PartName): ValueShape | null {
  if (spec.kind === 'list') return shapeOf(spec.of!, partName)
  if (spec.kind !== 'object') return null
  const parts = Object.entries(spec.fields!).map(([part, of]) => {
    const shape = shapeOf(of, partName)
    return { key: partName(part, of), part, ...(shape === null ? {} : { shape }) }
  })
  return { parts }
}
