// What a condition means, worked out from what its caller can read: the records that REST answers, filtered by hand. (contract 12.1.4)

import { orderOf } from '../../../src/resource/field/choice.ts'
import type { ResourceModel, VersionModel, WhereStep, WhereValue } from '../../../src/resource/model/model.ts'
import { restVocabulary } from '../../../src/resource/model/vocabulary.ts'
import { beginning, type Unit, zones } from './calendar.ts'
import type { Random } from './random.ts'

/** A record as REST answers it. */
export type Json = Readonly<Record<string, unknown>>
/** What somebody can read: the records of each resource, and whom lists of links hold, by `Ticket.watchers` and id. */
export interface Visibility {
  readonly records: ReadonlyMap<string, readonly Json[]>
  readonly links: ReadonlyMap<string, readonly string[]>
  readonly me: Json | null
  readonly now: Date
}

type TextOperator = 'startsWith' | 'endsWith' | 'contains'
export type Operator = 'eq' | 'ne' | 'in' | 'lt' | 'lte' | 'gt' | 'gte' | TextOperator | 'has' | 'isNull'
export type Operand =
  | { readonly is: 'value'; readonly json: unknown }
  | { readonly is: 'now'; readonly days: number }
  | { readonly is: 'me'; readonly field: string | null }
  | { readonly is: 'start'; readonly unit: Unit; readonly zone: keyof typeof zones; readonly days: number }
  /** Another value of the same record. */
  | { readonly is: 'field'; readonly value: WhereValue }
/** A question as a person would say it. */
export type Asked =
  | {
      readonly is: 'test'
      readonly path: readonly WhereStep[]
      readonly value: WhereValue
      readonly operator: Operator
      readonly operand: Operand
    }
  | { readonly is: 'and' | 'or'; readonly of: readonly Asked[] }
  | { readonly is: 'not'; readonly of: Asked }
  | { readonly is: 'some' | 'none'; readonly path: readonly WhereStep[]; readonly of: Asked }
  | { readonly is: 'below'; readonly path: readonly WhereStep[]; readonly value: WhereValue; readonly id: string }

const names = restVocabulary({ name: 'v2', deprecated: null, sunset: null } satisfies VersionModel)

/** What a record shows of a value: of an `either`, its id or its type. */
function shownOf(record: Json, { resource, column, either }: WhereValue): unknown {
  if (either === undefined) return record[names.name(resource, column.field)] ?? null
  const { input } = names.either(resource, either.field)
  return (record[input] as Json | null)?.[either.part] ?? null
}
const wireName = ({ resource, column, either }: WhereValue): string =>
  either === undefined ? names.name(resource, column.field) : names.either(resource, either.field)[either.part]

/** The ids of the records for which it holds. */
export const idsWhere = (question: Asked, resource: ResourceModel, visibility: Visibility): readonly string[] =>
  recordsOf(resource, visibility)
    .filter((each) => holds(question, each, visibility))
    .map(({ id }) => id as string)

const recordsOf = ({ name }: ResourceModel, { records }: Visibility): readonly Json[] => records.get(name)!

function holds(question: Asked, record: Json, visibility: Visibility): boolean {
  switch (question.is) {
    case 'and':
      return question.of.every((each) => holds(each, record, visibility))
    case 'or':
      return question.of.some((each) => holds(each, record, visibility))
    case 'not':
      return !holds(question.of, record, visibility)
    case 'some':
      return led(record, question.path, visibility).some((each) => holds(question.of, each, visibility))
    case 'none':
      return !led(record, question.path, visibility).some((each) => holds(question.of, each, visibility))
    case 'test':
      return passes(question, record, visibility)
    case 'below':
      return led(record, question.path, visibility).some((each) => isBelow(question, each, visibility))
  }
}

