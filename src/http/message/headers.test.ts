// Every header that the code names is in the table, so that the documents name it too.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { requestHeaders, responseHeaders } from './headers.ts'

const source = new URL('../../', import.meta.url)
const files = globSync('**/*.ts', { cwd: source }).filter(
  (path) =>
    !path.endsWith('.test.ts') && !/^(?:client|command|compatibility)\/|^http\/message\/headers\.ts$/.test(path),
)
const text = files.map((path) => readFileSync(new URL(path, source), 'utf8')).join('\n')
const found = (pattern: RegExp) => Array.from(text.matchAll(pattern), ([, name]) => name!.toLowerCase())

test('every header that is read or answered is described', () => {
  const described = new Set(Object.keys({ ...requestHeaders, ...responseHeaders }).map((name) => name.toLowerCase()))
  const answered = found(/'([A-Z][A-Za-z]*(?:-[A-Z][A-Za-z]*)+)'/g)
  const read = found(/\bheaders(?:\[['"]|\.)([a-z]+(?:-[a-z]+)*)\b(?!\()/g)
  // A header of hosts is only taken away; the last two are forms of dates in SQL.
  const others = new Set(['get', 'map', 'length', 'push', 'filter', 'ts', 'x-powered-by', 'yyyy-mm', 'yyyy-mm-dd'])
  assert.ok(answered.length > 50 && read.length > 10)
  assert.deepEqual(
    [...new Set([...answered, ...read])].filter((name) => !described.has(name) && !others.has(name)),
    [],
  )
})

test('every header that is described is read or answered', () => {
  const words = new Set(found(/['.{ ]([A-Za-z]+(?:-[A-Za-z]+)*)\b/g))
  // OpenTelemetry reads it, of whatever headers it is handed.
  words.add('traceparent')
  const names = Object.keys({ ...requestHeaders, ...responseHeaders })
  assert.deepEqual(
    names.filter((name) => !words.has(name.toLowerCase())),
    [],
  )
})
