import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { runProcess } from '../../../test/support/process/run-process.ts'
import { defaultLimits } from '../../limits.ts'
import { tooFewFiles } from './open-files.ts'

const limits = { connections: 100, poolSize: 10 }

test('as many files as connections and everything else need are enough, one less is reported with both numbers', () => {
  assert.equal(tooFewFiles(1_311, limits), null)
  assert.equal(
    tooFewFiles(1_310, limits),
    'This process may have 1310 files open (ulimit -n), and needs 1311 for the 100 connections that it takes: beyond its' +
      ' files, clients are hung up on without an answer.',
  )
  assert.equal(tooFewFiles(null, limits), null)
})

test('what the documents recommend is enough for the limits as they are', () => {
  assert.equal(tooFewFiles(20_000, defaultLimits), null)
})

test('the limit is that of the process', { skip: !existsSync('/proc/self/limits') }, async () => {
  const program = `import { openFilesMax } from ${JSON.stringify(new URL('./open-files.ts', import.meta.url))}
    console.log(openFilesMax())`
  const script = 'ulimit -n 256; exec "$0" --conditions=duet-source --input-type=module -e "$1"'
  const { printed } = await runProcess('sh', ['-c', script, process.execPath, program], '.')
  assert.equal(printed, '256\n')
})
