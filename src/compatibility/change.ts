// What became different between two contracts: where, what, whether clients break, why, and what to do about it. (contract 9.3)

/** Dangerous: no client is refused, and some may be surprised. It is shown, and passes. */
export type Verdict = 'breaking' | 'dangerous' | 'additive'

export interface Change {
  readonly verdict: Verdict
  /** `v2 GET /posts ?tag`, `v2 answers Post.title`, `GraphQL Post.title`. */
  readonly where: string
  /** A sentence. */
  readonly what: string
  /** Why clients break or may be surprised; empty for what only adds. */
  readonly why: string
  /** What its author can do about it; empty where there is nothing to do. */
  readonly remedy: string
  /** What was taken away, as uses of it are counted: a version, or a place in the GraphQL schema. */
  readonly removed?: string
  /** Until when what was taken away was promised to work, as far as the older contract says: `2027-11-20`. */
  readonly sunset?: string
}

export type Report = (change: Change) => void

/** The verdict on a change, and the sentences that go with it. */
export type Judgement = Pick<Change, 'verdict' | 'why' | 'remedy'>

export const adds: Judgement = { verdict: 'additive', why: '', remedy: '' }
export const breaks = (why: string, remedy: string): Judgement => ({ verdict: 'breaking', why, remedy })
export const surprises = (why: string, remedy = ''): Judgement => ({ verdict: 'dangerous', why, remedy })

/** What to do about most of what breaks. (contract 9.3.1) */
export const onlyInNewVersion = 'Take it back, or make the change in a new version only.'
