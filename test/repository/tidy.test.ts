// The tools that read every file: the same commands as `npm run lint`, `npm run types` and `npm run spelling`.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'

/** Each takes a core for a minute, and several where others share it. */
const timeout = 1_200_000

describe('every file', { concurrency: true, timeout }, () => {
  test('is formatted, and without a warning from the linter', { timeout }, () => passes('lint'))
  test('has the types it claims', { timeout }, () => passes('types'))
  test('spells words that are in a dictionary or in spelling.txt', { timeout }, () => passes('spelling'))
})

async function passes(script: string): Promise<void> {
  const child = spawn(process.execPath, ['--run', script], { cwd: `${import.meta.dirname}/../..` })
  const [out, problems, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((resolve) => child.on('close', resolve)),
  ])
  assert.ok(code === 0, `npm run ${script}\n${out}${problems}`)
}
