// (contract 4.3.2)

import { fieldsOf, linksOf, type RecordParts } from '../../action/record-selection.ts'
import type { Detail } from '../../failure/failure.ts'
import type { FieldModel, LinkRelation, ResourceModel } from '../../resource/model/model.ts'
import { recordActions } from '../../resource/model/rule/record-action.ts'
import type { Vocabulary } from '../../resource/model/vocabulary.ts'

/**
 * Parses `fields=id,title,can`; sorted as in the definition, so equal sets are one selection. Adds to `problems` unknown, repeated
 * and missing names.
 */
export function readFields(
  text: string,
  resource: ResourceModel,
  vocabulary: Vocabulary,
  problems: Detail[],
): RecordParts {
  const byName = new Map<string, FieldModel | LinkRelation | 'can'>([
    ...fieldsOf(resource).map((field) => [vocabulary.name(resource, field.name), field] as const),
    ...linksOf(resource).map((relation) => [vocabulary.list(resource, relation), relation] as const),
  ])
  if (recordActions(resource).length > 0) byName.set('can', 'can')
  const chosen = new Set<FieldModel | LinkRelation | 'can'>()
  for (const name of text.split(',')) {
    const field = byName.get(name)
    if (field === undefined) problems.push({ field: 'fields', message: unknownField(name, resource) })
    else if (chosen.has(field)) problems.push({ field: 'fields', message: `Names ${name} twice.` })
    else chosen.add(field)
  }
  return {
    fields: fieldsOf(resource).filter((field) => chosen.has(field)),
    links: linksOf(resource).filter((relation) => chosen.has(relation)),
    can: chosen.has('can'),
  }
}

const unknownField = (name: string, resource: ResourceModel): string =>
  name === '' ? 'Must be names of fields with commas between them.' : `There is no field ${name} in ${resource.path}.`
