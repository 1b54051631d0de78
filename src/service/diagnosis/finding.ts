// What an examination of a service finds: one sentence for each thing that was looked at, and what to do where it is not well.

export interface Finding {
  /** What was looked at: `database`. */
  readonly about: string
  /** A problem keeps the service from its work, or will; a warning does not. */
  readonly state: 'ok' | 'warning' | 'problem'
  readonly finding: string
  /** Null where there is nothing to do. */
  readonly remedy: string | null
}

export const well = (about: string, finding: string): Finding => ({ about, state: 'ok', finding, remedy: null })
export const warning = (about: string, finding: string, remedy: string): Finding => ({
  about,
  state: 'warning',
  finding,
  remedy,
})
export const problem = (about: string, finding: string, remedy: string): Finding => ({
  about,
  state: 'problem',
  finding,
  remedy,
})
