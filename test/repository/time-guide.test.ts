// Runs the service of docs/time.md, with a clock that is set forward.

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { start } from 'duet-api'
import { stepsOf } from '../support/check/guide.ts'
import { until } from '../support/check/until.ts'
import { repository } from '../support/process/command.ts'

const dayMs = 86_400_000
/** The page leaves it out. */
const user = `
import { anyone, choice, email, password, resource, state } from 'duet-api'
export const User = resource('User', {
  prefix: 'usr',
  fields: { email: email({ unique: true }), password: password({ min: 8, max: 200 }), role: choice(['MEMBER']), status: state('ACTIVE') },
  actions: { read: { allow: anyone } },
})
`

test('docs/time.md: holds expire, are archived and deleted, and the report is sent', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'duet-test-'))
  t.after(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'node_modules'))
  await symlink(repository, join(folder, 'node_modules/duet-api'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder, 'user.ts'), user)
  for (const step of stepsOf(await readFile(join(repository, 'docs/time.md'), 'utf8'))) {
    assert(step.is === 'file')
    await writeFile(join(folder, step.name), step.text)
  }
  const sent: string[] = []
  t.mock.method(globalThis, 'fetch', async (_: string, { body }: { readonly body: string }) => {
    sent.push(body)
    return new Response()
  })
  const { api } = await import(join(folder, 'service.ts'))
  const { Hold } = await import(join(folder, 'hold.ts'))
  let now = Date.parse('2026-11-20T09:30:00.000Z')
  // What runs while the clock is set forward takes too long, which is logged.
  const environment = { PORT: '0', DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'error' }
  const service = await start(api, { environment, clock: () => new Date(now) })
  t.after(() => service.stop())
  const { records } = service.asService
  const { id } = await records.create(Hold, { seat: '1A', reservedUntil: new Date(now + 60_000) } as never)
  const status = async () => (await records.get(Hold, id))['status']
  assert.equal(await status(), 'reserved')
  now += 61_000
  await until(async () => (await status()) === 'expired')
  // A Monday, at nine in Vienna.
  now += 3 * dayMs - 5_400_000
  await until(() => sent.length > 0)
  assert.match(sent[0]!, /^\{"text":"1 holds at 2026-11-23T07:00:00.000Z"\}$/)
  now += 28 * dayMs
  // The nightly job that deletes it may run in the same moment.
  const states: unknown[] = []
  await until(async () => {
    states.push(await status().catch(({ code }) => code))
    return states.at(-1) !== 'expired'
  })
  assert.ok(['archived', 'NOT_FOUND'].includes(String(states.at(-1))), String(states.at(-1)))
  now += dayMs
  await until(async () => (await records.count(Hold)) === 0)
})
