// A report for people: each broken clause with what was sent and received, and one line of counts.

import type { TestEvent } from 'node:test/reporters'
import { Results } from './results.ts'

export default async function* summary(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const results = new Results()
  for await (const event of source) results.add(event)
  for (const { clause, text, problem } of results.broken()) yield `✖ ${clause} ${text}\n${indent(problem)}\n\n`
  for (const [reason, clauses] of results.skippedByReason()) yield `Skipped, since ${reason}: ${clauses.join(', ')}\n`
  yield `${results.count('kept')} clauses are kept, ${results.count('broken')} broken, ${results.count('skipped')} not tested.\n`
}

const indent = (text: string): string => text.replaceAll(/^/gm, '  ')
