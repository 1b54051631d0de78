// Checks summaries: values that can be grouped, exact sums.

import type { Contradiction, SpecBase } from '../../field/field.ts'
import { comparesOf } from '../../field/registry.ts'
import type { Definition, SummaryDefinition } from '../../language/definition.ts'
import { columnName, snake } from '../../naming/casing.ts'
import { a } from '../../naming/indefinite-article.ts'
import { type DefinitionIndex, fieldsOfKind } from '../report/definition-index.ts'
import { cursorTextMax, endOfPath, textMax } from '../report/path.ts'
import { distinct, type Report } from '../report/report.ts'

const members = ['count', 'sum', 'avg', 'min', 'max', 'distinct']
const parameters = ['group_by', 'time_zone', 'sort', 'limit', 'cursor']
const anyRelation = ['one', 'many', 'manyToMany']
const exactKinds = ['integer', 'bigint', 'decimal']

export function summaryContradictions(definitions: DefinitionIndex, report: Report): void {
  for (const definition of definitions.resources.values()) {
    const { summary } = definition
    if (summary === undefined) continue
    checkPaths(summary, definition, definitions, report)
    checkNames(definition, report)
  }
}

function checkPaths(
  summary: SummaryDefinition,
  definition: Definition,
  definitions: DefinitionIndex,
  report: Report,
): void {
  const sums = (summary.of ?? []).map((path) => `sum_${wireName(path, '')}`)
  for (const part of ['by', 'of', 'distinct'] as const) {
    const where = `${definition.name}.summary.${part}`
    const paths = summary[part] ?? []
    const ends = new Map<string, string>()
    if (part === 'by' && paths.length === 0) report(where, 'it names nothing', 'name what records are grouped by')
    for (const [index, path] of paths.entries()) {
      if (paths.indexOf(path) < index) report(where, `it names ${path} twice`, 'strike one')
      const reportHere = (problem: string, remedy: string) => report(where, problem, remedy)
      const end = endOfPath(path, definition, definitions, reportHere, part === 'by' ? anyRelation : undefined)
      if (end === null) continue
      const wrong = part === 'of' ? inexact(path, end) : ungrouped(path, end)
      if (wrong !== null) report(where, ...wrong)
      ends.set(path, end.kind)
    }
    const names = [...ends].map(([path, kind]) => [wireName(path, kind), path] as const)
    const taken = part === 'by' ? [...members, ...sums].map((each) => [each, 'the summary'] as const) : []
    distinct([...taken, ...names], (name, first, second) =>
      report(where, `${second} would be called ${name}, as ${first} is`, 'strike one'),
    )
  }
}

const wireName = (path: string, kind: string): string => {
  const steps = path.split('.')
  return [...steps.slice(0, -1).map(snake), columnName(steps.at(-1)!, kind)].join('_')
}

function ungrouped(path: string, spec: SpecBase): Contradiction | null {
  if (comparesOf(spec) === 'not at all') return [`${path} is ${a(spec.kind)}, and no two are alike`, 'strike it']
  if (textMax(spec) > cursorTextMax)
    return [`${path} may be longer than a cursor can hold`, `let it be at most ${cursorTextMax} characters`]
  return null
}

const inexact = (path: string, { kind }: SpecBase): Contradiction | null =>
  exactKinds.includes(kind) ? null : [`${path} is ${a(kind)}, which does not add up exactly`, 'name exact numbers']

function checkNames(definition: Definition, report: Report): void {
  const { name, filter = {}, queries = {}, actions } = definition
  const lists = fieldsOfKind(definition, 'many', 'manyToMany')
  const names = { queries: Object.keys(queries), actions: Object.keys(actions), fields: lists }
  for (const [where, taken] of Object.entries(names))
    if (taken.includes('summary'))
      report(`${name}.${where}.summary`, 'it has a summary of this name', 'choose another name')
  for (const each of Object.keys(filter))
    if (parameters.includes(snake(each)))
      report(`${name}.filter.${each}`, `${snake(each)} is a parameter of summaries`, 'choose another name')
}
