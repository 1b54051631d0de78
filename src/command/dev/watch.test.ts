import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type SourceWatch, watchSources } from './watch.ts'

let folder: string
let sources: SourceWatch
const at = (path: string) => join(folder, path)
const write = (path: string) => writeFileSync(at(path), path)
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'duet-test-'))
  for (const path of ['data', '.git', 'node_modules/x', 'deep/er']) mkdirSync(at(path), { recursive: true })
  for (const path of ['a.ts', 'app.db', 'deep/er/b.ts']) write(path)
  sources = watchSources([folder])
})
after(() => {
  sources.close()
  rmSync(folder, { recursive: true })
})

/** What the watch says after this has happened, and nothing of what was before. */
const rows: readonly [does: string, change: () => void, paths: readonly string[]][] = [
  ['a file is written', () => write('a.ts'), ['a.ts']],
  ...['a first', 'a second', 'a third'].map((time): (typeof rows)[number] => [
    `a file is replaced ${time} time`,
    () => {
      write('a.ts~')
      renameSync(at('a.ts~'), at('a.ts'))
    },
    ['a.ts'],
  ]),
  [
    'a database is written, and what is not of the project',
    () => {
      for (const file of ['app.db', 'app.db-wal', 'app.db-shm', 'app.log', '.a.ts.swp', 'data/duet.db', 'data/x.json'])
        write(file)
      for (const file of ['.git/index.json', 'node_modules/x/index.js', 'deep/app.db']) write(file)
      write('a.ts')
    },
    ['a.ts'],
  ],
  ['a file deep inside is written', () => write('deep/er/b.ts'), ['deep/er/b.ts']],
  [
    'a folder comes with files, and is written to at once',
    () => {
      mkdirSync(at('new/er'), { recursive: true })
      write('new/er/c.ts')
    },
    ['new/er/c.ts'],
  ],
  ['a file in a folder that came later is written', () => write('new/er/c.ts'), ['new/er/c.ts']],
  [
    'a folder takes the place of another',
    () => {
      mkdirSync(at('.other'))
      write('.other/d.ts')
      rmSync(at('new'), { recursive: true })
      renameSync(at('.other'), at('new'))
    },
    ['new/d.ts', 'new/er/c.ts', 'new/er', 'new'],
  ],
  ['a file in that folder is written', () => write('new/d.ts'), ['new/d.ts']],
  ['a file is removed', () => rmSync(at('deep/er/b.ts')), ['deep/er/b.ts']],
  [
    'several files are saved at once',
    () => ['a.ts', 'e.json', 'f.graphql'].forEach(write),
    ['a.ts', 'e.json', 'f.graphql'],
  ],
]
for (const [does, change, paths] of rows) {
  test(`${does}`, { timeout: 10_000 }, async () => {
    change()
    const seen = await sources.next()
    assert.ok(seen.length > 0)
    assert.deepEqual(
      seen.filter((path) => !paths.includes(path)),
      [],
    )
    assert.ok(seen.includes(paths[0]!), seen.join())
  })
}
