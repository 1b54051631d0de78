// Checks named queries: names that do not collide with lists, arguments that are used, conditions on existing fields.

import { type SpecBase, shown } from '../../field/field.ts'
import { comparesOf, isWord } from '../../field/registry.ts'
import type { OneSpec } from '../../field/relation.ts'
import type { Definition, QueryDefinition } from '../../language/definition.ts'
import { argumentsOf } from '../../language/placeholder.ts'
import type { RuleNode } from '../../language/rule/rule.ts'
import { within } from '../../language/rule/rule-parts.ts'
import { testOf } from '../../model/rule/query-condition.ts'
import { capitalised, columnName, graphqlNameOf, kebab, snake } from '../../naming/casing.ts'
import { a } from '../../naming/indefinite-article.ts'
import { comparedFields, type DefinitionIndex, findRecordRule, fits, own, wordFor } from '../report/definition-index.ts'
import { distinct, instead, type Report } from '../report/report.ts'
import { misfit, untestable } from '../report/test.ts'
import { checkRules, type Place } from './rule.ts'

export function queryContradictions(definitions: DefinitionIndex, report: Report): void {
  for (const definition of definitions.resources.values()) {
    for (const [name, query] of Object.entries(definition.queries ?? {})) {
      const place = { definitions, definition, where: `${definition.name}.queries.${name}`, report }
      checkName(name, place)
      checkAllow(query, place)
      checkArguments(query, place)
      checkSort(query, place)
      if ((query.where === undefined) === (query.ids === undefined))
        report(place.where, 'it has neither or both of where and ids', 'select its records by one of them')
      else if (query.where !== undefined) checkScope(query, query.where, place)
    }
  }
}

const nameForm = /^[a-z][A-Za-z0-9]*$/

function checkName(name: string, { where, report }: Place): void {
  if (!nameForm.test(name) || name in Object.prototype)
    report(where, 'its name is not of the form topRated', 'use letters and digits')
  if (['batch', 'me'].includes(kebab(name)))
    report(where, `the path …/${name} is something else`, 'choose another name')
}

function checkAllow({ allow }: QueryDefinition, { where, report }: Place): void {
  const recordRule = findRecordRule(withoutMembership(allow))
  if (recordRule !== undefined)
    report(where, `its allow has ${recordRule.rule}, a rule about a record, and a query has none`, 'write it in where')
  if (allow.rule === 'nobody') report(where, 'no caller may use it', 'allow one, or remove it')
}

/** Tenant roles are tested on each listed record, not before. (contract 10.2.3) */
function withoutMembership(rule: RuleNode): RuleNode {
  if (rule.rule === 'anyOf' || rule.rule === 'allOf') return { ...rule, rules: rule.rules.map(withoutMembership) }
  return isMembership(rule) ? { rule: 'signedIn' } : rule
}
const isMembership = (rule: RuleNode): boolean =>
  rule.rule === 'some'
    ? rule.member !== undefined
    : rule.rule === 'through'
      ? isMembership(rule.of)
      : rule.rule === 'allOf' && rule.rules.every(isMembership)

/** (contract 1.2.1) */
const listParameters =
  'page perPage limit cursor sort fields first after last before filter where whereText q search offset'.split(' ')

function checkArguments({ args = {} }: QueryDefinition, { definitions, definition, where, report }: Place): void {
  for (const [name, spec] of Object.entries(args)) {
    const at = `${where}.${name}`
    if (!nameForm.test(name) || name in Object.prototype)
      report(at, 'its name is not of the form minPrice', 'use letters and digits')
    if (!isWord(spec)) report(at, `${a(spec.kind)} cannot stand in a query string`, 'choose another kind')
    if (spec.kind === 'one' && !definitions.resources.has((spec as OneSpec).target))
      report(at, `it refers to ${(spec as OneSpec).target}, which is not in this service`, 'name a resource of it')
    for (const option of ['was', 'column', 'unique', 'onDelete', 'cascade', 'readOnly', 'isActor'] as const)
      if (option in spec) report(at, `${wordFor(option)} is an option of stored fields`, `strike ${wordFor(option)}`)
    if (spec.default !== undefined && !fits(spec, spec.default))
      report(at, `its default ${shown(spec.default)} is none of its values`, 'choose another default or wider limits')
  }
  const taken = [
    ...listParameters.map((each) => [snake(each), 'every list'] as const),
    ...Object.entries(definition.filter ?? {}).map(([name, { on }]) => {
      const kind = own(definition.fields, on ?? name)?.kind
      return [columnName(name, kind === 'one' && on === undefined ? 'one' : ''), 'a filter'] as const
    }),
  ]
  const claims = Object.entries(args).map(([name, { kind }]) => [columnName(name, kind), name] as const)
  distinct([...new Map(taken), ...claims], (parameter, first, second) =>
    report(`${where}.${second}`, `${parameter} is an argument of ${first} already`, 'choose another name'),
  )
}

