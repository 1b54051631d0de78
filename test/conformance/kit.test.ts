// The conformance kit against the reference service, as its users start it: a command with a profile.

import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { problemsOf, readProfile } from '../../conformance/src/profile.ts'
import type { Engine } from '../../src/store/store.ts'
import { repository } from '../support/process/command.ts'
import { copyExample } from '../support/process/example.ts'
import { duetConditions, programArguments } from '../support/process/program.ts'
import { runProcess } from '../support/process/run-process.ts'
import { type ProcessOptions, startProcess } from '../support/process/service-process.ts'
import { createDatabase, forEachEngine } from '../support/server/databases.ts'
import { withDemoService } from '../support/server/demo-service.ts'
import { faults } from './faults/index.ts'
import { mutants } from './mutants/index.ts'

const command = join(repository, 'conformance/src/main.ts')
const profilePath = join(repository, 'conformance/profiles/reference.json')
const variables = {
  LOG_LEVEL: 'off',
  LIMIT_IP_PER_MINUTE: '0',
  LIMIT_USER_PER_HOUR: '0',
  LIMIT_LOGIN_PER_MINUTE: '0',
}
const runKit = (args: readonly string[], folder: string) => runProcess(process.execPath, [command, ...args], folder)

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'duet-conformance-'))
})
after(() => rm(folder, { recursive: true, force: true }))

/** The clauses that some profile shows to be kept, over all tests of this file. */
const shown = new Set<string>()
after(() => assert.ok(shown.size >= 280, `${shown.size} clauses are kept by one of the services`))

/** A run states which clauses are kept, and finds none broken. */
async function requireRun(
  url: string,
  profile: string,
  atLeast: number,
  options: readonly string[] = [],
  name = 'one',
) {
  const output = join(folder, `${name}-${new URL(url).port}.json`)
  const args = [url, '--profile', profile, '--report', 'statement', '--output', output, ...options]
  const { printed, code } = await runKit(args, folder)
  const { tested } = JSON.parse(await readFile(output, 'utf8')) as { tested: Record<'kept' | 'broken', string[]> }
  assert.deepEqual(tested.broken, [], printed)
  assert.equal(code, 0, printed)
  assert.ok(tested.kept.length >= atLeast, `${tested.kept.length} clauses are kept`)
  for (const clause of tested.kept) shown.add(clause)
}

/** Which services there are, with how many clauses of theirs the kit shows to be kept, and what runs leave in them. */
const services = [
  { name: 'helpdesk', engine: 'sqlite', atLeast: 225, options: ['--leave'] },
  { name: 'social', engine: 'postgres', atLeast: 170, options: [] },
  { name: 'shop', engine: 'postgres', atLeast: 165, options: ['--leave'] },
] as const

/** Starts what is in this folder with a database of its own; ends and drops both, however the test ends. */
async function serve(t: TestContext, engine: Engine, args: readonly string[], options: ProcessOptions) {
  const database = await createDatabase(engine)
  const environment = { ...variables, DATABASE_URL: database.url, ...options.environment }
  const service = startProcess(args, { ...options, environment })
  t.after(async () => {
    await service.end('SIGKILL')
    await database.drop()
  })
  return service
}

// Each service on one of the databases: what answers is the same.
forEachEngine((engine) => {
  const onlyOn = (other: Engine) => (engine === other ? test : () => {})
  onlyOn('postgres')('two runs at once find nothing broken, and remove what they made', async (t) => {
    const database = await createDatabase(engine)
    t.after(() => database.drop())
    await withDemoService({ ...variables, DATABASE_URL: database.url }, async (client, url) => {
      const total = async () => (await client.send('GET /api/v2/products')).body.meta.total
      const before = await total()
      await Promise.all(['one', 'other'].map((name) => requireRun(url, profilePath, 260, [], name)))
      assert.equal(await total(), before)
    })
  })

  for (const { name, atLeast, options } of services.filter((each) => each.engine === engine))
    test(`examples/${name} keeps what its profile names`, async (t) => {
      const example = copyExample(name)
      t.after(() => rm(example, { recursive: true }))
      const service = await serve(t, engine, [...duetConditions, 'main.ts'], {
        folder: example,
        environment: {},
      })
      const profile = join(repository, 'conformance/profiles', `${name}.json`)
      await requireRun(await service.listening(), profile, atLeast, options)
      assert.equal(await service.end('SIGTERM'), 0)
    })

  onlyOn('sqlite')('the gallery keeps what its profile names', async (t) => {
    const environment = { REFRESH_TOKEN_IN: 'cookie', DATA_KEY: Buffer.alloc(32, 7).toString('base64') }
    const service = await serve(t, engine, programArguments('test/conformance/gallery/main.ts'), {
      folder,
      environment,
    })
    const profile = join(repository, 'test/conformance/gallery/profile.json')
    await requireRun(await service.listening(), profile, 260)
    assert.equal(await service.end('SIGTERM'), 0)
  })
})

test('the draft of a profile from its document finds nothing broken in the reference service', async () => {
  await withDemoService({ ...variables, DATABASE_URL: 'sqlite::memory:' }, async (_, url) => {
    const draft = await runKit(['--discover', `${url}/api/v2/openapi.json`], folder)
    assert.equal(draft.code, 0, draft.printed)
    const profile = join(folder, 'draft.json')
    const accounts = { writer: account('admin'), other: account('viewer') }
    await writeFile(profile, JSON.stringify({ ...JSON.parse(draft.printed), accounts }))
    const { printed, code } = await runKit([url, '--profile', profile, '--leave'], folder)
    assert.equal(code, 0, printed)
    assert.match(printed, /^1\d\d clauses are kept, 0 broken/m)
  })
})
const account = (name: string) => ({ email: `${name}@example.com`, password: 'duet-demo-password' })

test('each fault of a source can be planted: its line stands there once', async () => {
  for (const { name, file, from } of mutants)
    assert.equal((await readFile(join(repository, file), 'utf8')).split(from).length, 2, `${name}: ${file}`)
  assert.ok(mutants.length >= 100 && faults.length >= 100)
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
