// Parses conditions as trees: `{ or: [{ status: { in: ['OPEN'] } }, { assignee: { name: { startsWith: 'A' } } }] }`. (contract
// 12.1.5)

import type { Detail } from '../../../failure/failure.ts'
import type { WhereTest } from '../../../resource/language/rule/filter.ts'
import type { WhereBranch, WhereStep, WhereTreePath, WhereValue } from '../../../resource/model/model.ts'
import { isBelow, type WhereOperand, type WhereTree } from '../../../resource/model/rule/where.ts'
import type { Vocabulary } from '../../../resource/model/vocabulary.ts'
import { type WhereLimits, WhereMeter } from './meter.ts'
import { hasParts, whereNames } from './name.ts'
import { readWhereValue } from './value.ts'

type Written = WhereTree<WhereOperand>
type Members = Readonly<Record<string, unknown>>

/** `ne` negates `eq`. */
export const operators = {
  eq: 'is',
  ne: 'is',
  in: 'oneOf',
  lt: 'before',
  lte: 'atMost',
  gt: 'after',
  gte: 'atLeast',
  startsWith: 'startsWith',
  endsWith: 'endsWith',
  contains: 'includes',
  has: 'contains',
} as const satisfies Record<string, WhereTest>
type Operator = keyof typeof operators

/** `isNull` is separate. */
export const operatorsOf = ({ tests }: WhereValue): readonly Operator[] =>
  (Object.keys(operators) as Operator[]).filter((each) => tests.has(operators[each]))

export interface ReadWhere {
  readonly tree: Written
  readonly points: number
}
export interface SentContext {
  readonly vocabulary: Vocabulary
  readonly limits: WhereLimits
  readonly parameter: string
}

/** Adds every problem; returns null if there is one. */
export function readWhereTree(
  sent: unknown,
  branch: WhereBranch,
  { vocabulary, limits, parameter }: SentContext,
  problems: Detail[],
  mistakes: Detail[] = problems,
): ReadWhere | null {
  const before = problems.length + mistakes.length
  const reader = new TreeReader(vocabulary, new WhereMeter(limits), problems, mistakes)
  const tree = reader.record(sent, branch, { at: parameter, levels: 0, lists: 0, within: '' })
  return tree === null || problems.length + mistakes.length > before ? null : { tree, points: reader.meter.points }
}

/** Its name, and how many levels and lists contain it. */
interface Place {
  readonly at: string
  /** The object of the record that it is about, such as `address.`. */
  readonly within: string
  readonly levels: number
  readonly lists: number
}

class TreeReader {
  readonly meter: WhereMeter
  readonly #vocabulary: Vocabulary
  /** Values, … */
  readonly #problems: Detail[]
  /** … names and form. */
  readonly #mistakes: Detail[]

  constructor(vocabulary: Vocabulary, meter: WhereMeter, problems: Detail[], mistakes: Detail[]) {
    this.#vocabulary = vocabulary
    this.meter = meter
    this.#problems = problems
    this.#mistakes = mistakes
  }

  record(sent: unknown, branch: WhereBranch, place: Place): Written | null {
    const members = this.#membersOf(sent, place)
    if (members === null) return null
    const { values, steps, trees } = whereNames(branch, this.#vocabulary)
    const of = members.map(([name, each]) => {
      const at = { ...place, at: `${place.at}.${name}` }
      if (name === 'and' || name === 'or') return this.#group(name, each, branch, at)
      if (name === 'not') return this.#not(this.record(each, branch, this.#deeper(at)))
      const path = `${place.within}${name}`
      const value = values.get(path)
      if (value !== undefined) return this.#tests(each, value, at)
      if (hasParts(values, path)) return this.record(each, branch, { ...at, within: `${path}.` })
      const step = steps.get(path)
      const tree = trees.get(path)
      if (tree !== undefined) return this.#tree(each, tree, step, at)
      return step === undefined
        ? this.#problem(at, 'There is no field of this name to compare.')
        : this.#step(each, step, at)
    })
    return this.#all(of)
  }

  #group(name: 'and' | 'or', sent: unknown, branch: WhereBranch, place: Place): Written | null {
    if (!Array.isArray(sent)) return this.#problem(place, 'Must be a list.')
    const wrong = this.meter.values(sent.length)
    if (wrong !== null) return this.#problem(place, wrong)
    const inner = this.#deeper(place)
    const of = sent.map((each, index) => this.record(each, branch, { ...inner, at: `${place.at}[${index}]` }))
    return of.includes(null) ? null : { is: name === 'and' ? 'all' : 'any', of: of as readonly Written[] }
  }

