import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { repository, runCommand } from '../../test/support/process/command.ts'
import { docsCommand } from './docs.ts'

describe('duet docs', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'duet-test-'))
  })
  after(() => rm(folder, { recursive: true }))

  test('writes one page that needs nothing else, and nothing of which can be sent', async () => {
    const target = join(folder, 'a', 'b')
    const printed = await runCommand(docsCommand, ['--service', join(repository, 'reference/service.ts'), target])
    assert.equal(printed, `Wrote ${join(target, 'index.html')}.\n`)
    const page = await readFile(join(target, 'index.html'), 'utf8')
    assert.match(page, /<title>Reference service<\/title>/)
    for (const path of ['users', 'articles', 'orders']) assert.match(page, new RegExp(`<h2 id="${path}">`))
    assert.match(page, /aria-label="The states of Article"/)
    assert.doesNotMatch(page, /<script|<form|<link|src=|href="(?!#)/)
  })
})
