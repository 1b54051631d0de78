// The kit against a service that is not written with Duet: it reports what is kept and what is broken, and removes what it made.

import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startForeign, withoutForeign } from '../../conformance/foreign/start.ts'
import { repository } from '../support/process/command.ts'
import { runProcess } from '../support/process/run-process.ts'

test('Fastify and Mercurius by hand', { skip: withoutForeign('fastify') }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'duet-foreign-'))
  t.after(() => rm(folder, { recursive: true }))
  const service = await startForeign('fastify')
  t.after(() => service.close())
  const output = join(folder, 'statement.json')
  const profile = join(repository, 'conformance/foreign/fastify.json')
  const command = join(repository, 'conformance/src/main.ts')
  const args = [command, service.url, '--profile', profile, '--report', 'statement', '--output', output]
  const { code, printed } = await runProcess(process.execPath, args, folder)
  assert.equal(code, 1, printed)
  const { tested, levels } = JSON.parse(await readFile(output, 'utf8'))
  assert.deepEqual(levels, [])
  assert.ok(tested.kept.length >= 40, `${tested.kept.length} clauses are kept`)
  for (const clause of ['4.5.1', '4.5.4', '4.8.6', '10.4.1']) assert.ok(tested.kept.includes(clause), clause)
  for (const clause of ['4.7.1', '4.15.1', '8.2.1']) assert.ok(tested.broken.includes(clause), clause)
})
