// ARCHITECTURE.md says what is so: its table of imports is the one that is checked, and every path that it names exists.

import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { longFunctions } from '../support/check/function-length.ts'
import { rooms, table } from '../support/check/import-direction.ts'

const root = join(import.meta.dirname, '../..')
const withoutDrawings = (markdown: string) => markdown.replace(/```[\s\S]*?```/g, '')
const text = withoutDrawings(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8'))
const section = text.slice(text.indexOf('\n## Imports'), text.indexOf('\n## Where to change what'))
const names = (cell: string): readonly string[] => Array.from(cell.matchAll(/`([^`]+)`/g), ([, name = '']) => name)
const groups = new Map(
  Array.from(section.matchAll(/^- (\*\w+\*): (.*)$/gm), ([, name = '', list = '']) => [name, list]),
)
const rows = Array.from(section.matchAll(/^\| `([^`]+)` \| ([^|]+) \| [^|]+ \|$/gm), ([, part = '', cell = '']) => ({
  part,
  cell,
}))

/** What a cell allows, its groups and "everything below" written out. */
function parts(cell: string, place: number): readonly string[] {
  const below = rows.slice(place + 1).map(({ part }) => part)
  return [
    ...names(cell),
    ...Array.from(cell.matchAll(/\*\w+\*/g)).flatMap(([group]) =>
      parts(groups.get(group) ?? assert.fail(group), place),
    ),
    ...(cell.includes('everything below') ? below.slice(cell.includes('below it') ? indexOfBase(cell, below) : 0) : []),
  ]
}
const indexOfBase = (cell: string, below: readonly string[]) => below.indexOf(names(cell).at(-1) ?? '')
const sorted = (list: readonly string[]) => [...new Set(list)].sort()

test('the table of imports in ARCHITECTURE.md is the one that is checked', () => {
  const documented = rows.map(({ part, cell }, place) => {
    const [may = '', types = ''] = cell.split(/;? ?types of /)
    return [part, { may: sorted(parts(may, place)), types: sorted(names(types)) }] as const
  })
  const checked = Object.entries(table).map(
    ([part, { may, types = [] }]) => [part, { may: sorted(may), types: sorted(types) }] as const,
  )
  assert.deepEqual(Object.fromEntries(documented), Object.fromEntries(checked))
})

test('the table of rooms in ARCHITECTURE.md is the one that is checked, and each is a folder', () => {
  const documented = Array.from(
    section.matchAll(/^\| `([^`]+)` \| (`[^|]+→[^|]+) \|$/gm),
    ([, part = '', cell = '']) => [part, names(cell)],
  )
  assert.deepEqual(Object.fromEntries(documented), rooms)
  const folders = Object.entries(rooms).flatMap(([part, all]) => all.map((room) => `src/${part}/${room}`))
  assert.deepEqual(
    folders.filter((folder) => !existsSync(join(root, folder))),
    [],
  )
})

test('no folder of src/ has more than twenty files, tests not counted', () => {
  const counts = new Map<string, number>()
  for (const path of globSync('src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] }))
    counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
  assert.deepEqual(
    [...counts].filter(([, count]) => count > 20),
    [],
  )
})

// The signature of `resource` documents a definition. With its members in a type of its own, types cost a tenth more.
const documented = /^src\/resource\/language\/resource\.ts:\d+ resource:/

test('no function of src/ has more than 80 lines', () => {
  const functionOf = (lines: number) => `const a = () => {\n${'  b()\n'.repeat(lines - 2)}}\n`
  assert.deepEqual(longFunctions('a.ts', functionOf(81), 80), ['a.ts:1 a function: 81 lines'])
  assert.deepEqual(longFunctions('a.ts', functionOf(80), 80), [])
  const paths = globSync('src/**/*.{ts,js}', { cwd: root, exclude: ['**/*.test.ts'] })
  assert.deepEqual(
    paths
      .flatMap((path) => longFunctions(path, readFileSync(join(root, path), 'utf8'), 80))
      .filter((each) => !documented.test(each)),
    [],
  )
})

test('every part of the table is a folder or a file of src/', () => {
  assert.deepEqual(
    rows.filter(({ part }) => !existsSync(join(root, 'src', part))),
    [],
  )
})

test('every path that ARCHITECTURE.md and the decisions name exists', () => {
  const decisions = globSync('docs/decisions/*.md', { cwd: root }).map((path) => readFileSync(join(root, path), 'utf8'))
  const paths = names([text, ...decisions].join('\n').replace(/^\| .*→.*$/gm, '')).filter(
    (name) => /^[\w.-]+\/[\w./*-]*$/.test(name) && !name.startsWith('dist/'),
  )
  const missing = paths.filter((path) => {
    const places = [path, `src/${path}`].map((place) => place.replace(/\/$/, ''))
    return !places.some((place) => globSync(place, { cwd: root }).length > 0)
  })
  assert.ok(paths.length > 50, `only ${paths.length} paths`)
  assert.deepEqual(missing, [])
})
