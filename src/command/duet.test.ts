import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { repository } from '../../test/support/process/command.ts'
import { runProcess } from '../../test/support/process/run-process.ts'

/** Makes Node take itself for this version. */
const pretending = (version: string) => {
  const properties = `{ version: { value: 'v${version}' }, versions: { value: { ...process.versions, node: '${version}' } } }`
  return `--import=data:text/javascript,${encodeURIComponent(`Object.defineProperties(process, ${properties})`)}`
}
const duet = (version: string) =>
  runProcess(
    process.execPath,
    [pretending(version), '--conditions=duet-source', join(import.meta.dirname, 'duet.ts'), '--version'],
    repository,
  )

test('a Node that is too old is told so, in one sentence', async () => {
  for (const version of ['20.20.2', '25.9.9']) {
    const { printed, code } = await duet(version)
    assert.ok(printed.startsWith(`Duet needs Node 26 or newer, and this is v${version}. `), printed)
    assert.deepEqual([code, printed.split('\n').length], [1, 2])
  }
})

test('any other runs the command', async () => {
  for (const version of ['26.0.0', '27.1.0']) assert.match((await duet(version)).printed, /^\d+\.\d+\.\d+\n$/)
})

test('in the repository npm runs it from the sources', async () => {
  const { printed, code } = await runProcess('npm', ['run', '--silent', 'duet', '--', '--version'], repository)
  assert.equal(code, 0, printed)
  assert.match(printed, /^\d+\.\d+\.\d+$/m)
})
