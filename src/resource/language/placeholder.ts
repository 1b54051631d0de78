// Placeholders in the `where` of a query, and how they become values for each request.

import { dayOf } from '../deprecation.ts'
import type { ColumnType } from '../field/field.ts'
import { momentAt } from '../field/timestamp.ts'
import { beginningOf, type CalendarStart } from './calendar.ts'
import { type DueDefinition, dueAfter } from './due.ts'

export type ValueSource =
  | { readonly from: 'constant'; readonly value: unknown }
  | { readonly from: 'argument'; readonly name: string }
  /** Or the beginning of its calendar unit. */
  | { readonly from: 'now'; readonly shifts: readonly Shift[]; readonly start?: CalendarStart }
  /** Another field of the record, or a field of the actor's account: in rules only. */
  | { readonly from: 'field' | 'me'; readonly name: string }
/** A shift of a moment; a negative `unitMs` shifts back. */
export interface Shift {
  readonly unitMs: number
  readonly count: number | { readonly argument: string }
}

const unitsMs = { days: 86_400_000, hours: 3_600_000, minutes: 60_000 }
type SpanOfPlaceholders = { readonly [U in keyof typeof unitsMs]?: number | Placeholder }

/** What `arg`, `now`, `field` and `me` return. Computing with one throws, as its value comes with a request. */
export class Placeholder {
  readonly source: ValueSource

  constructor(source: ValueSource) {
    this.source = source
  }

  [Symbol.toPrimitive](): never {
    throw new TypeError(
      "What each request brings, such as arg('…'), me('…') and now, has no value yet: compare with it in when(…).",
    )
  }
}

export class NowPlaceholder extends Placeholder {
  readonly #start: CalendarStart | null

  constructor(shifts: readonly Shift[] = [], start: CalendarStart | null = null) {
    super({ from: 'now', shifts, ...(start === null ? {} : { start }) })
    this.#start = start
  }

  plus(span: SpanOfPlaceholders): Placeholder {
    return new NowPlaceholder(shiftsOf(span, 1), this.#start)
  }

  minus(span: SpanOfPlaceholders): Placeholder {
    return new NowPlaceholder(shiftsOf(span, -1), this.#start)
  }
}

/** Shifted by a span it is a due time, which only `at` of a move takes. */
export class FieldPlaceholder extends Placeholder {
  readonly #name: string

  constructor(name: string) {
    super({ from: 'field', name })
    this.#name = name
  }

  plus(span: object): DueDefinition {
    return dueAfter(this.#name, span, 1)
  }

  minus(span: object): DueDefinition {
    return dueAfter(this.#name, span, -1)
  }
}

function shiftsOf(span: SpanOfPlaceholders, sign: 1 | -1): readonly Shift[] {
  return Object.entries(unitsMs).flatMap(([unit, ms]): Shift[] => {
    const count = span[unit as keyof typeof unitsMs]
    if (count === undefined) return []
    const source = count instanceof Placeholder ? count.source : null
    return [{ unitMs: sign * ms, count: source?.from === 'argument' ? { argument: source.name } : Number(count) }]
  })
}

export function argumentsOf(source: ValueSource): readonly string[] {
  if (source.from === 'argument') return [source.name]
  if (source.from !== 'now') return []
  return source.shifts.flatMap(({ count }) => (typeof count === 'number' ? [] : [count.argument]))
}

export type GivenSource = Exclude<ValueSource, { from: 'field' | 'me' }>
export const isGiven = (source: ValueSource): source is GivenSource => source.from !== 'field' && source.from !== 'me'

export function givenValue(
  source: GivenSource,
  args: Readonly<Record<string, unknown>>,
  now: Date,
  type: ColumnType = 'timestamp',
): unknown {
  switch (source.from) {
    case 'constant':
      return source.value
    case 'argument':
      return args[source.name]
    case 'now': {
      const shift = ({ unitMs, count }: Shift) =>
        unitMs * (typeof count === 'number' ? count : (args[count.argument] as number))
      const shiftMs = source.shifts.reduce((sum, each) => sum + shift(each), 0)
      const moment = requestMoment(
        { shiftMs, ...(source.start === undefined ? {} : { start: source.start }) },
        now,
        type,
      )
      return type === 'date' ? dayOf(moment) : moment
    }
  }
}
/** Relative to the request, or to the beginning of its unit. */
export interface RequestMoment {
  readonly shiftMs: number
  readonly start?: CalendarStart
}

/** For a day, what the clocks of the zone show then. */
export function requestMoment({ shiftMs, start }: RequestMoment, now: Date, type: ColumnType): Date {
  if (start === undefined) return momentAt(now.getTime() + shiftMs)
  const { moment, local } = beginningOf(start, now)
  return momentAt((type === 'date' ? local : moment).getTime() + shiftMs)
}

/** In whole seconds, so that equal reads of a second share a statement. */
export function requestMomentText(moment: RequestMoment, requestTime: Date, type: ColumnType): string {
  const second = new Date(Math.floor(requestTime.getTime() / 1_000) * 1_000)
  const at = requestMoment(moment, second, type)
  return type === 'date' ? dayOf(at) : at.toISOString()
}

export const momentKey = ({ shiftMs, start }: RequestMoment): string =>
  start === undefined ? `${shiftMs}` : `${shiftMs} ${start.unit} ${start.timeZone}`

export const shiftMsOf = (shifts: readonly Shift[]): number =>
  shifts.reduce((sum, { unitMs, count }) => sum + unitMs * (count as number), 0)
