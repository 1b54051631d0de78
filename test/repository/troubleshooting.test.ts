// The messages that docs/troubleshooting.md explains are those of the sources: where one changes, the page has to follow.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { repository } from '../support/process/command.ts'

const page = readFileSync(join(repository, 'docs/troubleshooting.md'), 'utf8')
const messages = Array.from(page.matchAll(/^\| `([^`]+)` \| /gm), ([, message]) => message!)
const sources = globSync('src/**/*.ts', { cwd: repository, exclude: (path) => path.endsWith('.test.ts') }).map((path) =>
  // A sentence that goes over several lines is one.
  readFileSync(join(repository, path), 'utf8').replaceAll(/['`] \+\s+['`]/g, ''),
)

/** Whether one file says all of the message that stays the same. */
function isSaid(message: string): boolean {
  const parts = message.split('…').filter((part) => /\w{3}/.test(part))
  assert.ok(parts.length > 0, message)
  return sources.some((source) => parts.every((part) => source.includes(part)))
}

test('every message of the page is one of the sources', () => {
  assert.ok(messages.length > 40)
  assert.deepEqual(
    messages.filter((message) => !isSaid(message)),
    [],
  )
})

test('a message that no code reports would be noticed', () => {
  assert.equal(isSaid('Redis is lost (…): this instance gives up.'), false)
})

test('no message is explained twice', () => {
  assert.equal(new Set(messages).size, messages.length)
})