function checkSort({ sort = [] }: QueryDefinition, { definition, where, report }: Place): void {
  const fields = comparedFields(definition)
  const fieldNames = sort.map((each) => (each.startsWith('-') ? each.slice(1) : each))
  for (const [index, field] of fieldNames.entries()) {
    const spec = own(fields, field)
    if (spec === undefined)
      report(where, `its sort names ${field}, which is no stored field`, instead(field, Object.keys(fields)))
    else if (comparesOf(spec) === 'not at all')
      report(where, `its sort names ${field}, which is ${a(spec.kind)} and has no order`, 'strike it')
    if (fieldNames.indexOf(field) < index) report(where, `its sort names ${field} twice`, 'strike one')
    if (own(definition.protect, field)?.read !== undefined)
      report(where, `its order would reveal ${field}, which is protected`, 'sort by another field')
  }
}

function checkScope({ args = {} }: QueryDefinition, where: RuleNode, place: Place): void {
  const { report } = place
  const used = new Set<string>()
  for (const each of within(where)) {
    if (each.rule === 'when') checkTests(each.values, args, used, place)
    else if (each.rule === 'may' || each.rule === 'nobody')
      report(place.where, `its where has ${each.rule}, which is about the caller`, 'write it in allow')
    else if (each.rule !== 'anyOf' && each.rule !== 'allOf' && each.rule !== 'not') checkRules(each, place)
  }
  for (const name of Object.keys(args))
    if (!used.has(name)) report(`${place.where}.${name}`, 'its where has no use for it', 'use it or strike it')
}

function checkTests(
  values: Readonly<Record<string, unknown>>,
  args: Readonly<Record<string, SpecBase>>,
  used: Set<string>,
  place: Place,
): void {
  const { definition, where, report } = place
  const fields = comparedFields(definition)
  const plain: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(values)) {
    const comparison = testOf(value)
    const spec = own(fields, field)
    if (comparison === null || spec === undefined) {
      plain[field] = value
      continue
    }
    const names = argumentsOf(comparison.value)
    for (const name of names) used.add(name)
    const unknown = names.find((name) => own(args, name) === undefined)
    if (unknown !== undefined) {
      report(
        where,
        `it compares ${field} with arg('${unknown}'), which is none of its args`,
        instead(unknown, Object.keys(args)),
      )
      continue
    }
    const wrong = untestable(comparison.test, spec, field) ?? misfit(comparison.value, { spec, field, args }, place)
    if (wrong !== null) report(where, ...wrong)
    if (names.length > 0 && own(definition.protect, field)?.read !== undefined)
      report(where, `its list would reveal ${field}, which is protected`, 'compare another field')
  }
  if (Object.keys(plain).length > 0 || Object.keys(values).length === 0)
    checkRules({ rule: 'when', values: plain }, place)
}

export function* choiceTypes(definition: Definition): Iterable<readonly [string, string]> {
  const { name, queries = {} } = definition
  for (const [query, { args = {} }] of Object.entries(queries))
    for (const [arg, { kind }] of Object.entries(args))
      if (kind === 'choice')
        yield [
          `${graphqlNameOf(definition)}${capitalised(query)}${capitalised(arg)}`,
          `${name}.queries.${query}.${arg}`,
        ]
}
