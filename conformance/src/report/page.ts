// A report as one HTML page.

import type { TestEvent } from 'node:test/reporters'
import { Results } from './results.ts'

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

export default async function* page(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const results = new Results()
  for await (const event of source) results.add(event)
  const count = (['kept', 'broken', 'skipped'] as const).map((verdict) => `${results.count(verdict)} ${verdict}`)
  const rows = results.all().map(({ clause, text, verdict, problem }) => {
    const details = problem === '' ? '' : `<pre>${escaped(problem)}</pre>`
    return `<tr class="${verdict}"><td>${clause}</td><td>${verdict}</td><td>${escaped(text)}${details}</td></tr>`
  })
  yield `<!doctype html>
<html lang="en"><head><meta charset="utf-8"/><title>Conformance</title>
<style>body{font:15px/1.5 system-ui;margin:2rem auto;max-width:60rem}td{vertical-align:top;padding:.3rem .6rem;border-top:1px solid #ddd}
pre{white-space:pre-wrap;background:#f6f6f6;padding:.5rem}.broken td:nth-child(2){color:#b00;font-weight:600}.skipped{color:#777}</style></head>
<body><h1>Edition 2026.1: ${count.join(', ')}</h1>
<table><tbody>${rows.join('\n')}</tbody></table></body></html>
`
}
