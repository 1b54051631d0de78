// The keywords of a JSON Schema that say which values there are: what a client sends must go on being taken, what it is
// answered must go on being what it knows. So the two directions are judged the other way round. (contract 9.3.1)

import { adds, breaks, type Judgement, onlyInNewVersion, type Report, surprises } from './change.ts'
import { isSame, type Node } from './openapi-document.ts'

/** `input`: what clients send. `answer`: what they are answered. */
export type Side = 'input' | 'answer'

const refused = breaks('A request that was accepted is refused.', onlyInNewVersion)
const unknownValue = 'A client may be answered what it does not expect.'
const unreadable = breaks('A client is answered what it cannot read.', onlyInNewVersion)

/** No client is refused, and records that hold the value keep the service from starting. */
const noLonger = surprises(
  'A client that waits for it never sees it, and records may still hold what is gone.',
  'Give the records that hold it another value first, or keep it, deprecated.',
)

/** Fewer values than before. */
const narrowed = (side: Side): Judgement => (side === 'input' ? refused : adds)
/** More values than before, of the same type. */
const widened = (side: Side): Judgement => (side === 'input' ? adds : surprises(unknownValue))

/** Reports what changed about the values at this place, members and elements left aside. */
export function compareValues(before: Node, after: Node, side: Side, where: string, report: Report): void {
  const say: Say = (what, judgement) => report({ where, what, ...judgement })
  compareTypes(typesOf(before), typesOf(after), side, say)
  compareWords(wordsOf(before), wordsOf(after), side, sunsetsOf(before), say)
  for (const [keyword, words] of Object.entries(bounds)) {
    if (keyword !== 'maxItems' || !isChosenFrom(before) || !isChosenFrom(after))
      compareBound(keyword, words, before, after, side, say)
  }
  for (const keyword of ['pattern', 'format', 'multipleOf', 'uniqueItems'])
    compareForm(keyword, before, after, side, say)
  if (!isSame(before['default'], after['default'])) {
    say(
      `The default changed from ${shown(before['default'])} to ${shown(after['default'])}.`,
      surprises('Whoever leaves it out gets something else.'),
    )
  }
}

/** A list of different words from a list: how many there can be follows from those. */
const isChosenFrom = ({ uniqueItems, items }: Node): boolean =>
  uniqueItems === true && typeof items === 'object' && items !== null && 'enum' in items

type Say = (what: string, judgement: Judgement & { readonly sunset?: string }) => void

/** Until when single values were promised to work. */
const sunsetsOf = (node: Node) => (node['x-deprecated-values'] ?? {}) as Readonly<Record<string, string>>

/** Undefined: any. */
const typesOf = ({ type }: Node): readonly string[] | undefined =>
  type === undefined ? undefined : ([type].flat() as string[])

function compareTypes(
  before: readonly string[] | undefined,
  after: readonly string[] | undefined,
  side: Side,
  say: Say,
): void {
  const holds = (types: readonly string[] | undefined, type: string) =>
    types === undefined || types.includes(type) || (type === 'integer' && types.includes('number'))
  const gone = before === undefined ? after !== undefined : before.some((type) => !holds(after, type))
  const come = after === undefined ? before !== undefined : after.some((type) => !holds(before, type))
  if (!gone && !come) return
  const [from, to] = [before, after].map((types) => (types === undefined ? 'anything' : types.join(' or ')))
  const judgement = gone && side === 'input' ? refused : come && side === 'answer' ? unreadable : adds
  say(`The type changed from ${from} to ${to}.`, judgement)
}

/** The values there are, where they are listed; null stands among the types. */
function wordsOf(node: Node): readonly unknown[] | undefined {
  const listed = node['enum'] ?? (node['const'] === undefined ? undefined : [node['const']])
  return (listed as readonly unknown[] | undefined)?.filter((value) => value !== null)
}

function compareWords(
  before: readonly unknown[] | undefined,
  after: readonly unknown[] | undefined,
  side: Side,
  sunsets: Readonly<Record<string, string>>,
  say: Say,
): void {
  if (before === undefined && after === undefined) return
  if (before === undefined) say(`Only ${shown(after)} are left of all values.`, side === 'input' ? refused : noLonger)
  else if (after === undefined) say(`It is no longer one of ${shown(before)}.`, widened(side))
  else {
    for (const value of before) {
      const sunset = sunsets[String(value)]
      const promised = sunset === undefined ? {} : { sunset }
      const judgement = side === 'input' ? refused : noLonger
      if (!after.includes(value)) say(`The value ${shown(value)} was removed.`, { ...judgement, ...promised })
    }
    for (const value of after) if (!before.includes(value)) say(`The value ${shown(value)} was added.`, widened(side))
  }
}

/** What each bound is called, and whether more of it lets more values in. */
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

function compareBound(
  keyword: string,
  [name, rising]: readonly [string, 'wider' | 'narrower'],
  before: Node,
  after: Node,
  side: Side,
  say: Say,
): void {
  const unbounded = rising === 'wider' ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY
  const from = (before[keyword] ?? unbounded) as number
  const to = (after[keyword] ?? unbounded) as number
  if (from === to) return
  const isWider = to > from === (rising === 'wider')
  const told = (bound: number) => (Number.isFinite(bound) ? String(bound) : 'none')
  say(`The ${name} changed from ${told(from)} to ${told(to)}.`, isWider ? widened(side) : narrowed(side))
}

/** Keywords of which nobody can tell which of two lets more in. */
function compareForm(keyword: string, before: Node, after: Node, side: Side, say: Say): void {
  const [from, to] = [before[keyword], after[keyword]]
  if (isSame(from, to)) return
  const isFreer = to === undefined || to === false
  const isStricter = from === undefined || from === false
  const judgement =
    side === 'input'
      ? isFreer
        ? adds
        : refused
      : isStricter
        ? adds
        : keyword === 'format' && !isFreer
          ? unreadable
          : surprises(unknownValue)
  const what = isStricter
    ? `is ${shown(to)} now`
    : isFreer
      ? 'is free now'
      : `changed from ${shown(from)} to ${shown(to)}`
  say(`The ${keyword} ${what}.`, judgement)
}

const shown = (value: unknown): string =>
  value === undefined
    ? 'none'
    : Array.isArray(value)
      ? value.map(String).join(', ')
      : typeof value === 'string'
        ? value
        : JSON.stringify(value)
