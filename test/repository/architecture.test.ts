// ARCHITECTURE.md says what is so: its table of imports is the one that is checked, and every path that it names exists.

import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { table } from '../support/check/import-direction.ts'

const root = join(import.meta.dirname, '../..')
const withoutDrawings = (markdown: string) => markdown.replace(/```[\s\S]*?```/g, '')
const text = withoutDrawings(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8'))
const section = text.slice(text.indexOf('\n## Who may import whom'), text.indexOf('\n## Where to change what'))
const names = (cell: string): readonly string[] => Array.from(cell.matchAll(/`([^`]+)`/g), ([, name = '']) => name)
const groups = new Map(
  Array.from(section.matchAll(/^- (\*\w+\*): (.*)$/gm), ([, name = '', list = '']) => [name, list]),
)
const rows = Array.from(section.matchAll(/^\| `([^`]+)` \| ([^|]+) \|/gm), ([, part = '', cell = '']) => ({
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

test('every part of the table is a folder or a file of src/', () => {
  assert.deepEqual(
    rows.filter(({ part }) => !existsSync(join(root, 'src', part))),
    [],
  )
})

test('every path that ARCHITECTURE.md names exists', () => {
  const paths = names(text).filter((name) => /^[\w.-]+\/[\w./*-]*$/.test(name) && !name.startsWith('dist/'))
  const missing = paths.filter((path) => {
    const places = [path, `src/${path}`].map((place) => place.replace(/\/$/, ''))
    return !places.some((place) => globSync(place, { cwd: root }).length > 0)
  })
  assert.ok(paths.length > 50, `only ${paths.length} paths`)
  assert.deepEqual(missing, [])
})
