// Each example service passes its own tests, as a package that has `duet-api` installed.

import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { repository } from '../support/process/command.ts'
import { runProcess } from '../support/process/run-process.ts'

for (const name of ['social'])
  test(`examples/${name} passes its tests`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'duet-example-'))
    t.after(() => rmSync(folder, { recursive: true }))
    cpSync(join(repository, 'examples', name), folder, { recursive: true })
    const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    for (const each of Object.keys(dependencies)) {
      const target = join(folder, 'node_modules', each)
      mkdirSync(dirname(target), { recursive: true })
      symlinkSync(each === 'duet-api' ? repository : join(repository, 'node_modules', each), target)
    }
    const args = ['--conditions=duet-source', '--test', '*.test.ts']
    const { code, printed } = await runProcess(process.execPath, args, folder)
    assert.equal(code, 0, printed)
  })
