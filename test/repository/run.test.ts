import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'

test('ends with the counts of node:test, and with 0 when all pass', async () => {
  const { output, code } = await runPlanted(`test('adds', () => {})`)
  assert.match(output, /✔ adds/)
  assert.match(output, /# tests 1\n# suites 0\n# pass 1\n# fail 0\n(# \w+ [\d.]+\n)+$/)
  assert.equal(code, 0)
})

test('fails where a test fails, and shows it before the counts', async () => {
  const { output, code } = await runPlanted(`test('adds', () => { throw new Error('It does not.') })`)
  assert.match(output, /Error: It does not\.[\s\S]*# fail 1\n/)
  assert.equal(code, 1)
})

test('fails where a file leaves something open, and says what', async () => {
  const { output, code } = await runPlanted(`test('adds', () => { setInterval(() => {}, 1000) })`)
  assert.match(output, /planted\.test\.ts left something open: .*Timeout/)
  assert.match(output, /# fail 1\n/)
  assert.equal(code, 1)
})

test('refuses a path without tests', async () => {
  const { output, code } = await run(['LICENSES'])
  assert.equal(output, 'There is no LICENSES.\n')
  assert.equal(code, 1)
})

async function runPlanted(source: string) {
  const folder = await mkdtemp(join(tmpdir(), 'duet-test-'))
  try {
    await writeFile(join(folder, 'planted.test.ts'), `import { test } from 'node:test'\n${source}\n`)
    return await run([folder])
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function run(paths: readonly string[]) {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const child = spawn(process.execPath, [join(import.meta.dirname, '../run.ts'), ...paths], { env })
  const [out, problems, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((resolve) => child.on('close', resolve)),
  ])
  return { output: out + problems, code }
}
