// Checks unique constraints and exclusions: comparable fields, no duplicates, conditions on the record's own values.

import type { CounterSpec } from '../../field/counter.ts'
import { comparesOf, isWord } from '../../field/registry.ts'
import { type Definition, type ExclusionDefinition, type WholeUnique, wholeOf } from '../../language/definition.ts'
import type { RuleNode } from '../../language/rule/rule.ts'
import { within } from '../../language/rule/rule-parts.ts'
import { testsOf } from '../../model/rule/comparison.ts'
import { a } from '../../naming/indefinite-article.ts'
import { type DefinitionIndex, own, readableFields } from '../report/definition-index.ts'
import { instead, joinNames, type Report } from '../report/report.ts'
import { checkRules, type Place } from './rule.ts'

/** Half of what PostgreSQL allows in an index. */
const fieldsMax = 16

export function uniqueContradictions(definitions: DefinitionIndex, report: Report): void {
  for (const definition of definitions.resources.values()) {
    const uniques = (definition.unique ?? []).map(wholeOf)
    for (const each of uniques) {
      const where = placeOf(definition, each.fields)
      checkFields(where, each.fields, definition, report)
      checkCaseless(where, each, definition, report)
      checkRecordRule(each.where, { definitions, definition, where, report })
    }
    checkRepeats(uniques, definition, report)
    for (const each of definition.exclude ?? []) checkExclusion(each, { definitions, definition, report })
    const keys = (definition.keys ?? []).map(wholeOf)
    for (const [index, { fields, where: rule }] of keys.entries()) {
      const where = placeOfKey(definition, fields)
      checkKey(fields, definition, report)
      checkRecordRule(rule, { definitions, definition, where, report })
      checkUnlike(keys[index]!, uniques, definition, report)
      if (keys.findIndex((each) => namesOf(each) === namesOf(keys[index]!)) < index)
        report(where, 'it is written twice', 'write it once')
    }
  }
}

/** A key is unique already; a single field has its own option. */
function checkUnlike(key: WholeUnique, uniques: readonly WholeUnique[], definition: Definition, report: Report): void {
  if (uniques.some((each) => each.per === undefined && sameness(each) === sameness(key)))
    report(placeOf(definition, key.fields), `${joinNames(key.fields, 'and')} are a key, which is unique`, 'strike it')
}

/** An address names the fields, not the condition. */
const namesOf = ({ fields }: WholeUnique): string => [...fields].sort().join()

function checkKey(fields: readonly string[], definition: Definition, report: Report): void {
  const where = placeOfKey(definition, fields)
  checkFields(where, fields, definition, report)
  const stored = readableFields(definition)
  for (const field of fields) {
    const spec = own(stored, field)
    if (spec?.kind === 'counter') checkCounterKey(where, field, fields, (spec as CounterSpec).within, report)
    else if (spec !== undefined && !isWord(spec))
      report(where, `${a(spec.kind)} cannot stand in a path`, 'name another field')
    if (own(definition.protect, field)?.read !== undefined)
      report(where, `an address would reveal ${field}, which is protected`, 'name another field')
  }
}

/** Each record of the relation counts from 1. */
function checkCounterKey(
  where: string,
  counter: string,
  fields: readonly string[],
  relation: string | undefined,
  report: Report,
): void {
  if (relation !== undefined && fields[0] !== relation)
    report(where, `${counter} counts within each ${relation}`, `begin the key with ${relation}`)
}

const placeOfKey = ({ name }: Definition, fields: readonly string[]): string => `${name}.keys [${fields.join(', ')}]`
const placeOf = ({ name }: Definition, fields: readonly string[]): string => `${name}.unique [${fields.join(', ')}]`

function checkFields(where: string, fields: readonly string[], definition: Definition, report: Report): void {
  if (fields.length === 0) report(where, 'it names no field', 'name one, or strike it')
  if (fields.length > fieldsMax) report(where, `it names more than ${fieldsMax} fields`, `name ${fieldsMax} at most`)
  const stored = readableFields(definition)
  for (const [index, field] of fields.entries()) {
    const spec = own(stored, field)
    if (spec === undefined) report(where, `${field} is no stored field`, instead(field, Object.keys(stored)))
    else if (comparesOf(spec) === 'not at all')
      report(where, `it compares ${field}, which is ${a(spec.kind)}`, 'name a field of one plain value')
    if (fields.indexOf(field) < index) report(where, `it names ${field} twice`, 'strike one')
  }
}

