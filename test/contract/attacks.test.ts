// attacks.md lists what attackers try, with the test that shows that it fails. Each of these tests is there.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { getOrInsert } from '../../src/cache/get-or-insert.ts'

const page = new URL('attacks.md', import.meta.url)
const rows = Array.from(
  readFileSync(page, 'utf8').matchAll(/^\| ([^|]+) \| \[[^\]]+\]\(([^)]+)\) \| (`+)(.+)\3 \|$/gm),
  ([, attack, path, , title]) => ({ attack: attack!, path: path!, title: title! }),
)
const sources = new Map<string, string>()
const sourceOf = (path: string): string => getOrInsert(sources, path, () => readFileSync(new URL(path, page), 'utf8'))

test('the list has 160 attacks or more', () => {
  const lines = readFileSync(page, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| Attack'))
  assert.equal(rows.length, lines.length, 'every row has the form of the others')
  assert.ok(rows.length >= 160, `${rows.length}`)
})

test('every attack names a test that is there', () => {
  const absent = rows.filter(({ path, title }) => !sourceOf(path).includes(title))
  assert.deepEqual(absent, [])
})

test('every case of the list with which Duet began has a row', () => {
  const counts = { A: 34, B: 16, C: 13, D: 28, E: 17, F: 18, G: 15, H: 20, K: 8, O: 14 }
  const cases = new Set(
    rows.flatMap(({ attack }) => /^(?:[A-Z]\d+, )*[A-Z]\d+(?=:)/.exec(attack)?.[0].split(', ') ?? []),
  )
  const all = Object.entries(counts).flatMap(([group, count]) =>
    Array.from({ length: count }, (_, at) => `${group}${at + 1}`),
  )
  assert.deepEqual(
    all.filter((each) => !cases.has(each)),
    [],
  )
})