function isBelow({ path, value, id }: Extract<Asked, { is: 'below' }>, record: Json, visibility: Visibility): boolean {
  const { resource } = value
  const parent = record[names.name(resource, value.column.field)]
  const above = recordsOf(resource, visibility).find((each) => each['id'] === parent)
  if (above === undefined) return false
  return above['id'] === id || isBelow({ is: 'below', path, value, id }, above, visibility)
}

/** The records at the end of a path, as far as the caller can follow it. */
const led = (record: Json, path: readonly WhereStep[], visibility: Visibility): readonly Json[] =>
  path.reduce<readonly Json[]>((from, step) => from.flatMap((each) => next(each, step, visibility)), [record])

function next(record: Json, { relation, of, holder }: WhereStep, visibility: Visibility): readonly Json[] {
  const all = recordsOf(of.resource, visibility)
  switch (relation.kind) {
    case 'one':
      return all.filter(({ id }) => id === record[names.name(holder, relation.field)])
    case 'many':
      return all.filter((each) => each[names.name(of.resource, relation.by.field)] === record['id'])
    case 'manyToMany': {
      const ids = visibility.links.get(`${holder.name}.${relation.field}.${record['id']}`) ?? []
      return all.filter(({ id }) => ids.includes(id as string))
    }
  }
}

function passes(
  { path, value, operator, operand }: Extract<Asked, { is: 'test' }>,
  record: Json,
  visibility: Visibility,
): boolean {
  const [holder] = led(record, path, visibility)
  const stored = holder === undefined ? null : shownOf(holder, value)
  if (operator === 'isNull') return (stored === null) === (operand as { json: boolean }).json
  const isEqual = (to: unknown) => stored !== null && to !== null && order(value, stored, to) === 0
  const nameOf = (of: WhereValue) => names.name(of.resource, of.column.field)
  const other =
    operand.is === 'field' ? (holder?.[nameOf(operand.value)] ?? null) : operandOf(value, operand, visibility)
  if (operator === 'ne') return !isEqual(other)
  if (stored === null || other === null) return false
  switch (operator) {
    case 'eq':
      return isEqual(other)
    case 'in':
      return (other as readonly unknown[]).some(isEqual)
    case 'has':
      return (stored as readonly unknown[]).includes(other)
    case 'startsWith':
      return (stored as string).startsWith(other as string)
    case 'endsWith':
      return (stored as string).endsWith(other as string)
    case 'contains':
      return (stored as string).includes(other as string)
    case 'lt':
      return order(value, stored, other) < 0
    case 'lte':
      return order(value, stored, other) <= 0
    case 'gt':
      return order(value, stored, other) > 0
    case 'gte':
      return order(value, stored, other) >= 0
  }
}

function operandOf(
  { column }: WhereValue,
  operand: Exclude<Operand, { is: 'field' }>,
  { me, now }: Visibility,
): unknown {
  if (operand.is === 'value') return operand.json
  if (operand.is === 'me') return me?.[operand.field ?? 'id'] ?? null
  const second = Math.floor(now.getTime() / 1_000) * 1_000
  if (operand.is === 'start') {
    const { moment, day } = beginning(operand.unit, second, operand.zone)
    const shiftMs = operand.days * 86_400_000
    const shifted = new Date((column.type === 'date' ? Date.parse(day) : moment) + shiftMs).toISOString()
    return column.type === 'date' ? shifted.slice(0, 10) : shifted
  }
  const moment = new Date(second + operand.days * 86_400_000).toISOString()
  return column.type === 'date' ? moment.slice(0, 10) : moment
}

/** Less than, equal to or greater than zero. */
function order({ spec, column }: WhereValue, one: unknown, other: unknown): number {
  const places = orderOf(spec)
  const key = (value: unknown): string | number | bigint | boolean =>
    places !== null
      ? places.indexOf(value as string)
      : spec.kind === 'decimal'
        ? unitsOf(value as string)
        : spec.kind === 'bigint'
          ? BigInt(value as string)
          : column.type === 'timestamp'
            ? Date.parse(value as string)
            : (value as string | number | boolean)
  const [left, right] = [key(one), key(other)]
  if (typeof left === 'string') return Buffer.compare(Buffer.from(left), Buffer.from(right as string))
  return left < right ? -1 : left > right ? 1 : 0
}

