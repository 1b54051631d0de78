// (contract 12.2)

import { type SummaryNames, summaryNames } from '../action/question/parameter/groups.ts'
import { pathWords } from '../resource/about.ts'
import type { JsonSchema } from '../resource/field/field.ts'
import type { GroupModel, ResourceModel, SortModel } from '../resource/model/model.ts'
import type { Vocabulary } from '../resource/model/vocabulary.ts'
import { capitalised } from '../resource/naming/casing.ts'
import type { CursorForm } from '../rest/query/page.ts'
import type { ResourceEndpoint } from '../rest/route/routes.ts'
import type { DocumentContext } from './document-context.ts'
import { schemaReference } from './name.ts'
import { count64, objectSchema, valueOrId } from './schema.ts'

export function summarySchema({ resource, version }: ResourceEndpoint, context: DocumentContext): JsonSchema {
  const { limits, cursorForm } = context
  const group = groupSchema(resource, version.vocabulary)
  const description = 'The groups of the page.'
  const data = { type: 'array', maxItems: limits.pageSize, items: group, description }
  if (cursorForm === 'envelope') return objectSchema({ data, meta: schemaReference('CursorMeta') }, ['data', 'meta'])
  const next = { type: 'string', maxLength: 4096, description: 'Where the next page begins.' }
  const more = { type: 'boolean', description: 'Whether there is another page.' }
  return objectSchema({ data, next_cursor: next, has_more: more }, ['data', 'has_more'])
}

function groupSchema(resource: ResourceModel, vocabulary: Vocabulary): JsonSchema {
  const names = summaryNames(resource, vocabulary)
  const { measures, distinct } = resource.summary!
  const groups = [...names.groups].map(([name, group]) => [name, groupValue(group, vocabulary)])
  const count = (description: string) => ({ ...count64, description })
  const values = (about: string, of: readonly SortModel[], schema: (path: SortModel) => JsonSchema): JsonSchema => ({
    ...objectSchema(
      Object.fromEntries(of.map((path) => [names.of(path), schema(path)])),
      of.map((path) => names.of(path)),
    ),
    description: about,
  })
  const measured = [...measures.values()]
  const own = (path: SortModel) => ({ ...ownSchema(path, vocabulary), description: `The ${pathWords(path)}.` })
  const numbers =
    measured.length === 0
      ? {}
      : {
          sum: values('What they add up to; null for none.', measured, exactSchema),
          avg: values('Their average, with six more digits; null for none.', measured, exactSchema),
          min: values('The least of them; null for none.', measured, own),
          max: values('The greatest of them; null for none.', measured, own),
        }
  const different =
    distinct.size === 0
      ? {}
      : {
          distinct: values('How many different values there are.', [...distinct.values()], (path) =>
            count(`Of the ${pathWords(path)}.`),
          ),
        }
  const always = { count: count('How many records the group has.'), ...numbers, ...different }
  const schema = objectSchema({ ...Object.fromEntries(groups), ...always }, Object.keys(always))
  return { ...schema, description: 'A group: its values of `group_by`, and the totals of its records.' }
}

function groupValue(group: GroupModel, vocabulary: Vocabulary): JsonSchema {
  const about = capitalised(pathWords(group))
  if (group.units.length === 0)
    return {
      ...ownSchema(group, vocabulary),
      description: `${about}; null where there is none, or the caller may not see it.`,
    }
  const description = `${about}, by its calendar unit: \`2026\`, \`2026-Q4\`, \`2026-11\`, \`2026-W47\`, \`2026-11-22\`, or the moment at which an hour begins.`
  return { type: ['string', 'null'], maxLength: 24, pattern: '^\\d{4}[0-9QWTZ:.-]*$', description }
}

const ownSchema = ({ column, resource }: SortModel, { part }: Vocabulary): JsonSchema =>
  valueOrId(column.field, { ...column.spec, optional: true }, resource, part)

const exactSchema = (path: SortModel): JsonSchema => ({
  type: ['string', 'null'],
  format: 'decimal',
  pattern: '^-?\\d+(?:\\.\\d+)?$',
  maxLength: 64,
  description: `Of the ${pathWords(path)}.`,
})

/** A group by the first field to group by. */
export function summaryExample(resource: ResourceModel, vocabulary: Vocabulary, cursorForm: CursorForm): object {
  const names: SummaryNames = summaryNames(resource, vocabulary)
  const { measures, distinct } = resource.summary!
  const each = (value: string | null) =>
    Object.fromEntries([...measures.values()].map((path) => [names.of(path), value]))
  const numbers =
    measures.size === 0 ? {} : { sum: each('25.00'), avg: each('12.50000000'), min: each(null), max: each(null) }
  const counts = Object.fromEntries([...distinct.values()].map((path) => [names.of(path), 2]))
  const data = [{ count: 2, ...numbers, ...(distinct.size === 0 ? {} : { distinct: counts }) }]
  return cursorForm === 'envelope'
    ? { data, meta: { next_cursor: null, prev_cursor: null, has_next: false } }
    : { data, has_more: false }
}
