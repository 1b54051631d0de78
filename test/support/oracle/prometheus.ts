// Reads metrics with somebody else's parser.

import { createRequire } from 'node:module'
import { getOrInsert } from '../../../src/cache/get-or-insert.ts'

export interface Told {
  /** Samples by name, such as `duet_requests_total` or `duet_request_duration_seconds_count`. */
  readonly samples: ReadonlyMap<string, readonly Sample[]>
  readonly families: readonly { readonly name: string; readonly type: string; readonly help: string }[]
}
export interface Sample {
  readonly labels?: Readonly<Record<string, string>>
  readonly value: string
}
interface Family {
  readonly name: string
  readonly type: string
  readonly help: string
  readonly metrics: readonly Sample[]
}

// It has no types of its own.
const parse = createRequire(import.meta.url)('parse-prometheus-text-format') as (text: string) => readonly Family[]

export function readMetrics(text: string): Told {
  // Left to itself, the parser adds up the buckets of all labels: without comments, samples are just samples.
  const plain = parse(text.replaceAll(/^# .*\n/gm, ''))
  const samples = new Map<string, Sample[]>()
  for (const { name, metrics } of plain) getOrInsert(samples, name, () => []).push(...metrics)
  return { families: parse(text), samples }
}
