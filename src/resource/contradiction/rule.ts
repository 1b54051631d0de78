// Rules: they speak of fields that are there, of permissions that mean something, and where there is a record to ask.

import { shown } from '../field/field.ts'
import { comparesOf } from '../field/registry.ts'
import type { ManySpec, OneSpec } from '../field/relation.ts'
import type { Definition } from '../language/definition.ts'
import type { RuleNode } from '../language/rule.ts'
import { type MayRule, within, wordsOf } from '../language/rule-parts.ts'
import { Placeholder } from '../model/placeholder.ts'
import { a } from '../naming/indefinite-article.ts'
import {
  asksOfRecord,
  type DefinitionIndex,
  fits,
  isPresence,
  letsInAnonymous,
  momentsAnd,
  own,
  readableFields,
  rulesOf,
} from './definition-index.ts'
import { instead, type Report } from './report.ts'
import { checkDepths, hasReadableRings, stepOf } from './rule-path.ts'
import { checkComparison, isComparison } from './test.ts'

export function ruleContradictions(definitions: DefinitionIndex, report: Report): void {
  for (const definition of definitions.resources.values()) {
    for (const [where, rule] of rulesOf(definition)) {
      checkRules(rule, { definitions, definition, where, report })
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

/** What a rule says, and all rules in it, about whichever record they are. */
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

/** The same of a rule that another resource has about records of this one. */
export function checkRulesOf(rule: RuleNode, place: Place): void {
  checkRules(rule, place)
  for (const may of within(rule)) if (may.rule === 'may') checkForeignMay(may, place)
}

/** A permission that is asked of another resource must mean something there: only its own rules let roles hold it. */
function checkForeignMay(may: MayRule, { definition, where, report }: Place): void {
  const words = permissionWords(definition)
  for (const word of wordsOf(may))
    if (!words.has(word))
      report(
        where,
        `it asks for ${word} of ${definition.name}, which no rule of its own asks for`,
        instead(word, words),
      )
}

/** The permissions that the rules of a resource ask for. */
export function permissionWords(definition: Definition): ReadonlySet<string> {
  const words = new Set<string>()
  for (const [, rule] of rulesOf(definition)) {
    for (const each of within(rule)) if (each.rule === 'may') for (const word of wordsOf(each)) words.add(word)
  }
  return words
}

/** What one rule says, apart from the rules in it. */
function checkRule(rule: RuleNode, place: Place): void {
  const { definitions, definition, where, report } = place
  const hasAccounts = definitions.resources.has(definitions.accountName)
  switch (rule.rule) {
    case 'self':
      if (hasAccounts && definition.name !== definitions.accountName)
        report(
          where,
          `self asks for the actor's own account, and ${definition.name} is none`,
          "say own('…') of a relation",
        )
      break
    case 'own':
      if (hasAccounts && relation(rule.relation, place)?.target !== definitions.accountName)
        report(where, `own('${rule.relation}') names no account`, `name a relation to ${definitions.accountName}`)
      break
    case 'readable':
      if (relation(rule.relation, place) === undefined)
        report(where, `readable('${rule.relation}') names no relation`, instead(rule.relation, relations(definition)))
      break
    case 'hasToken':
      if (own(definition.fields, rule.field)?.kind !== 'token')
        report(where, `hasToken('${rule.field}') names no token`, instead(rule.field, tokens(definition)))
      break
    case 'through':
      if (relation(rule.relation, place) === undefined)
        report(
          where,
          `through('${rule.relation}') names no relation to one record`,
          instead(rule.relation, relations(definition)),
        )
      break
    case 'some':
      if (listOf(rule.list, definition) === undefined)
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
const tokens = ({ fields }: Definition) => Object.keys(fields).filter((field) => fields[field]!.kind === 'token')
const relations = ({ fields }: Definition) => Object.keys(fields).filter((field) => fields[field]!.kind === 'one')

const listOf = (name: string, definition: Definition): ManySpec | undefined => {
  const spec = own(definition.fields, name)
  return spec?.kind === 'many' || spec?.kind === 'manyToMany' ? (spec as ManySpec) : undefined
}
const lists = (definition: Definition) =>
  Object.keys(definition.fields).filter((field) => listOf(field, definition) !== undefined)

function checkWhen(values: Readonly<Record<string, unknown>>, place: Place): void {
  const entries = Object.entries(values)
  const compared = entries.filter(([, expectation]) => isComparison(expectation))
  for (const [field, expectation] of compared) checkComparison(field, expectation, place)
  if (compared.length === 0 || compared.length < entries.length)
    checkValues('when', Object.fromEntries(entries.filter(([, expectation]) => !isComparison(expectation))), place)
}

/** What `when`, `from` and invariants say of a record's values. */
export function checkValues(
  what: string,
  values: Readonly<Record<string, unknown>>,
  place: Omit<Place, 'definitions'>,
): void {
  const { definition, where, report } = place
  const fields = what === 'when' ? momentsAnd(readableFields(definition)) : readableFields(definition)
  if (Object.keys(values).length === 0) report(where, `its ${what} says nothing`, 'name a field and its value')
  for (const [field, value] of Object.entries(values)) {
    const spec = own(fields, field)
    if (spec === undefined)
      report(where, `its ${what} speaks of ${field}, which is no readable field`, instead(field, Object.keys(fields)))
    else if (isPresence(value)) {
      if (!spec.optional)
        report(
          where,
          `its ${what} asks whether there is ${a(field)}, and there always is`,
          `make ${field} optional or ask for a value`,
        )
    } else if (comparesOf(spec) === 'not at all')
      report(
        where,
        `its ${what} compares ${field}, which is ${a(spec.kind)}`,
        'ask for present or absent, or of another field',
      )
    else if (!fits(spec, value))
      report(where, `its ${what} asks for ${a(field)} that is ${shown(value)}`, `name a value that ${field} can have`)
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
    if (each.rule === 'may') report(where, `may('${verb}', …) holds another may`, 'say both beside each other by anyOf')
  }
  if (letsInAnonymous(mine))
    report(where, `may('${verb}', …) lets in somebody who is not signed in`, "give it a rule such as own('author')")
}

/** Rules that are answered before there is a record to ask. */
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
    const early = filters && asksOfRecord(filters)
    if (early !== undefined)
      report(
        `${name}.protect.${field}`,
        `its filter asks ${early.rule} before there is a record`,
        'ask only what is known of the actor',
      )
    if (read !== undefined && filters === undefined && isFiltered(field, filter))
      report(`${name}.protect.${field}`, 'lists filtered by it would tell what read hides', 'say who may filter by it')
  }
}

/** A record as it will be has values and leads to others; nothing leads to it, and its `set` has not worked out anything. */
function checkNewRecord(where: string, what: string, rule: RuleNode, late: readonly string[], report: Report): void {
  for (const each of within(rule)) {
    if (each.rule === 'some' || each.rule === 'self' || each.rule === 'hasToken')
      report(
        where,
        `its ${what} asks ${each.rule} of a record that is not there yet`,
        'ask for its values, for the records that it names, or for what is known of the actor',
      )
    for (const field of late.filter((name) => mentions(each, name)))
      report(
        where,
        `its ${what} asks for ${field}, which its set works out afterwards`,
        'let it be sent or have a default, or ask for something else',
      )
  }
}
const mentions = (rule: RuleNode, field: string): boolean =>
  ('relation' in rule && rule.relation === field) || (rule.rule === 'when' && Object.hasOwn(rule.values, field))
const isFiltered = (field: string, filters: NonNullable<Definition['filter']>): boolean =>
  Object.entries(filters).some(([name, { on }]) => (on ?? name).split('.')[0] === field)
