// The conformance kit against the reference service, as its users start it: a command with a profile.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { problemsOf, readProfile } from '../../conformance/src/profile.ts'
import { repository } from '../support/process/command.ts'
import { copyExample } from '../support/process/example.ts'
import { type Ended, runProcess } from '../support/process/run-process.ts'
import { startProcess } from '../support/process/service-process.ts'
import { createDatabase, forEachEngine } from '../support/server/databases.ts'
import { withDemoService } from '../support/server/demo-service.ts'

const command = join(repository, 'conformance/src/main.ts')
const profilePath = join(repository, 'conformance/profiles/reference.json')
const variables = {
  LOG_LEVEL: 'off',
  LIMIT_IP_PER_MINUTE: '0',
  LIMIT_USER_PER_HOUR: '0',
  LIMIT_LOGIN_PER_MINUTE: '0',
}
/** Requires that no clause is broken, and that so many are kept. */
function requireKept({ printed, code }: Ended, atLeast: number): void {
  assert.equal(code, 0, printed)
  const [, kept] = /^(\d+) clauses are kept, 0 broken, \d+ not tested\.$/m.exec(printed) ?? []
  assert.ok(Number(kept) >= atLeast, printed)
}
const runKit = (args: readonly string[], folder: string) => runProcess(process.execPath, [command, ...args], folder)

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'duet-conformance-'))
})
after(() => rm(folder, { recursive: true, force: true }))

forEachEngine((engine) => {
  test('two runs at once find nothing broken, and remove what they made', async () => {
    const database = await createDatabase(engine)
    await withDemoService({ ...variables, DATABASE_URL: database.url }, async (client, url) => {
      const total = async () => (await client.send('GET /api/v2/products')).body.meta.total
      const before = await total()
      const run = () => runKit([url, '--profile', profilePath], folder)
      for (const ended of await Promise.all([run(), run()])) requireKept(ended, 210)
      assert.equal(await total(), before)
    })
    await database.drop()
  })
})

test('examples/shop keeps what its profile names', async (t) => {
  const example = copyExample('shop')
  t.after(() => rm(example, { recursive: true }))
  const environment = { ...variables, DATABASE_URL: 'sqlite::memory:' }
  const service = startProcess(['--conditions=duet-source', 'main.ts'], { folder: example, environment })
  const profile = join(repository, 'conformance/profiles/shop.json')
  const ended = await runKit([await service.listening(), '--profile', profile, '--leave'], folder)
  assert.equal(await service.end('SIGTERM'), 0)
  requireKept(ended, 140)
})

test('a profile that names what it does not have is refused with each such name', async () => {
  const profile = await readProfile(profilePath, undefined)
  assert.deepEqual(problemsOf(profile), [])
  const { posts } = profile.resources
  const wrong = {
    ...profile,
    url: 'nowhere',
    resources: { posts: { ...posts!, as: 'nobody', lists: { x: 'nothing' } } },
  }
  assert.deepEqual(problemsOf(wrong), [
    'url: It is not an absolute URL.',
    'resources.posts.as: No account is called nobody.',
    'resources.posts.lists.x: No resource is called nothing.',
  ])
  const { printed, code } = await runKit(['http://127.0.0.1:1', '--profile', 'none.json'], folder)
  assert.equal(code, 2)
  assert.match(printed, /none\.json/)
  const unreached = await runKit(['http://127.0.0.1:1', '--profile', profilePath], folder)
  assert.equal(unreached.code, 2)
  assert.match(unreached.printed, /^No service answers at http:\/\/127\.0\.0\.1:1: /)
})
