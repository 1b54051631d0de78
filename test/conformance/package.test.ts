// The package of the kit as npm publishes it, installed in an empty folder, on the oldest Node that it supports and a newer one.

import assert from 'node:assert/strict'
import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { repository } from '../support/process/command.ts'
import { fetchNode, withoutNode } from '../support/process/node-version.ts'
import { runProcess } from '../support/process/run-process.ts'
import { withDemoService } from '../support/server/demo-service.ts'

const variables = {
  LOG_LEVEL: 'off',
  LIMIT_IP_PER_MINUTE: '0',
  LIMIT_USER_PER_HOUR: '0',
  LIMIT_LOGIN_PER_MINUTE: '0',
  DATABASE_URL: 'sqlite::memory:',
}
const nodes = ['v20.11.1', 'v24.0.0']

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'duet-package-'))
  // A copy, since packing builds `dist/` next to the sources.
  const copy = join(folder, 'copy')
  mkdirSync(copy)
  for (const name of ['conformance', 'tsconfig.json'])
    cpSync(join(repository, name), join(copy, name), { recursive: true })
  symlinkSync(join(repository, 'node_modules'), join(copy, 'node_modules'))
  const path = `${join(repository, 'node_modules/.bin')}:${process.env['PATH']}`
  const pack = ['pack', '--silent', '--pack-destination', folder]
  const { printed, code } = await runProcess('npm', pack, join(copy, 'conformance'), { ...process.env, PATH: path })
  assert.equal(code, 0, printed)
  const tarball = printed.trim().split('\n').at(-1)!
  await runProcess('tar', ['-xzf', tarball], folder)
  mkdirSync(join(folder, 'package/node_modules'))
  symlinkSync(join(repository, 'node_modules/ws'), join(folder, 'package/node_modules/ws'))
})
after(() => rm(folder, { recursive: true }))

for (const version of nodes)
  test(`it runs on Node ${version}`, { skip: withoutNode(version) }, async () => {
    const node = join(await fetchNode(version), 'node')
    const command = join(folder, 'package/dist/main.js')
    await withDemoService(variables, async (_, url) => {
      const profile = join(folder, 'package/profiles/reference.json')
      const args = [command, url, '--profile', profile, '--only', '2,4,6,7.3', '--report', 'summary']
      const { code, printed } = await runProcess(node, args, folder)
      assert.equal(code, 0, printed)
      const [, kept] = /^(\d+) clauses are kept, 0 broken/m.exec(printed) ?? []
      assert.ok(Number(kept) >= 100, printed)
    })
    const help = await runProcess(node, [command, '--help'], folder)
    assert.match(help.printed, /--discover/)
  })
