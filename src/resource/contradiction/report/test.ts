// Checks the tests of `when` and `where`: what a field can be compared with.

import { timeZone } from '../../code/time-zone.ts'
import { orderOf } from '../../field/choice.ts'
import { type Contradiction, type SpecBase, shown } from '../../field/field.ts'
import { columnTypeOf, comparesOf, isSearchable } from '../../field/registry.ts'
import type { OneSpec } from '../../field/relation.ts'
import { calendarUnits } from '../../language/calendar.ts'
import type { Definition } from '../../language/definition.ts'
import { Placeholder, type ValueSource } from '../../language/placeholder.ts'
import { isTest, sourceOf } from '../../model/rule/comparison.ts'
import { a } from '../../naming/indefinite-article.ts'
import { comparedFields, type DefinitionIndex, fits, isPresence, own, rowFields } from './definition-index.ts'
import { instead, type Report } from './report.ts'

interface Place {
  readonly definitions: DefinitionIndex
  readonly definition: Definition
}

export const isComparison = (said: unknown): boolean => isTest(said) || said instanceof Placeholder

export function checkComparison(
  field: string,
  said: unknown,
  place: Place & { readonly where: string; readonly report: Report },
): void {
  const { definition, where, report } = place
  const fields = comparedFields(definition)
  const spec = own(fields, field)
  if (spec === undefined) {
    report(where, `its when names ${field}, which is no readable field`, instead(field, Object.keys(fields)))
    return
  }
  const test = isTest(said) ? said.test : 'is'
  const compared = isTest(said) ? (test === 'oneOf' ? (said.on as readonly unknown[]) : [said.on]) : [said]
  const wrong = compared.length === 0 ? noneOf(field) : untestable(test, spec, field)
  if (wrong !== null) report(where, ...wrong)
  else
    for (const each of compared) {
      const unfit = misfit(sourceOf(each), { spec, field, args: {} }, place)
      if (unfit !== null) report(where, ...unfit)
    }
}
const noneOf = (field: string): Contradiction => [`its list of values of ${field} is empty`, 'name some']

/** Null if there is no problem. */
export function untestable(test: string, spec: SpecBase, field: string): Contradiction | null {
  if (test === 'contains') {
    const of = spec.kind === 'list' ? (spec as SpecBase & { of: SpecBase }).of : null
    if (of === null) return [`${field} is no list`, 'compare it as it is']
    return isSearchable(of) ? null : [`${a(of.kind)} cannot be looked for in a list`, 'compare texts']
  }
  const compares = comparesOf(spec)
  if (test === 'atLeast' || test === 'atMost')
    return compares === 'in order' || compares === 'in time'
      ? null
      : [`${field} has no least and no most`, 'compare it as it is']
  if (test === 'before' || test === 'after')
    return compares === 'in time' ? null : [`${field} is no moment`, 'use atLeast or atMost for numbers']
  return compares === 'not at all' ? [`${field} is ${a(spec.kind)}`, 'use contains for a list'] : null
}

interface Compared {
  readonly spec: SpecBase
  readonly field: string
  readonly args: Readonly<Record<string, SpecBase>>
}

/** Null if there is no problem. */
export function misfit(source: ValueSource, { spec, field, args }: Compared, place: Place): Contradiction | null {
  const of = spec.kind === 'list' ? (spec as SpecBase & { of: SpecBase }).of : spec
  const problem = (what: string): Contradiction => [
    `it compares ${field} with ${what}`,
    `compare it with ${a(of.kind)}`,
  ]
  switch (source.from) {
    case 'now':
      if (source.shifts.some(({ count }) => typeof count !== 'number' && own(args, count.argument) === undefined))
        return argumentHere
      return wrongStart(source) ?? (isComparable(source, of) ? null : problem('a moment'))
    case 'argument': {
      const argument = own(args, source.name)
      if (argument === undefined) return argumentHere
      return columnTypeOf(argument) === columnTypeOf(of)
        ? null
        : problem(`${source.name}, which is ${a(argument.kind)}`)
    }
    case 'field': {
      const fields = comparedFields(place.definition)
      const other = own(fields, source.name)
      if (other === undefined)
        return [
          `it compares ${field} with field('${source.name}'), which there is not`,
          instead(source.name, Object.keys(fields)),
        ]
      if (source.name === field) return [`it compares ${field} with itself`, 'name another field']
      return isAlike(of, other) ? null : problem(`${source.name}, which is ${a(other.kind)}`)
    }
    case 'me':
      return misfitOfMine(source.name, { spec: of, field, args }, place)
    case 'constant':
      return source.value instanceof Placeholder ||
        isPresence(source.value) ||
        !fits({ ...of, optional: false }, source.value)
        ? problem(shown(source.value))
        : null
  }
}
/** A day has no time, so it compares with beginnings of units, the least of which is a day. */
export const isComparable = ({ start }: RequestTime, spec: SpecBase): boolean =>
  columnTypeOf(spec) === 'timestamp' || (columnTypeOf(spec) === 'date' && start !== undefined && start.unit !== 'hour')
type RequestTime = Extract<ValueSource, { from: 'now' }>

/** Null if the unit and the time zone exist. */
export function wrongStart({ start }: RequestTime): Contradiction | null {
  if (start === undefined) return null
  if (!calendarUnits.includes(start.unit))
    return [`startOf('${start.unit}') is no calendar unit`, `use ${calendarUnits.join(', ')}`]
  return timeZone(start.timeZone) === null
    ? [
        `startOf('${start.unit}') names ${shown(start.timeZone)}, which is no time zone`,
        "name one such as 'Europe/Vienna'",
      ]
    : null
}

const argumentHere: Contradiction = [
  "it compares with arg('…') where no request brings one",
  'arguments stand in the where of a query, about its own records',
]

function misfitOfMine(name: string, { spec, field }: Compared, { definitions }: Place): Contradiction | null {
  const account = definitions.resources.get(definitions.accountName)
  if (account === undefined) return null
  const fields = rowFields(account)
  const mine = own(fields, name)
  if (mine === undefined)
    return [`it compares ${field} with me('${name}'), which ${account.name} lacks`, instead(name, Object.keys(fields))]
  const { login, verified } = definitions.service.accounts
  if (name === login && verified === undefined)
    return [
      `it trusts me('${name}'), an address that anyone can sign up with`,
      'name by accounts.verified the field that is true once it is known to be theirs',
    ]
  const target = name === 'id' ? { ...mine, target: account.name } : mine
  return isAlike(spec, target)
    ? null
    : [`it compares ${field} with me('${name}'), which is ${a(mine.kind)}`, `compare it with ${a(spec.kind)}`]
}

const isAlike = (one: SpecBase, other: SpecBase): boolean =>
  one.kind === 'one' || other.kind === 'one'
    ? one.kind === other.kind && (one as OneSpec).target === (other as OneSpec).target
    : (columnTypeOf(one) === columnTypeOf(other) || (one.kind === 'decimal' && other.kind === 'decimal')) &&
      isSameOrder(orderOf(one), orderOf(other))

/** Ordered choices compare only within one list. */
const isSameOrder = (one: readonly string[] | null, other: readonly string[] | null): boolean =>
  one === null || other === null ? one === other : one.join() === other.join()
