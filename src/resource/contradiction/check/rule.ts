// Checks rules: existing fields, permissions with a meaning, and rules that need a record only where there is one.

import { shown } from '../../field/field.ts'
import { comparesOf } from '../../field/registry.ts'
import { isAbove, isToMany, type ManySpec, type OneSpec } from '../../field/relation.ts'
import type { Definition } from '../../language/definition.ts'
import { Placeholder } from '../../language/placeholder.ts'
import type { RuleNode } from '../../language/rule/rule.ts'
import { freshIn, isFreshLimit, type MayRule, within, wordsOf } from '../../language/rule/rule-parts.ts'
import { aboveList, isAboveList } from '../../naming/casing.ts'
import { a } from '../../naming/indefinite-article.ts'
import {
  comparedFields,
  type DefinitionIndex,
  fieldsOfKind,
  findRecordRule,
  fits,
  isPresence,
  letsInAnonymous,
  own,
  readableFields,
  rulesOf,
} from '../report/definition-index.ts'
import { instead, type Report } from '../report/report.ts'
import { checkDepths, hasReadableRings, stepOf } from '../report/rule-path.ts'
import { checkComparison, isComparison } from '../report/test.ts'

export function ruleContradictions(definitions: DefinitionIndex, report: Report): void {
  for (const definition of definitions.resources.values()) {
    for (const [where, rule] of rulesOf(definition)) {
      const place = { definitions, definition, where, report }
      checkRules(rule, place)
      checkFresh(rule, place)
    }
    checkEarlyRules(definition, report)
  }
  if (!hasReadableRings(definitions, report)) checkDepths(definitions, report)
}

export interface Place {
  readonly definitions: DefinitionIndex
  readonly definition: Definition
  readonly where: string
  readonly report: Report
}

export function checkRules(rule: RuleNode, place: Place): void {
  for (const each of within(rule)) {
    checkRule(each, place)
    const step = stepOf(each, place.definition, place.definitions)
    if (step === null) continue
    const report: Report = (where, problem, remedy) => place.report(where, `${step.words}: ${problem}`, remedy)
    const inside = { ...place, definition: step.target, report }
    checkRulesOf(step.rule, inside)
  }
}

export function checkRulesOf(rule: RuleNode, place: Place): void {
  checkRules(rule, place)
  for (const may of within(rule)) if (may.rule === 'may') checkForeignMay(may, place)
}

/** Otherwise no role could hold the permission. */
function checkForeignMay(may: MayRule, { definition, where, report }: Place): void {
  const words = permissionWords(definition)
  for (const word of wordsOf(may))
    if (!words.has(word))
      report(where, `it uses ${word} of ${definition.name}, which no rule of that resource uses`, instead(word, words))
}

export function permissionWords(definition: Definition): ReadonlySet<string> {
  const words = new Set<string>()
  for (const [, rule] of rulesOf(definition)) {
    for (const each of within(rule)) if (each.rule === 'may') for (const word of wordsOf(each)) words.add(word)
  }
  return words
}

function checkRule(rule: RuleNode, place: Place): void {
  const { definitions, definition, where, report } = place
  const hasAccounts = definitions.resources.has(definitions.accountName)
  const relations = fieldsOfKind(definition, 'one')
  switch (rule.rule) {
    case 'self':
      if (hasAccounts && definition.name !== definitions.accountName)
        report(
          where,
          `self means the actor's own account, and ${definition.name} is none`,
          "write own('…') with a relation",
        )
      break
    case 'own':
      if (hasAccounts && relation(rule.relation, place)?.target !== definitions.accountName)
        report(where, `own('${rule.relation}') names no account`, `name a relation to ${definitions.accountName}`)
      break
    case 'readable':
      if (relation(rule.relation, place) === undefined)
        report(where, `readable('${rule.relation}') names no relation`, instead(rule.relation, relations))
      break
    case 'hasToken':
      if (own(definition.fields, rule.field)?.kind !== 'token')
        report(
          where,
          `hasToken('${rule.field}') names no token`,
          instead(rule.field, fieldsOfKind(definition, 'token')),
        )
      break
    case 'through':
      if (relation(rule.relation, place) === undefined)
        report(where, `through('${rule.relation}') names no relation to one record`, instead(rule.relation, relations))
      break
    case 'some':
      if (isAboveList(rule.list)) checkAbove(rule.list, place)
      else if (!isToMany(own(definition.fields, rule.list)))
        report(where, `some('${rule.list}') names no list of records`, instead(rule.list, lists(definition)))
      break
    case 'when':
      checkWhen(rule.values, place)
      break
    case 'may':
      checkMay(rule.verb, rule.mine, place)
  }
}

const relation = (name: string, { definition }: Place): OneSpec | undefined => {
  const spec = own(definition.fields, name)
  return spec?.kind === 'one' ? (spec as OneSpec) : undefined
}
function checkAbove(list: string, { definition, where, report }: Place): void {
  if (own(definition.fields, list) !== undefined) return
  const trees = Object.values(definition.fields).flatMap((spec) => (isAbove(spec) ? [(spec as ManySpec).tree!] : []))
  const parent = list.slice(aboveList('').length)
  report(where, `above('${parent}') names no tree of ${definition.name}`, instead(parent, trees))
}

const lists = (definition: Definition) =>
  fieldsOfKind(definition, 'many', 'manyToMany').filter((field) => !isAboveList(field))

