// Each example service passes its own tests, as a package that has `duet-api` installed, and `duet check` finds nothing that it does not accept.

import assert from 'node:assert/strict'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { indexReport } from '../../src/command/check/index-report.ts'
import { compileService } from '../../src/service/start/compile-service.ts'
import { dialectOf } from '../../src/store/sql/text/dialect.ts'
import { billing, scheduling } from '../support/domain/example.ts'
import { copyExample } from '../support/process/example.ts'
import { duetCommand, duetConditions } from '../support/process/program.ts'
import { runProcess } from '../support/process/run-process.ts'

for (const name of ['social', 'helpdesk', 'shop', 'scheduling', 'billing']) {
  test(`examples/${name} passes its tests`, async (t) => {
    const folder = copyExample(name)
    t.after(() => rmSync(folder, { recursive: true }))
    const args = [...duetConditions, '--test', '*.test.ts']
    const { code, printed } = await runProcess(process.execPath, args, folder)
    assert.equal(code, 0, printed)
  })

  test(`12.3.3 duet check finds nothing in examples/${name} that it does not accept`, async (t) => {
    const folder = copyExample(name)
    t.after(() => rmSync(folder, { recursive: true }))
    const accepted = existsSync(join(folder, 'accepted.txt')) ? ['--accepted', 'accepted.txt'] : []
    const args = [...duetCommand, 'check', '--fail', ...accepted]
    const { code, printed } = await runProcess(process.execPath, args, folder)
    assert.equal(code, 0, printed)
    assert.match(printed, /^Nothing to decide on SQLite\./m)
  })
}

for (const engine of ['sqlite', 'postgres'] as const)
  test(`12.3.6 no table of bookings or bills has more than nine indexes on ${engine}`, () => {
    const crowded = [scheduling, billing].flatMap((each) =>
      indexReport(compileService(each), dialectOf(engine)).flatMap(({ table, indexes }) =>
        indexes.length > 9 ? [`${table}: ${indexes.length}`] : [],
      ),
    )
    assert.deepEqual(crowded, [])
  })
