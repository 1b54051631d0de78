// Checks kept numbers: existing lists, exact sums, conditions on the counted record only.

import { isToMany } from '../../field/relation.ts'
import { type Definition, wholeOf } from '../../language/definition.ts'
import {
  countedKinds,
  type NumberDefinition,
  numberDefinitions,
  numberNamed,
  placeOf,
  specOfNumber,
} from '../../model/number/kept-number-definition.ts'
import { fieldsRead } from '../../model/rule/comparison.ts'
import { type Resources, targetOf } from '../../model/tenant/tenancy.ts'
import { a } from '../../naming/indefinite-article.ts'
import { type DefinitionIndex, fieldsOfKind, own } from '../report/definition-index.ts'
import { instead, type Report } from '../report/report.ts'
import { checkRecordRule } from './unique.ts'

/** Expects definitions whose kept numbers are not expanded to fields. (contract 13.2) */
export function keptNumberContradictions(definitions: DefinitionIndex, report: Report): void {
  for (const definition of definitions.resources.values()) {
    const fields = new Set<string>()
    for (const number of numberDefinitions(definition)) {
      const where = placeOf(number, definition)
      checkName(where, number.field, definition, fields, report)
      const target = checkList(where, number, definition, definitions, report)
      if (target === null) continue
      checkSum(where, number, target, definitions, report)
      checkRecordRule(number.where, { definitions, definition: target, where, report })
    }
    checkUses(definition, fields, report)
  }
}

function checkName(where: string, field: string, definition: Definition, former: Set<string>, report: Report): void {
  if (own(definition.fields, field) !== undefined || own(definition.computed, field) !== undefined || former.has(field))
    report(where, `${definition.name} has a field ${field} already`, 'choose another name')
  former.add(field)
}

function checkList(
  where: string,
  { list, of, where: rule }: NumberDefinition,
  definition: Definition,
  definitions: DefinitionIndex,
  report: Report,
): Definition | null {
  const spec = own(definition.fields, list)
  if (!isToMany(spec)) {
    const lists = fieldsOfKind(definition, 'many', 'manyToMany')
    report(where, `it names ${list}, which is no list of records`, instead(list, lists))
    return null
  }
  if (spec.kind === 'manyToMany' && (of !== null || rule !== null))
    report(
      where,
      `${list} is a many-to-many relation, whose records can only be counted, all of them`,
      'count all of it, or keep the number in a resource of its own',
    )
  if (writtenByLibrary.has(spec.target))
    report(where, `the library writes each ${spec.target} itself`, `request the total of ${list} instead`)
  return definitions.resources.get(spec.target) ?? null
}
const writtenByLibrary: ReadonlySet<string> = new Set(['Session', 'SecurityEvent', 'SignInMethod'])

/** Only exact numbers can be summed in any order. */
function checkSum(
  where: string,
  { list, of, as }: NumberDefinition,
  target: Definition,
  { resources }: DefinitionIndex,
  report: Report,
): void {
  if (of === null) return
  const { name, fields } = target
  const inner = numberNamed(of, target)
  const spec = own(fields, of) ?? (inner && specOfNumber(inner, target, resources))
  const numbers = [...fieldsOfKind(target, ...countedKinds), ...numberDefinitions(target).map(({ field }) => field)]
  if (inner !== undefined && sumsBelow(inner, target, resources).includes(where))
    report(where, `${list}.${of} adds up this sum itself`, 'add up a field that does not depend on it')
  else if (spec === undefined || !numbers.includes(of)) {
    const what = of === '' ? 'names no field' : spec === undefined ? `names ${of}, which is no field` : `adds up ${of}`
    const why = spec === undefined ? '' : `, which is ${a(spec.kind)}, and not exact`
    report(
      where,
      `it ${what} of ${name}${why}`,
      instead(
        `${list}.${of}`,
        numbers.map((each) => `${list}.${each}`),
      ),
    )
  } else if (as !== undefined && as !== spec.kind)
    report(where, `it is declared as ${a(as)}, and ${list}.${of} is ${a(spec.kind)}`, `write as: '${spec.kind}'`)
}

/** The places of this number and of those that it adds up. */
function sumsBelow(
  number: NumberDefinition,
  definition: Definition,
  resources: Resources,
  outer: readonly string[] = [],
): readonly string[] {
  const place = placeOf(number, definition)
  const target = targetOf(number.list, definition, resources)
  const inner = number.of === null || target === undefined ? undefined : numberNamed(number.of, target)
  const places = [...outer, place]
  return inner === undefined || outer.includes(place) ? places : sumsBelow(inner, target!, resources, places)
}

function checkUses(
  { name, unique = [], exclude = [], keys = [], invariants = [] }: Definition,
  numbers: Set<string>,
  report: Report,
) {
  const references = [
    ...unique.map((each) => ['unique', wholeOf(each).fields] as const),
    ...exclude.map(
      ({ fields, overlap, where }) =>
        ['exclude', [...fields, ...overlap, ...(where === undefined ? [] : fieldsRead(where))]] as const,
    ),
    ...keys.map((each) => ['keys', wholeOf(each).fields] as const),
    ...invariants.map(({ like }) => ['invariants', Object.keys(like)] as const),
  ]
  for (const [place, fields] of references)
    for (const field of fields.filter((each) => numbers.has(each)))
      report(`${name}.${place}`, `it names ${field}, which changes with other records`, 'strike it')
}
