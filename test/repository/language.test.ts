// docs/language.md: its examples are expressions of the language, and what authors can import has a place there or in the guide.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import * as everything from 'duet-api'
import { repository } from '../support/process/command.ts'

const page = readFileSync(join(repository, 'docs/language.md'), 'utf8')
/** Names in examples that stand for an author's own code. */
const ownNames = ['Post', 'Product', 'User', 'accounts', 'roles', 'versions', 'handle', 'notify', 'read']
const names = [...Object.keys(everything), ...ownNames]
const examples = Array.from(
  page.matchAll(/^\| [^|]+ \| `((?:[^`|]|\\\|)+)`(?:, `((?:[^`|]|\\\|)+)`)? \|/gm),
  ([, ...all]) => all.filter((each) => each !== undefined).map((each) => each.replaceAll('\\|', '|')),
).flat()

for (const example of examples.filter((each) => /[(:]/.test(each) && !each.includes('…') && !each.startsWith('posts:')))
  test(example, () => {
    const value = /^\w+: /.test(example) ? `{ ${example} }` : example
    const make = new Function(...names, `return (${value})`)
    const values = names.map((name) => (everything as Record<string, unknown>)[name] ?? {})
    if (!/\b(?:route|on|service|provision)\(/.test(value)) assert.notEqual(make(...values), undefined)
  })

test('there are examples', () => assert.ok(examples.length > 60, `${examples.length}`))

test('it has every word that definitions import', () => {
  const elsewhere = readFileSync(join(repository, 'docs/resources.md'), 'utf8')
  const missing = Object.keys(everything).filter((name) => !new RegExp(`\\b${name}\\b`).test(page + elsewhere))
  assert.deepEqual(missing, [])
})
