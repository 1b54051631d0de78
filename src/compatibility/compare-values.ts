// Compares constraints on values. Input must stay accepted, and answers within what clients expect, so the directions are
// judged differently. (contract 9.3.1)

import { compareDecimalTexts } from '../resource/field/decimal.ts'
import { adds, breaks, type Judgement, onlyInNewVersion, type Report, surprises } from './change.ts'
import { isSame, type Node } from './openapi-document.ts'

export type Side = 'input' | 'answer'

const refusal = breaks('A request that was accepted is refused.', onlyInNewVersion)
const unknownValue = 'A client may be answered what it does not expect.'
const unreadableAnswer = breaks('A client is answered what it cannot read.', onlyInNewVersion)

/** No request is refused, but stored records with the value prevent the start. */
const valueRemoval = surprises(
  'A client that waits for it never sees it, and records may still hold what is gone.',
  'Give the records that hold it another value first, or keep it, deprecated.',
)

const fewerValues = (side: Side): Judgement => (side === 'input' ? refusal : adds)
const moreValues = (side: Side): Judgement => (side === 'input' ? adds : surprises(unknownValue))

export function compareValues(before: Node, after: Node, side: Side, where: string, report: Report): void {
  const note: Note = (what, judgement) => report({ where, what, ...judgement })
  compareTypes(typesOf(before), typesOf(after), side, note)
  compareWords(wordsOf(before), wordsOf(after), side, sunsetsOf(before), note)
  const isDecimal = isSameScale(before, after)
  for (const [keyword, words] of Object.entries(bounds)) {
    if (isDecimal && keyword === 'maxLength') continue
    if (keyword !== 'maxItems' || !isChosenFrom(before) || !isChosenFrom(after))
      compareBound(words, { from: before[keyword], to: after[keyword] }, side, note)
  }
  for (const [keyword, words] of Object.entries(exactBounds))
    compareExactBound(words, { from: before[keyword], to: after[keyword] }, side, note)
  for (const keyword of isDecimal ? ['format'] : ['pattern', 'format', 'multipleOf', 'uniqueItems'])
    compareForm(keyword, { from: before[keyword], to: after[keyword] }, side, note)
  if (!isSame(before['default'], after['default'])) {
    note(
      `The default changed from ${printValue(before['default'])} to ${printValue(after['default'])}.`,
      surprises('Clients that omit it get something else.'),
    )
  }
}

/** With equal scale, the bounds of the number imply those of its text. */
const isSameScale = (before: Node, after: Node): boolean =>
  before['format'] === 'decimal' && after['format'] === 'decimal' && digitsOf(before) === digitsOf(after)
const digitsOf = ({ 'x-maximum': most }: Node): number =>
  typeof most === 'string' ? most.length - (most.includes('.') ? most.indexOf('.') : most.length - 1) - 1 : Number.NaN

/** The enum bounds the length. */
const isChosenFrom = ({ uniqueItems, items }: Node): boolean =>
  uniqueItems === true && typeof items === 'object' && items !== null && 'enum' in items

type Note = (what: string, judgement: Judgement & { readonly sunset?: string }) => void

const sunsetsOf = (node: Node) => (node['x-deprecated-values'] ?? {}) as Readonly<Record<string, string>>

const typesOf = ({ type }: Node): readonly string[] | undefined =>
  type === undefined ? undefined : ([type].flat() as string[])

function compareTypes(
  before: readonly string[] | undefined,
  after: readonly string[] | undefined,
  side: Side,
  note: Note,
): void {
  const holds = (types: readonly string[] | undefined, type: string) =>
    types === undefined || types.includes(type) || (type === 'integer' && types.includes('number'))
  const hasLost = before === undefined ? after !== undefined : before.some((type) => !holds(after, type))
  const hasGained = after === undefined ? before !== undefined : after.some((type) => !holds(before, type))
  if (!hasLost && !hasGained) return
  const [from, to] = [before, after].map((types) => (types === undefined ? 'anything' : types.join(' or ')))
  const judgement = hasLost && side === 'input' ? refusal : hasGained && side === 'answer' ? unreadableAnswer : adds
  note(`The type changed from ${from} to ${to}.`, judgement)
}

/** Without null, which is a type. */
function wordsOf(node: Node): readonly unknown[] | undefined {
  const values = node['enum'] ?? (node['const'] === undefined ? undefined : [node['const']])
  return (values as readonly unknown[] | undefined)?.filter((value) => value !== null)
}