function checkCaseless(where: string, { fields, caseless }: WholeUnique, definition: Definition, report: Report): void {
  if (caseless === true && fields.every((field) => own(definition.fields, field)?.kind !== 'text'))
    report(where, 'it is caseless, and none of its fields is a text', 'strike caseless')
}

/** Two fields of one kind, in order. */
const intervalKinds: ReadonlySet<string> = new Set(['timestamp', 'date', 'integer'])

function checkExclusion(
  { fields, overlap, where: rule }: ExclusionDefinition,
  { definitions, definition, report }: Omit<Place, 'where'>,
): void {
  const where = `${definition.name}.exclude [${fields.join(', ')}]`
  checkFields(where, fields, definition, report)
  checkRecordRule(rule, { definitions, definition, where, report })
  const stored = readableFields(definition)
  const counter = fields.find((field) => own(stored, field)?.kind === 'counter')
  if (counter !== undefined) report(where, `it compares ${counter}, which the service counts`, 'name another field')
  const [start, end] = overlap.map((field) => own(stored, field))
  for (const [at, field] of overlap.entries()) {
    const spec = [start, end][at]
    if (spec === undefined) report(where, `${field} is no stored field`, instead(field, Object.keys(stored)))
    else if (!intervalKinds.has(spec.kind))
      report(where, `${field} is ${a(spec.kind)}, which ends no interval`, 'name a timestamp, a date or an integer')
    if (fields.includes(field)) report(where, `${field} is compared and ends the interval`, 'name it once')
  }
  if (start === undefined || end === undefined) return
  if (start.kind !== end.kind)
    report(where, `${overlap.join(' and ')} are of two kinds`, 'name two timestamps, two dates or two integers')
  if (start === end) report(where, `${overlap[0]} is its start and its end`, 'name two fields')
  if (start.optional === true) report(where, `${overlap[0]} may be absent`, 'make the start required')
}

/** An index can test the record's own, unchanging values only. */
export function checkRecordRule(rule: RuleNode | null | undefined, place: Place): void {
  if (rule === undefined || rule === null) return
  const { where, report } = place
  checkRules(rule, place)
  for (const each of within(rule)) {
    if (!['when', 'not', 'anyOf', 'allOf'].includes(each.rule))
      report(where, `its where has ${each.rule}, which is no value of the record`, 'use when(…) of its own fields')
    if (each.rule !== 'when') continue
    for (const { test, source } of Object.values(each.values).flatMap(testsOf)) {
      if (source.from === 'now' || source.from === 'me')
        report(
          where,
          `its where compares with ${source.from}, and would change while the record does not`,
          'compare with a value, or with another field',
        )
      if (test === 'contains') report(where, 'its where looks into a list, which no index can', 'compare a plain value')
    }
  }
}

function checkRepeats(uniques: readonly WholeUnique[], definition: Definition, report: Report): void {
  const seen = new Set<string>()
  for (const unique of uniques) {
    const { fields, where } = unique
    const place = placeOf(definition, fields)
    const [first, second] = fields
    const spec = first === undefined ? undefined : own(definition.fields, first)
    if (second === undefined && spec?.unique === true)
      report(place, `${first} is unique already`, 'strike one of the two')
    if (second === undefined && spec?.default !== undefined && where === undefined)
      report(place, 'its default could stand in one record only', 'strike default or unique')
    const same = sameness(unique)
    if (seen.has(same)) report(place, `that ${joinNames(fields, 'and')} are unique is written twice`, 'write it once')
    seen.add(same)
  }
}

const sameness = ({ fields, where, caseless }: WholeUnique): string =>
  JSON.stringify([[...fields].sort(), where ?? null, caseless ?? false])