  /** `{ below: 'fld_…' }` next to conditions on the record above. */
  #tree(sent: unknown, tree: WhereTreePath, step: WhereStep | undefined, place: Place): Written | null {
    const members = this.#membersOf(sent, place)
    if (members === null) return null
    const { below, ...others } = Object.fromEntries(members)
    const parts = [
      ...(below === undefined ? [] : [this.#below(below, tree, { ...place, at: `${place.at}.below` })]),
      ...Object.keys(others).map((name) =>
        step === undefined
          ? this.#problem({ ...place, at: `${place.at}.${name}` }, 'There is no field of this name to compare.')
          : this.#step({ [name]: others[name] }, step, place),
      ),
    ]
    return this.#all(parts)
  }

  #below(sent: unknown, tree: WhereTreePath, place: Place): Written | null {
    const tooMany = this.meter.test(place.lists + 1)
    if (tooMany !== null) return this.#problem(place, tooMany)
    const before = this.#problems.length + this.#mistakes.length
    const id = this.#value(sent, tree.id, 'is', place)
    return this.#problems.length + this.#mistakes.length > before ? null : isBelow(tree, id)
  }

  #step(sent: unknown, step: WhereStep, place: Place): Written | null {
    if (step.relation.kind === 'one') {
      const tree = this.record(sent, step.of, { ...place, within: '' })
      return tree === null ? null : prefixed(step, tree)
    }
    const members = this.#membersOf(sent, place)
    if (members === null) return null
    const of = members.map(([name, each]) => {
      const at = { ...place, at: `${place.at}.${name}`, lists: place.lists + 1, within: '' }
      if (name !== 'some' && name !== 'none') return this.#problem(at, 'A list takes some or none.')
      const inner = this.record(each, step.of, this.#deeper(at))
      if (inner === null) return null
      const some = { is: 'some', step, of: inner } as const
      return name === 'some' ? some : this.#not(some)
    })
    return this.#all(of)
  }

  #tests(sent: unknown, value: WhereValue, place: Place): Written | null {
    const members = this.#membersOf(sent, place)
    if (members === null) return null
    return this.#all(
      members.map(([name, each]) => this.#test(name, each, value, { ...place, at: `${place.at}.${name}` })),
    )
  }

  #test(name: string, sent: unknown, value: WhereValue, place: Place): Written | null {
    const tooMany = this.meter.test(place.lists)
    if (tooMany !== null) return this.#problem(place, tooMany)
    if (name === 'isNull' && value.nullable) {
      if (typeof sent !== 'boolean') return this.#problem(place, 'Must be true or false.')
      const present = { is: 'present', value } as const
      return sent ? this.#not(present) : present
    }
    const operator = operatorsOf(value).find((each) => each === name)
    if (operator === undefined) return this.#problem(place, 'There is no such operator here.')
    const test = operators[operator]
    const before = this.#problems.length
    const operand = { from: 'value', value: this.#value(sent, value, test, place) } as const
    if (this.#problems.length > before) return null
    const tested = { is: 'test', value, test, operand } as const
    return operator === 'ne' ? this.#not(tested) : tested
  }

  #value(sent: unknown, value: WhereValue, test: WhereTest, place: Place): unknown {
    const { part } = this.#vocabulary
    const check = (each: unknown, at: string) =>
      readWhereValue(
        value,
        test,
        each,
        (path, message) => void this.#problems.push({ field: `${at}${path}`, message }),
        part,
      )
    if (sent === null) return this.#problem(place, mustNotBeNull)
    if (test !== 'oneOf') return check(sent, place.at)
    if (!Array.isArray(sent)) return this.#problem(place, 'Must be a list.')
    const wrong = this.meter.values(sent.length)
    if (wrong !== null) this.#problems.push({ field: place.at, message: wrong })
    return wrong !== null ? null : sent.map((each, index) => check(each, `${place.at}[${index}]`))
  }

  /** Null for another type or an empty object: an empty condition must never match everything. */
  #membersOf(sent: unknown, place: Place): readonly (readonly [string, unknown])[] | null {
    if (sent === null) return this.#problem(place, mustNotBeNull)
    if (typeof sent !== 'object' || Array.isArray(sent)) return this.#problem(place, 'Must be an object.')
    const members = Object.entries(sent as Members).filter(([, each]) => each !== undefined)
    return members.length === 0 ? this.#problem(place, 'Must hold a condition.') : members
  }

  #deeper(place: Place): Place {
    const levels = place.levels + 1
    const wrong = this.meter.depth(levels)
    if (wrong !== null && levels === this.meter.limits.whereDepth + 1) this.#problem(place, wrong)
    return { ...place, levels }
  }

  #all(of: readonly (Written | null)[]): Written | null {
    if (of.includes(null)) return null
    return of.length === 1 ? of[0]! : { is: 'all', of: of as readonly Written[] }
  }

  #not(of: Written | null): Written | null {
    return of === null ? null : { is: 'not', of }
  }

  #problem({ at }: Place, message: string): null {
    this.#mistakes.push({ field: at, message })
    return null
  }
}
const mustNotBeNull = 'Must not be null; use isNull for missing values.'

/**
 * A condition on a relation's record. A path through a missing or hidden record is null, so `not` negates the comparison with
 * null. (contract 12.1.3)
 */
export function prefixed(step: WhereStep, tree: Written): Written {
  switch (tree.is) {
    case 'not':
      return { is: 'not', of: prefixed(step, tree.of) }
    case 'any':
    case 'all':
      return { ...tree, of: tree.of.map((each) => prefixed(step, each)) }
    default:
      return { is: 'some', step, of: tree }
  }
}
