// Metrics as Prometheus reads them: its text format, version 0.0.4, which every collector understands.

import type { Histogram } from './histogram.ts'

/** One metric, read at each scrape. */
export interface Family {
  /** By the conventions of Prometheus: `duet_…`, its unit, and `_total` for a counter. */
  readonly name: string
  /** One sentence. */
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** The labels that each of its samples has, besides `le` of a histogram. */
  readonly labels: readonly string[]
  /** A number, or several with labels. The values of a label must be few, whatever clients send. */
  readonly read: () => number | Iterable<Sample>
}
export type Sample = readonly [labels: Labels, value: number | Histogram]
export type Labels = Readonly<Record<string, string>>

/** The media type of `expose`. */
export const expositionType = 'text/plain; version=0.0.4; charset=utf-8'

export function expose(families: Iterable<Family>): string {
  let text = ''
  for (const { name, help, type, read } of families) {
    text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`
    const values = read()
    if (typeof values === 'number') text += `${name} ${values}\n`
    else for (const [labels, value] of values) text += sampleOf(name, labels, value)
  }
  return text
}

function sampleOf(name: string, labels: Labels, value: number | Histogram): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`)
  return typeof value === 'number' ? `${name}${braced(pairs)} ${value}\n` : bucketsOf(name, pairs, value)
}

/** Buckets are cumulative: each counts all durations up to its bound. */
function bucketsOf(name: string, pairs: readonly string[], { bounds, counts, sum }: Histogram): string {
  let text = ''
  let count = 0
  for (const [index, each] of counts.entries()) {
    count += each
    text += `${name}_bucket${braced([...pairs, `le="${bounds[index] ?? '+Inf'}"`])} ${count}\n`
  }
  return `${text}${name}_sum${braced(pairs)} ${sum}\n${name}_count${braced(pairs)} ${count}\n`
}

const braced = (pairs: readonly string[]): string => (pairs.length === 0 ? '' : `{${pairs.join(',')}}`)
const escapeLabel = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
