// A finding: a sentence about what was examined, and a remedy if there is a problem.

export interface Finding {
  /** Such as `database`. */
  readonly about: string
  /** A problem prevents the service from working, now or later; a warning does not. */
  readonly state: 'ok' | 'warning' | 'problem'
  readonly finding: string
  readonly remedy: string | null
}

const of =
  (state: Finding['state']) =>
  (about: string, finding: string, remedy: string): Finding => ({ about, state, finding, remedy })

export const well = (about: string, finding: string): Finding => ({ about, state: 'ok', finding, remedy: null })
export const warning = of('warning')
export const problem = of('problem')
