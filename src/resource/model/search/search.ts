// The documents a search covers: the resource's own records and those of its lists, each under its own rule. (contract 12.2.10,
// 12.2.14)

import { type Caller, credentialRefusal } from '../../actor.ts'
import type { Definition } from '../../language/definition.ts'
import { partsName, wordsName } from '../../naming/casing.ts'
import { type Column, type FoldedColumn, sortNumber } from '../column.ts'
import type { LinkRelation, ManyRelation, ResourceModel, SearchDocument, SearchField, SortModel } from '../model.ts'
import type { ResourceDraft } from '../model-draft.ts'
import { type Condition, fold, never, type SearchShape, type VisibleSearch } from '../rule/condition.ts'

export function visibleSearch(shape: SearchShape, caller: Caller): VisibleSearch {
  const visible = shape.model.documents.flatMap((document) => {
    const condition = document.relation === null ? null : readableBy(document.resource, caller)
    if (condition?.is === 'never') return []
    return [{ document, condition: condition ?? ({ is: 'always' } as const) }]
  })
  return { ...shape, visible }
}

const readableBy = (resource: ResourceModel, caller: Caller): Condition =>
  credentialRefusal(caller, 'read', resource) === null ? fold(resource.read.allow, resource, caller) : never

export const relevance = sortNumber('relevance')

export function compileSearch(
  resource: ResourceDraft,
  { search = [], anywhere = [] }: Definition,
  drafts: Drafts,
): void {
  const fields = [
    ...search.map((path) => ({ path, form: 'words' as const })),
    ...anywhere.map((path) => ({ path, form: 'parts' as const })),
  ]
  if (fields.length === 0) return
  const documents = new Map<
    string,
    { relation: SearchDocument['relation']; resource: ResourceDraft; words: SearchField[]; parts: SearchField[] }
  >()
  for (const [place, { path, form }] of fields.entries()) {
    const [list, field] = path.includes('.') ? (path.split('.') as [string, string]) : ['', path]
    const relation = list === '' ? null : (resource.relations.get(list) as ManyRelation | LinkRelation)
    const of = relation === null ? resource : drafts.get(relation.target.name)!
    const document = documents.get(list) ?? { relation, resource: of, words: [], parts: [] }
    documents.set(list, document)
    document[form].push({ column: searchColumn(of, of.column.get(field)!, form), place })
  }
  const own = [...documents.values()].toSorted(
    (one, other) => Number(one.relation !== null) - Number(other.relation !== null),
  )
  resource.search = { documents: own, size: fields.length }
  for (const { resource: of, words, parts } of own)
    addIndexed(
      of,
      [...words, ...parts].map(({ column }) => column),
    )
  resource.sorts = new Map([...resource.sorts, ['relevance', byRelevance(resource)]])
}
type Drafts = ReadonlyMap<string, ResourceDraft>

const byRelevance = (resource: ResourceModel): SortModel => ({
  name: 'relevance',
  list: null,
  relations: [],
  resource,
  column: relevance,
  isHideable: false,
  isHidden: false,
  inside: null,
})

const searchBytesMax = 100_000

function searchColumn(resource: ResourceDraft, of: Column, form: 'words' | 'parts'): FoldedColumn {
  const name = form === 'words' ? wordsName(of.name) : partsName(of.name)
  const existing = resource.folded.find((each) => each.name === name)
  if (existing !== undefined) return existing
  const column: FoldedColumn = { ...of, name, nullable: false, unique: false, of, form, bytesMax: searchBytesMax }
  resource.folded = [...resource.folded, column]
  return column
}

function addIndexed(resource: ResourceDraft, columns: readonly FoldedColumn[]): void {
  const key = (each: readonly FoldedColumn[]) =>
    each
      .map(({ name }) => name)
      .toSorted()
      .join()
  if (resource.indexed.some((each) => key(each) === key(columns))) return
  resource.indexed = [...resource.indexed, columns]
}