/** Of decimals with any number of digits. */
function unitsOf(value: string): bigint {
  const [whole, rest = ''] = value.split('.')
  return BigInt(whole! + rest.padEnd(9, '0'))
}

// ── How it is written ───────────────────────────────────────────────────────────────────────────────────────────────

const signs = { eq: '=', ne: '!=', lt: '<', lte: '<=', gt: '>', gte: '>=', has: ':' } as const

/** As REST takes it. */
export function textOf(question: Asked): string {
  switch (question.is) {
    case 'and':
    case 'or':
      return question.of
        .map((each) => (each.is === 'and' || each.is === 'or' ? `(${textOf(each)})` : textOf(each)))
        .join(` ${question.is.toUpperCase()} `)
    case 'not':
      return question.of.is === 'test' || question.of.is === 'below'
        ? `NOT ${textOf(question.of)}`
        : `NOT (${textOf(question.of)})`
    case 'some':
    case 'none':
      return `${question.is}(${pathText(question.path)}, ${textOf(question.of)})`
    case 'test':
      return testText(question)
    case 'below':
      return `below(${[...(question.path.length === 0 ? [] : [pathText(question.path)]), names.name(question.value.resource, question.value.column.field)].join('.')}, "${question.id}")`
  }
}
const pathText = (path: readonly WhereStep[]): string =>
  path.map(({ holder, relation }) => names.relation(holder, relation.field)).join('.')

function testText({ path, value, operator, operand }: Extract<Asked, { is: 'test' }>): string {
  const name = [...(path.length === 0 ? [] : [pathText(path)]), wireName(value)].join('.')
  const text = (json: unknown): string =>
    typeof json === 'number' || typeof json === 'boolean' || ['decimal', 'bigint'].includes(value.spec.kind)
      ? String(json)
      : JSON.stringify(json)
  if (operand.is === 'now')
    return `${name} ${signs[operator as 'lt']} now ${operand.days < 0 ? '-' : '+'} ${Math.abs(operand.days)}d`
  if (operand.is === 'start') {
    const zone = operand.zone === 'UTC' ? '' : `, "${operand.zone}"`
    const shift = operand.days === 0 ? '' : ` ${operand.days < 0 ? '-' : '+'} ${Math.abs(operand.days)}d`
    return `${name} ${signs[operator as 'lt']} startOf("${operand.unit}"${zone})${shift}`
  }
  if (operand.is === 'field') {
    const { resource, column } = operand.value
    return `${name} ${signs[operator as 'lt']} ${[...path.map((step) => pathText([step])), names.name(resource, column.field)].join('.')}`
  }
  if (operand.is === 'me')
    return `${name} ${signs[operator as 'eq']} me${operand.field === null ? '' : `.${operand.field}`}`
  const { json } = operand
  if (operator === 'isNull') return `${name} ${json === true ? '=' : '!='} null`
  if (operator === 'in') return `${name} IN (${(json as readonly unknown[]).map(text).join(', ')})`
  if (isOfText(operator)) return `${operator}(${name}, ${text(json)})`
  return `${name} ${signs[operator]} ${text(json)}`
}

const isOfText = (operator: Operator): operator is TextOperator =>
  ['startsWith', 'endsWith', 'contains'].includes(operator)

