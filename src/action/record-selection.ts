// Selects a record, or some of its fields, in names of a vocabulary.

import { memoize } from '../cache/memoize.ts'
import type { Part, Selection, ValueShape } from '../read-plan/selection.ts'
import type { PartName, SpecBase } from '../resource/field/field.ts'
import type { Column } from '../resource/model/column.ts'
import type { ActionModel, FieldModel, LinkRelation, ResourceModel } from '../resource/model/model.ts'
import { recordActions } from '../resource/model/rule/record-action.ts'
import type { Vocabulary } from '../resource/model/vocabulary.ts'

/** Stored and computed fields, and relations as ids; no lists. */
export const fieldsOf = (resource: ResourceModel): readonly FieldModel[] =>
  [...resource.fields.values()].filter((field) => field.column !== null || field.computed !== null)

/** Links that an action accepts as ids are read as ids. (contract 13.1.7) */
export const linksOf = memoize(({ actions, relations }: ResourceModel): readonly LinkRelation[] => {
  const accepted = new Set([...actions.values()].flatMap(({ lists }) => lists.map(({ field }) => field)))
  return [...relations.values()].filter(
    (relation): relation is LinkRelation => relation.kind === 'manyToMany' && accepted.has(relation.field),
  )
})

export const linkNames = (resource: ResourceModel, vocabulary: Vocabulary): readonly string[] =>
  linksOf(resource).map((relation) => vocabulary.list(resource, relation))

export interface RecordParts {
  readonly fields: readonly FieldModel[]
  readonly links: readonly LinkRelation[]
  readonly can: boolean
}
/** A cache key. No field is called `can`. */
export const nameParts = ({ fields, links, can }: RecordParts): string =>
  [...fields.map((each) => each.name), ...links.map((each) => each.field), ...(can ? ['can'] : [])].join()

/** All fields and links by default. Hidden parts are omitted. (contract 2.7.8) */
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

/** All of a record, and the tokens that only the answer to its creator has. */
export function makeWrittenSelection(resource: ResourceModel, vocabulary: Vocabulary): Selection {
  const { parts, ...selection } = makeSelection(resource, vocabulary)
  const tokens = tokensOf(resource).map(
    ({ field }): Part => ({ kind: 'token', key: vocabulary.name(resource, field), field }),
  )
  return { ...selection, parts: [...parts, ...tokens] }
}

export const tokensOf = ({ columns }: ResourceModel): readonly Column[] =>
  columns.filter(({ spec }) => spec.kind === 'token')

export const actionName = ({ name }: ActionModel, { part }: Pick<Vocabulary, 'part'>): string =>
  part(name, { kind: 'boolean' })

/** The tokens that an action makes, and that its answer shows once. */
export const newTokensOf = ({ kind, resource, renews }: ActionModel): readonly Column[] =>
  kind === 'create' ? tokensOf(resource) : renews

const canPart = (resource: ResourceModel, vocabulary: Vocabulary): Part => ({
  kind: 'can',
  key: 'can',
  parts: recordActions(resource).map((action) => ({ key: actionName(action, vocabulary), action })),
})

interface ShapedSpec extends SpecBase {
  readonly of?: SpecBase
  readonly fields?: Readonly<Record<string, SpecBase>>
}

/** Null for values that need no renaming. */
function shapeOf(spec: ShapedSpec, partName: PartName): ValueShape | null {
  if (spec.kind === 'list') return shapeOf(spec.of!, partName)
  if (spec.kind !== 'object') return null
  const parts = Object.entries(spec.fields!).map(([part, of]) => {
    const shape = shapeOf(of, partName)
    return { key: partName(part, of), part, ...(shape === null ? {} : { shape }) }
  })
  return { parts }
}
