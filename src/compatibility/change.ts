// A difference between two contracts: place, verdict, reason and remedy. (contract 9.3)

/** `dangerous` refuses no client but may surprise some; it is reported and passes. */
export type Verdict = 'breaking' | 'dangerous' | 'additive'

export interface Change {
  readonly verdict: Verdict
  /** `v2 GET /posts ?tag`, `v2 answers Post.title`, `GraphQL Post.title`. */
  readonly where: string
  /** A sentence. */
  readonly what: string
  /** Why clients break or may be surprised; empty for additions. */
  readonly why: string
  /** Empty if nothing needs to be done. */
  readonly remedy: string
  /** The removed version or place in the GraphQL schema, by which uses are counted. */
  readonly removed?: string
  /** The promised end of what was removed, if the older contract has one: `2027-11-20`. */
  readonly sunset?: string
}

export type Report = (change: Change) => void

export type Judgement = Pick<Change, 'verdict' | 'why' | 'remedy'>

export const adds: Judgement = { verdict: 'additive', why: '', remedy: '' }
export const breaks = (why: string, remedy: string): Judgement => ({ verdict: 'breaking', why, remedy })
export const surprises = (why: string, remedy = ''): Judgement => ({ verdict: 'dangerous', why, remedy })

/** The remedy for most breaking changes. (contract 9.3.1) */
export const onlyInNewVersion = 'Take it back, or make the change in a new version only.'
