// Prints findings by resource, the most urgent first.

import type { Engine } from '../../store/store.ts'
import type { Finding } from './findings.ts'
import type { IndexReport } from './index-report.ts'

export interface Report {
  readonly engine: Engine
  readonly findings: readonly (Finding & { readonly isAccepted: boolean })[]
  readonly unused: readonly string[]
}
type Reported = Report['findings'][number]

export function printFindings({ engine, findings, unused }: Report): string {
  const open = findings.filter(({ code, isAccepted }) => code !== 'matches' && !isAccepted)
  const sections = [...Map.groupBy(open, ({ resource }) => resource)].map(([, found]) => section(found))
  const stale = unused.map((each) => `${each} is accepted, and nothing is found for it: take the line out.`)
  return `${[...sections, ...(stale.length === 0 ? [] : [stale.join('\n')]), summary(findings, open, engine)].join('\n\n')}\n`
}

/** Each table, and a line for each of its indexes. */
export function printIndexes(report: IndexReport): string {
  const sections = report.map(({ resource, table, indexes, proposals }) => {
    const width = Math.max(...indexes.map(({ name }) => name.length))
    const lines = [
      `${resource} (table ${table}): ${indexes.length} indexes, written by every insert`,
      ...indexes.map(({ name, serves }) => `  ${name.padEnd(width)}  ${serves.join('; ')}`),
      ...proposals.map(({ what, saves }) => `  ${what} would save ${saves}`),
    ]
    return `${lines.join('\n')}\n\n`
  })
  return sections.join('')
}

function section(found: readonly [Reported, ...Reported[]] | readonly Reported[]): string {
  const [{ resource, table, cost }] = found as readonly [Reported, ...Reported[]]
  const walk = found.find(({ code }) => code === 'walk') ?? { cost }
  const times = walk.cost.map(({ rows, ms }) => `${duration(ms)} at ${rows.toLocaleString('en')} rows`)
  const title = `${resource} (table ${table})${times.length === 0 ? '' : `: a walk takes about ${times.join(', ')}`}`
  const width = Math.max(...found.map(({ id }) => id.length))
  const lines = found.map(({ id, code, what, plan }) =>
    [`  ${code.padEnd(7)}  ${id.padEnd(width)}  ${what}`, ...(plan ?? []).map((line) => `             ${line}`)].join(
      '\n',
    ),
  )
  return [title, ...lines].join('\n')
}

const duration = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`)

function summary(findings: Report['findings'], undecided: readonly Reported[], engine: Engine): string {
  const accepted = findings.filter(({ isAccepted }) => isAccepted).length
  const matches = findings.filter(({ code }) => code === 'matches').length
  const name = engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'
  return [
    undecided.length === 0
      ? `Nothing to decide on ${name}.`
      : `${undecided.length} to decide on ${name}: fix them, or list their ids in the file of --accepted.`,
    ...(accepted === 0 ? [] : [`${accepted} accepted.`]),
    ...(matches === 0 ? [] : [`${matches} kinds of questions read all that match, however many; --json lists them.`]),
  ].join(' ')
}
