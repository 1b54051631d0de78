// Rules: they speak of fields that are there, of permissions that mean something, and where there is a record to ask.

import { shown } from '../field/field.ts'
import type { OneSpec } from '../field/relation.ts'
import type { Definition } from '../language/definition.ts'
import type { RuleNode } from '../language/rule.ts'
import { a } from '../naming/indefinite-article.ts'
import {
  asksOfRecord,
  type DefinitionIndex,
  fits,
  isPresence,
  letsInAnonymous,
  own,
  readableFields,
  rulesOf,
  within,
} from './definition-index.ts'
import { instead, type Report } from './report.ts'

export function ruleContradictions(definitions: DefinitionIndex, report: Report): void {
  for (const definition of definitions.resources.values()) {
    for (const [where, rule] of rulesOf(definition)) {
      for (const each of within(rule)) checkRule(each, { definitions, definition, where, report })
    }
    checkEarlyRules(definition, report)
  }
  checkReadableRings(definitions, report)
}

interface Place {
  readonly definitions: DefinitionIndex
  readonly definition: Definition
  readonly where: string
  readonly report: Report
}

/** What one rule says, apart from the rules in it. */
export function checkRule(rule: RuleNode, place: Place): void {
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
    case 'when':
      checkValues('when', rule.values, place)
      break
    case 'may':
      checkMay(rule.verb, rule.mine, place)
  }
}

const relation = (name: string, { definition }: Place): OneSpec | undefined => {
  const spec = own(definition.fields, name)
  return spec?.kind === 'one' ? (spec as OneSpec) : undefined
}
const relations = ({ fields }: Definition) => Object.keys(fields).filter((field) => fields[field]!.kind === 'one')

/** What `when`, `from` and invariants say of a record's values. */
export function checkValues(
  what: string,
  values: Readonly<Record<string, unknown>>,
  place: Omit<Place, 'definitions'>,
): void {
  const { definition, where, report } = place
  const fields = readableFields(definition)
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
    } else if (['json', 'list', 'object'].includes(spec.kind))
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
  const recordRule = create && asksOfRecord(create.allow)
  if (recordRule !== undefined)
    report(
      `${name}.create`,
      `its allow asks ${recordRule.rule} of a record that is not there yet`,
      'ask only what is known of the actor',
    )
  for (const [field, { read, write, filter: filters }] of Object.entries(protect)) {
    const early = filters && asksOfRecord(filters)
    if (early !== undefined)
      report(
        `${name}.protect.${field}`,
        `its filter asks ${early.rule} before there is a record`,
        'ask only what is known of the actor',
      )
    const first = create?.accept?.includes(field) && write && asksOfRecord(write)
    if (first)
      report(
        `${name}.protect.${field}`,
        `its write asks ${first.rule} of a record that create has yet to make`,
        'ask only what is known of the actor',
      )
    if (read !== undefined && filters === undefined && isFiltered(field, filter))
      report(`${name}.protect.${field}`, 'lists filtered by it would tell what read hides', 'say who may filter by it')
  }
}
const isFiltered = (field: string, filters: NonNullable<Definition['filter']>): boolean =>
  Object.entries(filters).some(([name, { on }]) => (on ?? name).split('.')[0] === field)

/** A is as readable as B, which is as readable as A: nobody could tell. */
function checkReadableRings(definitions: DefinitionIndex, report: Report): void {
  const next = (definition: Definition): readonly (readonly [string, string])[] =>
    [...within(own(definition.actions, 'read')?.allow ?? { rule: 'nobody' })].flatMap((rule) => {
      const spec = rule.rule === 'readable' ? own(definition.fields, rule.relation) : undefined
      return spec?.kind === 'one' ? [[rule.rule, (spec as OneSpec).target] as const] : []
    })
  for (const definition of definitions.resources.values()) {
    const reached = new Set(next(definition).map(([, target]) => target))
    for (const name of reached)
      for (const [, target] of next(definitions.resources.get(name) ?? definition)) reached.add(target)
    if (reached.has(definition.name))
      report(
        `${definition.name}.read`,
        'it is as readable as something that is as readable as itself',
        'say who may read one of them',
      )
  }
}
