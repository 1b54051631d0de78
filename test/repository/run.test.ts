import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'

test('shows its progress, ends with one line of counts, and with 0 if all pass', async () => {
  const { output, code } = await runPlanted({
    'planted.test.ts': `test('adds', () => {})\ntest.skip('divides', () => {})`,
  })
  assert.match(output, /^\[1\/1, \d+ s\] ✔ \S*planted\.test\.ts: 2 tests, [\d.]+ s$/m)
  assert.match(output, /^ {2}✔ adds \(\d+ ms\)$/m)
  assert.match(output, /\n1 files, \d+ s, \d+ s of processor time\n1 passed, 0 failed, 1 skipped\n$/)
  assert.equal(code, 0)
})

test('fails if a test fails, and shows the error, its place and the suites of the test', async () => {
  const { output, code } = await runPlanted({
    'planted.test.ts': `describe('numbers', () => { test('add', () => { throw new Error('They do not.') }) })`,
  })
  assert.match(
    output,
    /^✖ \S*planted\.test\.ts › numbers › add\n {4}\S*planted\.test\.ts:2\n {4}Error: They do not\.$/m,
  )
  assert.match(output, /\nFailed:\n {2}\S*planted\.test\.ts › numbers › add\n[\s\S]*\n0 passed, 1 failed, 0 skipped\n$/)
  assert.equal(code, 1)
})

for (const [what, source, reason] of [
  ['leaves something open', `test('adds', () => { setInterval(() => {}, 1000) })`, /left something open: Timeout/],
  ['prints', `test('adds', () => console.log(1 + 1))`, /planted\.test\.ts printed:\n {4}2$/m],
  [
    'warns',
    `test('adds', () => process.emitWarning('Add less.'))`,
    /planted\.test\.ts printed:\n.*Warning: Add less\./,
  ],
  ['cannot be imported', `throw new Error('No.')`, /is imported\n[\s\S]*Error: No\./],
  ['fails in a hook', `after(() => { throw new Error('No.') })\ntest('adds', () => {})`, /Error: No\./],
  ['leaves a rejection unhandled', `test('adds', () => { Promise.reject(new Error('No.')) })`, /Error: No\./],
  [
    'throws when its tests are over',
    `test('adds', () => { setTimeout(() => { throw new Error('No.') }, 20) })`,
    /Error: No\./,
  ],
  [
    'declares a test in a test',
    `test('adds', () => { setImmediate(() => test('subtracts', () => {})) })`,
    /subtracts\n {4}Declared too late/,
  ],
  ['ends its process', `test('adds', () => process.exit(0))`, /The process that ran \S+ ended with 0\./],
] as const) {
  test(`fails if a file ${what}, and reports why; the others run`, async () => {
    const { output, code } = await runPlanted({
      'planted.test.ts': source,
      'sound.test.ts': `test('is run', () => {})`,
    })
    assert.match(output, reason)
    assert.match(output, /✔ \S*sound\.test\.ts: 1 tests/)
    assert.match(output, /, 1 failed, 0 skipped\n$/)
    assert.equal(code, 1)
  })
}

test('names a reason for skipping once, however many tests it skips', async () => {
  const { output } = await runPlanted({
    'one.test.ts': `test('a', { skip: 'Start it.' }, () => {})\ndescribe('b', { skip: 'Start it.' }, () => {})`,
    'other.test.ts': `test('c', { skip: 'Start it.' }, () => {})`,
  })
  assert.equal(output.match(/Start it\./g)?.length, 1, output)
})

test('lists the slowest files on request', async () => {
  const { output } = await runPlanted({ 'planted.test.ts': `test('adds', () => {})` }, ['--slowest', '3'])
  assert.match(output, /^[\d.]+ s \([\d.]+ s of processor time\): \S*planted\.test\.ts, 1 tests$/m)
})

test('refuses a path without tests', async () => {
  for (const [path, sentence] of [
    ['LICENSES', 'There is no LICENSES.\n'],
    ['docs', 'There are no tests in docs.\n'],
  ] as const) {
    const { output, code } = await run([path])
    assert.equal(output, sentence)
    assert.equal(code, 1)
  }
})

/** Runs these files of a folder of their own, which need no imports for what node:test exports. */
async function runPlanted(files: Readonly<Record<string, string>>, options: readonly string[] = []) {
  const folder = await mkdtemp(join(tmpdir(), 'duet-test-'))
  try {
    for (const [name, source] of Object.entries(files)) {
      await writeFile(join(folder, name), `import { after, describe, test } from 'node:test'\n${source}\n`)
    }
    return await run([folder, ...options])
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function run(args: readonly string[]) {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const child = spawn(process.execPath, [join(import.meta.dirname, '../run.ts'), ...args], { env })
  const [out, problems, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((resolve) => child.on('close', resolve)),
  ])
  return { output: out + problems, code }
}