function checkWhen(values: Readonly<Record<string, unknown>>, place: Place): void {
  const entries = Object.entries(values)
  const compared = entries.filter(([, expectation]) => isComparison(expectation))
  for (const [field, expectation] of compared) checkComparison(field, expectation, place)
  if (compared.length === 0 || compared.length < entries.length)
    checkValues('when', Object.fromEntries(entries.filter(([, expectation]) => !isComparison(expectation))), place)
}

export function checkValues(
  what: string,
  values: Readonly<Record<string, unknown>>,
  place: Omit<Place, 'definitions'>,
): void {
  const { definition, where, report } = place
  const fields = what === 'when' ? comparedFields(definition) : readableFields(definition)
  if (Object.keys(values).length === 0) report(where, `its ${what} is empty`, 'name a field and its value')
  for (const [field, value] of Object.entries(values)) {
    const spec = own(fields, field)
    if (spec === undefined)
      report(where, `its ${what} names ${field}, which is no readable field`, instead(field, Object.keys(fields)))
    else if (isPresence(value)) {
      if (!spec.optional)
        report(
          where,
          `its ${what} tests for ${a(field)}, and there always is one`,
          `make ${field} optional or compare with a value`,
        )
    } else if (comparesOf(spec) === 'not at all')
      report(
        where,
        `its ${what} compares ${field}, which is ${a(spec.kind)}`,
        'compare with present or absent, or compare another field',
      )
    else if (!fits(spec, value))
      report(where, `its ${what} compares ${field} with ${shown(value)}`, `name a value that ${field} can have`)
  }
}

function checkMay(verb: string, mine: RuleNode | null, { definition, where, report }: Place): void {
  const names = [...Object.keys(definition.actions), ...Object.keys(definition.queries ?? {})]
  const verbs = names.map((action) => (action === 'update' ? 'edit' : action))
  const stem = mine === null ? verb.replace(/_own$|_any$/, '') : verb
  if (stem !== 'manage' && !verbs.includes(stem))
    report(where, `may('${verb}') is about no action of ${definition.name}`, instead(verb, [...verbs, 'manage']))
  if (mine === null) return
  for (const each of within(mine)) {
    if (each.rule === 'may') report(where, `may('${verb}', …) holds another may`, 'put both into anyOf')
  }
  if (letsInAnonymous(mine))
    report(where, `may('${verb}', …) lets in anonymous callers`, "give it a rule such as own('author')")
}

function checkEarlyRules({ name, actions, protect = {}, filter = {} }: Definition, report: Report): void {
  const create = own(actions, 'create')
  if (create !== undefined) {
    const late = Object.entries(create.set ?? {}).flatMap(([field, value]) =>
      typeof value === 'function' || value instanceof Placeholder ? [field] : [],
    )
    checkNewRecord(`${name}.create`, 'allow', create.allow, late, report)
    for (const [field, { write }] of Object.entries(protect))
      if (write !== undefined && create.accept?.includes(field))
        checkNewRecord(`${name}.protect.${field}`, 'write', write, late, report)
  }
  for (const [field, { read, filter: filters }] of Object.entries(protect)) {
    const early = filters && findRecordRule(filters)
    if (early !== undefined)
      report(
        `${name}.protect.${field}`,
        `its filter has ${early.rule}, a rule about a record, and there is none yet`,
        'use only rules about the actor',
      )
    if (read !== undefined && filters === undefined && isFiltered(field, filter))
      report(
        `${name}.protect.${field}`,
        'lists filtered by it would reveal what read hides',
        `give it a filter, such as protect: { ${field}: { filter: may('manage') } }`,
      )
  }
}

/** A new record has values and relations, but no record refers to it, and its `set` has not run. */
function checkNewRecord(where: string, what: string, rule: RuleNode, late: readonly string[], report: Report): void {
  for (const each of within(rule)) {
    if (each.rule === 'some' || each.rule === 'self' || each.rule === 'hasToken')
      report(
        where,
        `its ${what} has ${each.rule}, a rule about a record that does not exist yet`,
        'compare its values, the records that it names, or the actor',
      )
    for (const field of late.filter((name) => mentions(each, name)))
      report(
        where,
        `its ${what} compares ${field}, which its set works out afterwards`,
        'let it be sent or have a default, or compare another field',
      )
  }
}
const mentions = (rule: RuleNode, field: string): boolean =>
  ('relation' in rule && rule.relation === field) || (rule.rule === 'when' && Object.hasOwn(rule.values, field))
const isFiltered = (field: string, filters: NonNullable<Definition['filter']>): boolean =>
  Object.entries(filters).some(([name, { on }]) => (on ?? name).split('.')[0] === field)

/** `fresh` concerns the whole action. (contract 5.10.3) */
function checkFresh(rule: RuleNode, { definition, where, report }: Place): void {
  const all = freshIn(rule)
  const isOfWrite = Object.entries(definition.actions).some(([name, { allow }]) => name !== 'read' && allow === rule)
  const outer = isOfWrite ? (rule.rule === 'allOf' ? rule.rules : [rule]) : []
  if (all.some((each) => !outer.includes(each)))
    report(
      where,
      'it has fresh, which tests the sign-in and no record',
      'write it in allow of an action other than read, alone or in allOf',
    )
  for (const { seconds } of all)
    if (!isFreshLimit(seconds))
      report(where, `its fresh has ${seconds / 60} minutes`, 'write a whole number from 1 to 1,440')
}
