// All that a reader can see of a record, or some of its fields, under the names of a vocabulary.

import { getOrInsert } from '../cache/get-or-insert.ts'
import type { Part, Selection, ValueShape } from '../read-plan/selection.ts'
import type { PartName, SpecBase } from '../resource/field/field.ts'
import type { ActionModel, FieldModel, LinkRelation, ResourceModel } from '../resource/model/model.ts'
import { recordActions } from '../resource/model/record-action.ts'
import type { Vocabulary } from '../resource/model/vocabulary.ts'

/** Everything a reader can see: stored fields, relations by their id, what is computed; not the lists below. */
export const fieldsOf = (resource: ResourceModel): readonly FieldModel[] =>
  [...resource.fields.values()].filter((field) => field.column !== null || field.computed !== null)

/** The links that an action takes as ids: they are read as ids too. (contract 13.1.7) */
export const linksOf = (resource: ResourceModel): readonly LinkRelation[] =>
  getOrInsert(links, resource, ({ actions, relations }) => {
    const accepted = new Set([...actions.values()].flatMap(({ lists }) => lists.map(({ field }) => field)))
    return [...relations.values()].filter(
      (relation): relation is LinkRelation => relation.kind === 'manyToMany' && accepted.has(relation.field),
    )
  })
const links = new WeakMap<ResourceModel, readonly LinkRelation[]>()

/** What an answer under this vocabulary calls the lists of these links. */
export const linkNames = (resource: ResourceModel, vocabulary: Vocabulary): readonly string[] =>
  linksOf(resource).map((relation) => vocabulary.list(resource, relation))

/** Which parts of a record are answered. */
export interface RecordParts {
  readonly fields: readonly FieldModel[]
  readonly links: readonly LinkRelation[]
  /** Whether it says what the reader may do with it. */
  readonly can: boolean
}
/** The parts as text: no field is called `can`. */
export const nameParts = ({ fields, links, can }: RecordParts): string =>
  [...fields.map((each) => each.name), ...links.map((each) => each.field), ...(can ? ['can'] : [])].join()

/** Selects these parts, or all fields and links. What the reader may not see is left out. (contract 2.7.8) */
export function makeSelection(
  resource: ResourceModel,
  vocabulary: Vocabulary,
  { fields, links, can }: RecordParts = { fields: fieldsOf(resource), links: linksOf(resource), can: false },
): Selection {
  const values = fields.map((field): Part => {
    const shape = shapeOf(field.spec, vocabulary.part)
    const key = vocabulary.name(resource, field.name)
    const part = { kind: 'field', key, field: field.name, nullable: field.nullable } as const
    return shape === null ? part : { ...part, shape }
  })
  const ids = links.map((relation): Part => ({ kind: 'links', key: vocabulary.list(resource, relation), relation }))
  const own = can ? [canPart(resource, vocabulary)] : []
  return { resource, parts: [...values, ...ids, ...own], hidden: 'omit' }
}

/** What a vocabulary calls an action where it stands among fields. */
export const actionName = ({ name }: ActionModel, { part }: Pick<Vocabulary, 'part'>): string =>
  part(name, { kind: 'boolean' })

const canPart = (resource: ResourceModel, vocabulary: Vocabulary): Part => ({
  kind: 'can',
  key: 'can',
  parts: recordActions(resource).map((action) => ({ key: actionName(action, vocabulary), action })),
})

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
