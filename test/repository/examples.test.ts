// Each example service passes its own tests, as a package that has `duet-api` installed, and `duet check` finds nothing that it does not accept.

import assert from 'node:assert/strict'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { repository } from '../support/process/command.ts'
import { copyExample } from '../support/process/example.ts'
import { runProcess } from '../support/process/run-process.ts'

for (const name of ['social', 'helpdesk', 'shop', 'scheduling', 'billing']) {
  test(`examples/${name} passes its tests`, async (t) => {
    const folder = copyExample(name)
    t.after(() => rmSync(folder, { recursive: true }))
    const args = ['--conditions=duet-source', '--test', '*.test.ts']
    const { code, printed } = await runProcess(process.execPath, args, folder)
    assert.equal(code, 0, printed)
  })

  test(`12.3.3 duet check finds nothing in examples/${name} that it does not accept`, async (t) => {
    const folder = copyExample(name)
    t.after(() => rmSync(folder, { recursive: true }))
    const accepted = existsSync(join(folder, 'accepted.txt')) ? ['--accepted', 'accepted.txt'] : []
    const args = ['--conditions=duet-source', join(repository, 'src/command/main.ts'), 'check', '--fail', ...accepted]
    const { code, printed } = await runProcess(process.execPath, args, folder)
    assert.equal(code, 0, printed)
    assert.match(printed, /^Nothing to decide on SQLite\./m)
  })
}
