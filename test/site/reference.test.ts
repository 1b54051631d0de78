// The reference is made from the code: nothing that it lists goes without a word, and it agrees with what is said elsewhere.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { readComments } from '../../site/reference/documented-object.ts'
import { type EntryPoint, readEntryPoints } from '../../site/reference/exports.ts'
import { configurationPage, makePages } from '../../site/reference/pages.ts'
import { catalogue } from '../../src/failure/failure.ts'
import { defaultLimits } from '../../src/limits.ts'
import { variables } from '../../src/service/configuration/variables.ts'
import { repository } from '../support/process/command.ts'

describe('the reference', () => {
  let entries: readonly EntryPoint[]
  let pages: ReadonlyMap<string, string>
  before(() => {
    entries = readEntryPoints()
    pages = makePages(entries)
  })
  const page = (name: string) => pages.get(`${name}.md`) ?? assert.fail(`there is no ${name}.md`)
  const rows = (text: string) =>
    Array.from(
      text.matchAll(/^\| `([^`]+)` \| (.*) \|$/gm),
      ([, name, rest]) => [name!, rest!.split(/(?<!\\) \| /)] as const,
    )

  test('has a page for every entry point of the package', () => {
    const { name, exports } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
    const points = Object.keys(exports).filter((path) => path !== './package.json')
    assert.deepEqual(entries.map((each) => each.name).toSorted(), points.map((path) => name + path.slice(1)).toSorted())
  })

  test('has every name that a program can import', async () => {
    for (const { name, exports } of entries) {
      const names = new Set(exports.map((each) => each.name))
      const missing = Object.keys(await import(name)).filter((each) => !names.has(each))
      assert.deepEqual(missing, [], name)
      for (const each of exports) assert.ok(page(name.replaceAll('/', '-')).includes(`\n## ${each.name}\n`), each.name)
    }
  })

  test('every export has a docstring', () => {
    const bare = entries.flatMap(({ name, exports }) =>
      exports.filter(({ about }) => about.trim() === '').map((each) => `${each.name} of ${name}`),
    )
    assert.deepEqual(bare, [], 'say in src what it promises')
  })

  test('every limit, and every error code, has a comment of its own', () => {
    for (const [path, name, members] of [
      ['limits.ts', 'defaultLimits', defaultLimits],
      ['failure/failure.ts', 'catalogue', catalogue],
    ] as const) {
      const comments = readComments(path, name)
      assert.deepEqual([...comments.keys()], Object.keys(members))
      const bare = [...comments].filter(([, comment]) => comment === '').map(([member]) => member)
      assert.deepEqual(bare, [], `say in src/${path} what they are`)
    }
  })

  test('lists every error code, limit and variable with its value', () => {
    const codes = new Map(rows(page('errors')))
    for (const [code, { status }] of Object.entries(catalogue)) assert.equal(codes.get(code)?.[0], String(status), code)
    const limits = new Map(rows(page('limits')))
    for (const [limit, value] of Object.entries(defaultLimits))
      assert.equal(limits.get(limit)?.[0], value.toLocaleString('en'), limit)
    assert.deepEqual(
      rows(configurationPage()).map(([name]) => name),
      Object.keys(variables),
    )
  })

  test('lists the metrics that docs/operating.md lists', () => {
    const guide = readFileSync(join(repository, 'docs/operating.md'), 'utf8')
    const metrics = (text: string) =>
      Array.from(
        text.matchAll(/^\| `(\w+)` \| (counter|gauge|histogram) \| ?(.*?) \| (.*) \|$/gm),
        ([, name, type, labels, help]) => [name, type, labels, help].join(' | '),
      ).toSorted()
    assert.ok(metrics(guide).length > 30)
    assert.deepEqual(metrics(page('metrics')), metrics(guide))
  })

  test('cites clauses that docs/contract.md has', () => {
    const contract = readFileSync(join(repository, 'docs/contract.md'), 'utf8')
    for (const [name, text] of pages) {
      for (const [, clause] of text.matchAll(/\.\.\/contract\.md#([\d.]+)/g))
        assert.ok(contract.includes(`<a id="${clause}"></a>`), `${name}: ${clause}`)
    }
  })
})