/** As GraphQL takes it; null where only a text can say it. */
export function treeOf(question: Asked): Json | null {
  switch (question.is) {
    case 'and':
    case 'or': {
      const of = question.of.map(treeOf)
      return of.includes(null) ? null : { [question.is]: of }
    }
    case 'not': {
      const of = treeOf(question.of)
      return of === null ? null : { not: of }
    }
    case 'some':
    case 'none': {
      const of = treeOf(question.of)
      return of === null ? null : nested(question.path, { [question.is]: of })
    }
    case 'below':
      return nested(question.path, { [question.value.column.field]: { below: question.id } })
    case 'test': {
      const { path, value, operator, operand } = question
      if (operand.is !== 'value') return null
      const { field, spec } = value.column
      const { part = null, field: either = '' } = value.either ?? {}
      const ofEither = part === 'id' ? `${either}Id` : `${either}Type`
      const name = part !== null ? ofEither : spec.kind === 'one' ? `${field}Id` : field
      return nested(path, { [name]: { [operator]: operand.json } })
    }
  }
}
const nested = (path: readonly WhereStep[], inner: Json): Json =>
  path.reduceRight<Json>((of, { relation }) => ({ [relation.field]: of }), inner)

// ── Chance ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Any question about records of this resource, whose values are mostly those that are there. */
export class AskedMaker {
  readonly #random: Random
  readonly #resource: ResourceModel
  readonly #records: ReadonlyMap<string, readonly Json[]>
  readonly #textsOfMe: readonly string[]
  #left = 0

  /** `records`: all there are, of each resource; `textsOfMe`: fields of accounts that texts are compared with. */
  constructor(
    random: Random,
    resource: ResourceModel,
    records: ReadonlyMap<string, readonly Json[]>,
    textsOfMe: readonly string[] = ['name', 'nick'],
  ) {
    this.#random = random
    this.#resource = resource
    this.#records = records
    this.#textsOfMe = textsOfMe
  }

  /** Of so many comparisons at most. */
  make(canSayMe: boolean, comparisonsMax = 8): Asked {
    this.#left = 1 + this.#random.below(comparisonsMax)
    return this.#node({ branch: this.#resource.where!, levels: 3, canSayMe })
  }

