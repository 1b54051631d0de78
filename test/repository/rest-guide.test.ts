// Sends the requests of docs/rest.md to the reference service with its demo data, and compares the answers with those of the page.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fillDemo } from '../../reference/demo.ts'
import { api } from '../../reference/service.ts'
import { start } from '../../src/index.ts'
import { stepsOf } from '../support/check/guide.ts'
import { createGuideCaller } from '../support/check/guide-caller.ts'
import { repository } from '../support/process/command.ts'

const steps = stepsOf(await readFile(join(repository, 'docs/rest.md'), 'utf8'))

describe('docs/rest.md', () => {
  let service: Awaited<ReturnType<typeof start>>
  const caller = createGuideCaller(async () => service.url)
  before(async () => {
    const environment = { PORT: '0', DATABASE_URL: 'sqlite::memory:', LIMIT_LOGIN_PER_MINUTE: '0', LOG_LEVEL: 'off' }
    const clock = () => new Date('2026-11-20T09:30:00.000Z')
    service = await start(api, { environment, clock, demo: fillDemo })
  })
  after(() => service?.stop())

  for (const step of steps) {
    assert.ok(step.is === 'request', `line ${step.line} is a request and its answer`)
    test(`line ${step.line}: ${step.method} ${step.path}`, () => caller.ask(step))
  }
})
