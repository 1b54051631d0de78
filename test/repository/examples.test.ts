// Each example service passes its own tests, as a package that has `duet-api` installed.

import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { test } from 'node:test'
import { copyExample } from '../support/process/example.ts'
import { runProcess } from '../support/process/run-process.ts'

for (const name of ['social', 'helpdesk', 'shop'])
  test(`examples/${name} passes its tests`, async (t) => {
    const folder = copyExample(name)
    t.after(() => rmSync(folder, { recursive: true }))
    const args = ['--conditions=duet-source', '--test', '*.test.ts']
    const { code, printed } = await runProcess(process.execPath, args, folder)
    assert.equal(code, 0, printed)
  })
