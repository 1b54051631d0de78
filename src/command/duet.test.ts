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

test('a Node that is too old is reported, in one sentence', async () => {
  for (const version of ['20.20.2', '22.17.1', '23.11.0']) {
    const { printed, code } = await duet(version)
    assert.equal(printed, `Duet needs Node 22.18, or 24 and newer, and this is v${version}.\n`)
    assert.equal(code, 1)
  }
})

test('any other runs the command', async () => {
  for (const version of ['22.18.0', '22.23.3', '24.0.0', '25.9.0', '27.1.0'])
    assert.match((await duet(version)).printed, /^\d+\.\d+\.\d+\n$/)
})

test('in the repository npm runs it from the sources', async () => {
  const { printed, code } = await runProcess('npm', ['run', '--silent', 'duet', '--', '--version'], repository)
  assert.equal(code, 0, printed)
  assert.match(printed, /^\d+\.\d+\.\d+$/m)
})