function compareWords(
  before: readonly unknown[] | undefined,
  after: readonly unknown[] | undefined,
  side: Side,
  sunsets: Readonly<Record<string, string>>,
  note: Note,
): void {
  if (before === undefined && after === undefined) return
  if (before === undefined)
    note(`Only ${printValue(after)} are left of all values.`, side === 'input' ? refusal : valueRemoval)
  else if (after === undefined) note(`It is no longer one of ${printValue(before)}.`, moreValues(side))
  else {
    for (const value of before) {
      const sunset = sunsets[String(value)]
      const promise = sunset === undefined ? {} : { sunset }
      const judgement = side === 'input' ? refusal : valueRemoval
      if (!after.includes(value)) note(`The value ${printValue(value)} was removed.`, { ...judgement, ...promise })
    }
    for (const value of after)
      if (!before.includes(value)) note(`The value ${printValue(value)} was added.`, moreValues(side))
  }
}

/** The name of each bound, and whether a higher one allows more values. */
const bounds: Readonly<Record<string, readonly [name: string, rising: 'wider' | 'narrower']>> = {
  maxLength: ['longest text', 'wider'],
  minLength: ['shortest text', 'narrower'],
  maximum: ['largest number', 'wider'],
  minimum: ['smallest number', 'narrower'],
  exclusiveMaximum: ['number that it must stay under', 'wider'],
  exclusiveMinimum: ['number that it must exceed', 'narrower'],
  maxItems: ['longest list', 'wider'],
  minItems: ['shortest list', 'narrower'],
  maxProperties: ['largest number of members', 'wider'],
  minProperties: ['smallest number of members', 'narrower'],
}
/** Exact numbers have bounds as text. */
const exactBounds: typeof bounds = { 'x-maximum': bounds['maximum']!, 'x-minimum': bounds['minimum']! }

interface KeywordChange {
  readonly from: unknown
  readonly to: unknown
}

function compareBound(
  [name, rising]: readonly [string, 'wider' | 'narrower'],
  change: KeywordChange,
  side: Side,
  note: Note,
): void {
  const unbounded = rising === 'wider' ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY
  const from = (change.from ?? unbounded) as number
  const to = (change.to ?? unbounded) as number
  if (from === to) return
  const isWider = to > from === (rising === 'wider')
  const print = (limit: number) => (Number.isFinite(limit) ? String(limit) : 'none')
  note(`The ${name} changed from ${print(from)} to ${print(to)}.`, isWider ? moreValues(side) : fewerValues(side))
}

/** Documents of earlier Duet versions lack these bounds. */
function compareExactBound(
  [name, rising]: readonly [string, 'wider' | 'narrower'],
  { from, to }: KeywordChange,
  side: Side,
  note: Note,
): void {
  if (typeof from !== 'string' || typeof to !== 'string') return
  const order = compareDecimalTexts(to, from)
  if (order === 0) return
  const isWider = order > 0 === (rising === 'wider')
  note(`The ${name} changed from ${from} to ${to}.`, isWider ? moreValues(side) : fewerValues(side))
}

function compareForm(keyword: string, { from, to }: KeywordChange, side: Side, note: Note): void {
  if (isSame(from, to)) return
  const isRemoved = to === undefined || to === false
  const isAdded = from === undefined || from === false
  const isUnreadable = keyword === 'format' && !isRemoved
  const judgement = side === 'input' ? judgeInput(isRemoved) : judgeAnswer(isAdded, isUnreadable)
  note(`The ${keyword} ${formSentence({ from, to }, isAdded, isRemoved)}.`, judgement)
}

const judgeInput = (isRemoved: boolean): Judgement => (isRemoved ? adds : refusal)

function judgeAnswer(isAdded: boolean, isUnreadable: boolean): Judgement {
  if (isAdded) return adds
  return isUnreadable ? unreadableAnswer : surprises(unknownValue)
}

function formSentence({ from, to }: KeywordChange, isAdded: boolean, isRemoved: boolean): string {
  if (isAdded) return `is ${printValue(to)} now`
  return isRemoved ? 'is free now' : `changed from ${printValue(from)} to ${printValue(to)}`
}

function printValue(value: unknown): string {
  if (value === undefined) return 'none'
  if (Array.isArray(value)) return value.map(String).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
