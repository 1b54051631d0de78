// Checks the length of indexed texts: PostgreSQL refuses index entries larger than a third of a page, so valid writes would fail.

import { type Definition, sortsOf, type UniqueDefinition, wholeOf } from '../../language/definition.ts'
import { type DefinitionIndex, own } from '../report/definition-index.ts'
import { textMax } from '../report/path.ts'
import { joinNames, type Report } from '../report/report.ts'

/** 2,704 bytes, less an id and a timestamp, at up to four bytes per code point. */
const codePointsMax = 650

export function indexContradictions(definitions: DefinitionIndex, report: Report): void {
  for (const definition of definitions.resources.values()) {
    const { name, filter = {}, fields, queries = {} } = definition
    const problem = 'longer than an index can hold'
    const remedy = `let it be at most ${codePointsMax} characters`
    const uses: [field: string, use: string][] = [
      ...Object.keys(fields).flatMap((field): [string, string][] =>
        fields[field]!.unique ? [[field, 'is unique']] : [],
      ),
      ...sortsOf(definition).map(([path]): [string, string] => [path, 'is sorted by']),
      ...Object.keys(filter).flatMap((field): [string, string][] =>
        filter[field]!.test === 'is' ? [[field, 'is filtered by']] : [],
      ),
    ]
    for (const [field, use] of uses) {
      if (lengthOf(field, definition) > codePointsMax)
        report(`${name}.${field}`, `it ${use} and may be ${problem}`, `${remedy}, or strike that`)
    }
    for (const unique of [...(definition.unique ?? []), ...(definition.keys ?? [])])
      checkUnique(unique, definition, report)
    for (const [query, { sort: order = [] }] of Object.entries(queries)) {
      const sorted = order.map((each) => each.replace('-', ''))
      const wide = sorted.filter((field) => lengthOf(field, definition) > 0)
      const length = wide.reduce((sum, field) => sum + lengthOf(field, definition), 0)
      if (length > codePointsMax)
        report(
          `${name}.queries.${query}`,
          `it sorts by ${joinNames(wide, 'and')}, which may be ${problem}`,
          `let them be at most ${codePointsMax} characters together`,
        )
    }
  }
}

function checkUnique(unique: UniqueDefinition, definition: Definition, report: Report): void {
  const { fields, caseless } = wholeOf(unique)
  const wide = fields.filter((field) => lengthOf(field, definition) > 0)
  const widthOf = (field: string) => Math.max(lengthOf(field, definition), caseless === true ? foldedMin : 0)
  if (wide.reduce((sum, field) => sum + widthOf(field), 0) > codePointsMax)
    report(
      `${definition.name}.unique [${fields.join(', ')}]`,
      `${joinNames(wide, 'and')} may be longer than an index can hold`,
      `let them be at most ${codePointsMax} characters together`,
    )
}
const foldedMin = 100

function lengthOf(field: string, { fields }: Definition): number {
  const spec = own(fields, field)
  return spec === undefined ? 0 : textMax(spec)
}
