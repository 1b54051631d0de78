// A fault that a service has, as a change of one line of a source. Half of those that the kit is tried with.

export interface Mutant {
  readonly name: string
  /** The service that shows it: the reference service, the gallery, or an example. */
  readonly service: 'reference' | 'gallery' | 'helpdesk' | 'social' | 'shop'
  readonly file: string
  /** Stands once in the file. */
  readonly from: string
  readonly to: string
  /** The clauses that a service with it breaks, as `--only` takes them. */
  readonly breaks: string
}

type Row = readonly [name: string, file: string, from: string, to: string, breaks: string]

export const of = (service: Mutant['service'], rows: readonly Row[]): readonly Mutant[] =>
  rows.map(([name, file, from, to, breaks]) => ({ name, service, file, from, to, breaks }))