  #node(place: AskedPlace): Asked {
    const { branch, levels } = place
    const random = this.#random
    const deeper = { ...place, levels: levels - 1 }
    if (levels > 0 && this.#left > 1 && random.chance(0.5)) {
      const of = Array.from({ length: 2 + random.below(2) }, () => this.#node(deeper))
      return { is: random.one(['and', 'or'] as const), of }
    }
    if (levels > 0 && random.chance(0.2)) return { is: 'not', of: this.#node(deeper) }
    const path: WhereStep[] = []
    let at = branch
    while (at.steps.size > 0 && (at.named.size === 0 || random.chance(0.4))) {
      const step = random.one([...at.steps.values()].filter(({ relation }) => relation.kind === 'one' || levels > 0))
      if (step === undefined) break
      path.push(step)
      at = step.of
      if (step.relation.kind !== 'one')
        return { is: random.one(['some', 'none'] as const), path, of: this.#node({ ...deeper, branch: at }) }
    }
    this.#left--
    // Trees have much to hide.
    const value = random.one(
      [...at.named.values()].flatMap((each) => (each.tree === undefined ? [each] : [each, each, each])),
    )
    if (value.tree === undefined || random.chance(0.4)) return this.#test(path, value, { ...place, branch: at })
    const records = this.#records.get(value.resource.name)!
    const named = records.map((each) => each[names.name(value.resource, value.column.field)])
    const above = records.filter(({ id }) => named.includes(id))
    const { id } = random.one(above.length > 0 && random.chance(0.9) ? above : records)
    return { is: 'below', path, value, id: id as string }
  }

  #test(path: readonly WhereStep[], value: WhereValue, { canSayMe, branch }: AskedPlace): Asked {
    const random = this.#random
    const has = (test: string) => value.tests.has(test as never)
    const operators: Operator[] = [
      ...(has('is') ? (['eq', 'ne', 'eq'] as const) : []),
      ...(has('oneOf') ? (['in'] as const) : []),
      ...(has('before') ? (['lt', 'lte', 'gt', 'gte'] as const) : []),
      ...(has('startsWith') ? (['startsWith'] as const) : []),
      ...(has('includes') ? (['endsWith', 'contains', 'contains'] as const) : []),
      ...(has('contains') ? (['has', 'has'] as const) : []),
      ...(value.nullable ? (['isNull'] as const) : []),
    ]
    const operator = random.one(operators)
    return { is: 'test', path, value, operator, operand: this.#operand(value, operator, canSayMe, branch) }
  }

  #comparable(value: WhereValue, operator: Operator, { values }: AskedPlace['branch']): readonly WhereValue[] {
    if (value.either !== undefined) return []
    const isWord = ({ spec }: WhereValue) => ['text', 'choice', 'state'].includes(spec.kind)
    return [...values.values()].filter((other) => {
      if (other.tests.has('contains')) return false
      if (other.column === value.column || [value, other].some(({ column }) => column.field === 'id')) return false
      const targets = [value, other].map(({ spec }) => (spec as { target?: string }).target)
      const isOrdered = [value, other].some(({ spec }) => orderOf(spec) !== null)
      if (isOrdered && !['eq', 'ne'].includes(operator)) return false
      return targets[0] === targets[1] && (value.spec.kind === other.spec.kind || (isWord(value) && isWord(other)))
    })
  }

  #operand(value: WhereValue, operator: Operator, canSayMe: boolean, branch: AskedPlace['branch']): Operand {
    const random = this.#random
    const isPlain = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte'].includes(operator)
    const { column, resource, spec } = value
    if (operator === 'isNull') return { is: 'value', json: random.chance(0.5) }
    const others = isPlain ? this.#comparable(value, operator, branch) : []
    if (others.length > 0 && random.chance(0.2)) return { is: 'field', value: random.one(others) }
    if (isPlain && ['timestamp', 'date'].includes(column.type) && random.chance(0.2)) {
      const unit = random.one(
        (['hour', 'day', 'week', 'month', 'quarter', 'year'] as const).slice(column.type === 'date' ? 1 : 0),
      )
      const zone = random.one(Object.keys(zones) as (keyof typeof zones)[])
      return { is: 'start', unit, zone, days: random.one([0, 0, -3, 1, 5]) }
    }
    if (isPlain && ['timestamp', 'date'].includes(column.type) && random.chance(0.3))
      return { is: 'now', days: random.one([-30, -3, -1, 1, 3, 30]) }
    const target = spec.kind === 'one' ? (spec as unknown as { target?: string }).target : undefined
    if (canSayMe && isPlain && target === 'User' && random.chance(0.4)) return { is: 'me', field: null }
    if (canSayMe && isPlain && spec.kind === 'text' && random.chance(0.1))
      return { is: 'me', field: random.one(this.#textsOfMe) }
    const one = () => this.#json(value, resource)
    if (operator === 'in') return { is: 'value', json: Array.from({ length: 1 + random.below(4) }, one) }
    const json = one()
    if (!isOfText(operator)) return { is: 'value', json }
    const points = Array.from(json as string)
    const count = 1 + random.below(points.length)
    const rest = points.length - count
    const start = operator === 'startsWith' ? 0 : operator === 'endsWith' ? rest : random.below(rest + 1)
    return { is: 'value', json: points.slice(start, start + count).join('') }
  }

  /** A value that some record has; one that none may have, where none has any. */
  #json(value: WhereValue, { name, fields }: ResourceModel): unknown {
    const values = this.#records.get(name)!.flatMap((each) => shownOf(each, value) ?? [])
    const { spec, kind } = fields.get(value.column.field)!
    if (values.length > 0) return this.#random.one(values)
    if (value.either?.part === 'type')
      return (value.spec as unknown as { readonly values: readonly string[] }).values[0]
    return kind.example?.(spec, { name: 'x', direction: 'input', partName: (part) => part, idOf: () => 'usr_x' }) ?? 'x'
  }
}
interface AskedPlace {
  readonly branch: NonNullable<ResourceModel['where']>
  readonly levels: number
  readonly canSayMe: boolean
}
