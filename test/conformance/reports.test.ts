// The reports of the kit, read by programs: TAP, JUnit, a page, and the statement of a service.

import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { repository } from '../support/process/command.ts'
import { runProcess } from '../support/process/run-process.ts'
import { withDemoService } from '../support/server/demo-service.ts'
import { startFaultyProxy } from './faulty-proxy.ts'

const reports: Record<string, string> = {}
/** `4.5.1` is broken, `11.1.1` is skipped, and the others are kept. */
const only = '4.5.1,4.5.9,11.1.1,7.1.1'
let folder: string

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'duet-reports-'))
  const variables = {
    LOG_LEVEL: 'off',
    LIMIT_IP_PER_MINUTE: '0',
    LIMIT_USER_PER_HOUR: '0',
    LIMIT_LOGIN_PER_MINUTE: '0',
    DATABASE_URL: 'sqlite::memory:',
  }
  await withDemoService(variables, async (_, url) => {
    const proxy = await startFaultyProxy(url)
    proxy.plant({
      name: 'no Location',
      breaks: '4.5.1',
      answer: ({ headers }) => void delete headers['location'],
    })
    for (const form of ['tap', 'junit', 'page', 'statement']) {
      const output = join(folder, form)
      const profile = join(repository, 'conformance/profiles/reference.json')
      const command = join(repository, 'conformance/src/main.ts')
      const options = ['--profile', profile, '--only', only, '--report', form, '--output', output]
      const { code, printed } = await runProcess(process.execPath, [command, proxy.url, ...options], folder)
      assert.equal(code, 1, printed)
      reports[form] = await readFile(output, 'utf8')
    }
    await proxy.close()
  })
})
after(() => rm(folder, { recursive: true }))

/** The elements of a well-formed document, as their names and attributes; throws if it is not well-formed. */
function elementsOf(document: string): readonly { readonly name: string; readonly attributes: string }[] {
  const elements: { name: string; attributes: string }[] = []
  const open: string[] = []
  const body = document.replace(/^<\?xml[^>]*\?>|^<!doctype html>/, '')
  let at = 0
  for (const match of body.matchAll(
    /<(\/?)([a-z]+\d?)((?:\s+[a-z:]+="[^"<]*")*)\s*(\/?)>|<!--.*?-->|<!\[CDATA\[.*?\]\]>/gs,
  )) {
    assert.doesNotMatch(body.slice(at, match.index), /[<>]|&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);)/i)
    at = match.index + match[0].length
    const [, closing, name, attributes, empty] = match
    if (name === undefined) continue
    if (closing === '/') assert.equal(open.pop(), name)
    else {
      elements.push({ name, attributes: attributes! })
      if (empty !== '/') open.push(name)
    }
  }
  assert.deepEqual(open, [])
  return elements
}

test('TAP has a line for each test, with its clause', () => {
  const lines = reports['tap']!.split('\n')
  assert.equal(lines[0], 'TAP version 13')
  const results = lines.flatMap((line) => {
    const [, not, clause, rest] = /^ +(not )?ok \d+ - (\d+\.\d+\.\d+) (.*)$/.exec(line) ?? []
    return clause === undefined ? [] : [[clause, not === undefined, / # SKIP /.test(rest!)] as const]
  })
  assert.ok(results.some(([clause, isOk]) => clause === '4.5.1' && !isOk))
  assert.ok(results.some(([clause, isOk, isSkipped]) => clause === '4.5.9' && isOk && !isSkipped))
  assert.ok(results.some(([clause, isOk, isSkipped]) => clause === '11.1.1' && isOk && isSkipped))
  const plan = lines.findLast((line) => /^1\.\.\d+$/.test(line))
  assert.ok(plan !== undefined)
})

test('JUnit is well-formed, with a case for each test and a failure for each broken clause', () => {
  const elements = elementsOf(reports['junit']!)
  const cases = elements.filter(({ name }) => name === 'testcase')
  assert.ok(cases.some(({ attributes }) => attributes.includes('name="4.5.1 ')))
  assert.equal(elements.filter(({ name }) => name === 'failure').length, 1)
  assert.ok(elements.some(({ name }) => name === 'skipped'))
})

test('the page is well-formed, with a row for each clause', () => {
  const elements = elementsOf(reports['page']!)
  const rows = elements.filter(({ name }) => name === 'tr')
  assert.deepEqual(
    rows.map(({ attributes }) => attributes.trim()),
    ['class="broken"', 'class="kept"', 'class="kept"', 'class="skipped"'],
  )
})

test('the statement names no level with a broken clause', () => {
  const { edition, levels, versions, tested } = JSON.parse(reports['statement']!)
  assert.deepEqual([edition, levels, versions], ['2026.1', [], ['v1', 'v2']])
  assert.deepEqual(tested, { kit: '0.1.0', kept: ['4.5.9', '7.1.1'], broken: ['4.5.1'] })
})
