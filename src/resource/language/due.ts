// The due time of a move made by the clock: a timestamp, perhaps shifted by a span.

/** A span from weeks to seconds; a day is 24 hours. A part may be an integer field of the record. */
export interface DueSpan<out Counts> {
  readonly weeks?: number | { readonly fieldOf: Counts }
  readonly days?: number | { readonly fieldOf: Counts }
  readonly hours?: number | { readonly fieldOf: Counts }
  readonly minutes?: number | { readonly fieldOf: Counts }
  readonly seconds?: number | { readonly fieldOf: Counts }
}
/** A timestamp of the record, or of a record that it refers to (`booking.startsAt`), shifted by a span. */
export interface DueTime<out Names, out Counts> {
  readonly due: Names
  readonly counts: Counts
}

export interface DueShift {
  /** Negative for `minus`. */
  readonly unitSeconds: number
  readonly count: number | { readonly field: string }
}
/** What `field(…).plus({ … })` is at run time. */
export interface DueDefinition {
  readonly due: string
  readonly shifts: readonly DueShift[]
}

export const dueUnitSeconds = { weeks: 604_800, days: 86_400, hours: 3_600, minutes: 60, seconds: 1 }

/** Unknown units and counts that are no numbers stay, for the check at the start. */
export function dueAfter(due: string, span: object, sign: 1 | -1): DueDefinition {
  const shifts = Object.entries(span).map(([unit, count]): DueShift => {
    const seconds = (dueUnitSeconds as Readonly<Record<string, number>>)[unit] ?? Number.NaN
    const name = (count as { readonly source?: { readonly name?: string } } | null)?.source?.name
    return { unitSeconds: sign * seconds, count: name === undefined ? count : { field: name } }
  })
  return { due, shifts }
}
