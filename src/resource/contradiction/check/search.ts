// Checks searched texts: readable by every reader of their record. (contract 12.2.10)

import { defaultLimits } from '../../../limits.ts'
import { isToMany } from '../../field/relation.ts'
import { type Definition, sortsOf } from '../../language/definition.ts'
import { a } from '../../naming/indefinite-article.ts'
import { type DefinitionIndex, fieldsOfKind, own, targetOf } from '../report/definition-index.ts'
import { instead, type Report } from '../report/report.ts'

export function searchContradictions(definitions: DefinitionIndex, report: Report): void {
  for (const definition of definitions.resources.values()) {
    const { name, search = [], anywhere = [] } = definition
    if (search.length + anywhere.length === 0) continue
    for (const [part, paths] of Object.entries({ search, anywhere })) {
      const where = `${name}.${part}`
      for (const [index, path] of paths.entries()) {
        if (paths.indexOf(path) < index) report(where, `it names ${path} twice`, 'strike one')
        else checkPath(path, definition, definitions, (problem, remedy) => report(where, problem, remedy))
      }
    }
    checkWidth(definition, report)
    checkOrder(definition, report)
  }
}

type ReportHere = (problem: string, remedy: string) => void

function checkPath(path: string, definition: Definition, definitions: DefinitionIndex, reportHere: ReportHere): void {
  const [list, field, ...more] = path.includes('.') ? (path.split('.') as [string, string]) : [null, path]
  if (more.length > 0) reportHere(`it names ${path}, which leads further than to a list`, 'name a field of a list')
  else if (list === null) checkField(path, field, definition, reportHere)
  else {
    const spec = own(definition.fields, list)
    const target = isToMany(spec) ? targetOf(spec, definitions) : undefined
    if (target !== undefined) checkField(path, field, target, reportHere)
    else {
      const lists = fieldsOfKind(definition, 'many', 'manyToMany')
      reportHere(`it names ${path}, and ${list} is no list of records`, instead(list, lists))
    }
  }
}

function checkField(path: string, field: string, definition: Definition, reportHere: ReportHere): void {
  const { name, fields, protect = {} } = definition
  const spec = own(fields, field)
  if (spec === undefined)
    reportHere(
      `it names ${path}, which is no stored field of ${name}`,
      instead(field, fieldsOfKind(definition, 'text')),
    )
  else if (spec.kind !== 'text')
    reportHere(`it names ${path}, which is ${a(spec.kind)}, and only texts hold words`, 'strike it')
  else if (own(protect, field)?.read !== undefined)
    reportHere(
      `it names ${path}, which some readers of ${a(name)} may not read, and a match would reveal it`,
      'strike it',
    )
}

/** Columns indexed together must fit into one index entry. */
function checkWidth({ name, search = [], anywhere = [] }: Definition, report: Report): void {
  const all = [...search, ...anywhere]
  const list = (path: string) => (path.includes('.') ? path.split('.')[0]! : '')
  const { searchFields } = defaultLimits
  for (const each of new Set(all.map(list)))
    if (all.filter((path) => list(path) === each).length > searchFields)
      report(`${name}.search`, `it looks into more than ${searchFields} fields of one record`, 'strike some')
}

function checkOrder(definition: Definition, report: Report): void {
  if (sortsOf(definition).some(([path]) => path === 'relevance'))
    report(`${definition.name}.sort`, 'relevance is how well a record answers a search', 'give the field another name')
}
