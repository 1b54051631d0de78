import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createClient } from '../../../test/support/client/http-client.ts'
import { assertRefused, runCommand } from '../../../test/support/process/command.ts'
import { createDatabase, forEachEngine, type TestDatabase } from '../../../test/support/server/databases.ts'
import { startTestService, type TestService } from '../../../test/support/server/service.ts'
import { adminCommand } from './admin.ts'

const service = ['--service', 'reference/service.ts']

forEachEngine((engine) => {
  let running: TestService
  before(async () => {
    running = await startTestService(engine)
  })
  after(() => running.stop())
  const run = (...args: string[]) =>
    runCommand(adminCommand, [...args, ...service], {
      variables: { DATABASE_URL: running.databaseUrl, BASE_URL: 'https://api.example.com' },
      now: running.now,
    })
  test('reports where a token goes also without an address', async () => {
    const printed = await runCommand(adminCommand, ['admin@example.com', '--link', ...service], {
      variables: { DATABASE_URL: running.databaseUrl },
      now: running.now,
    })
    assert.match(printed, /once, POST this to the service, at \/auth\/reset-password, with a password: /)
  })
  test('reports where a token goes below the path of BASE_URL', async () => {
    for (const address of ['https://example.com/backend', 'https://example.com/backend/']) {
      const printed = await runCommand(adminCommand, ['admin@example.com', '--link', ...service], {
        variables: { DATABASE_URL: running.databaseUrl, BASE_URL: address },
        now: running.now,
      })
      assert.match(
        printed,
        /once, POST this to https:\/\/example\.com\/backend\/auth\/reset-password, with a password: /,
      )
    }
  })
  const signIn = async (email: string, password: string) => {
    const client = createClient(running.url)
    const { status, body } = await client.send('POST /auth/login', { body: { email, password } })
    assert.equal(status, 200)
    const me = await client.send('GET /api/v2/users/me', { headers: { Authorization: `Bearer ${body.access_token}` } })
    client.close()
    return me.body.data
  }

  test('makes an account, whose owner chooses a password once', async () => {
    await assertRefused(
      run('Root@example.com'),
      /^There is no account of root@example\.com\. To create one, pass --set name=…\.$/,
    )
    await assertRefused(run('root@example.com', '--set', 'nickname=R'), /User has no field nickname/)
    await assertRefused(run('root@example.com', '--set', 'password=secret'), /User has no field password/)
    await assertRefused(run('root@example.com', '--set', 'name='), /^name: Must not be empty\.$/)
    await assertRefused(run('root', '--set', 'name=Root'), /^email: Must be an e-mail address\.$/)
    const output = await run('Root@example.com', '--set', 'name=Root')
    assert.match(
      output,
      /^Root@example\.com has an account now, with the role ADMIN\.\n.* once, POST this to https:\/\/api\.example\.com\/auth\//,
    )
    const token = /"(prt_[\w-]+)"/.exec(output)![1]
    const body = { token, password: 'correct horse' }
    assert.equal((await running.send('POST /auth/reset-password', { body })).status, 204)
    assert.equal((await running.send('POST /auth/reset-password', { body })).status, 401)
    assert.deepEqual((await signIn('root@example.com', 'correct horse')).role, 'ADMIN')
    assert.equal(await run('root@example.com'), 'root@example.com has the role ADMIN already.\n')
  })

  test('appoints a user who is there, and refuses the tokens of before', async () => {
    const email = 'viewer@example.com'
    const as = 'viewer'
    assert.equal((await running.send('GET /api/v2/users/me', { as })).body.data.role, 'VIEWER')
    assert.match(await run(email), /has the role ADMIN now/)
    running.advance(1_000)
    while ((await running.send('GET /api/v2/users/me', { as })).status === 200);
    running.forgetTokens()
    assert.equal((await running.send('GET /api/v2/users/me', { as })).body.data.role, 'ADMIN')
    const { body } = await running.send('GET /api/v2/security-events?type=role_granted', { as })
    assert.deepEqual(body.data[0].details, { role: 'ADMIN' })
    assert.match(
      await run(email, '--link'),
      /has the role ADMIN already\.\nTo choose a password within 30 minutes, once/,
    )
  })

  test('appoints no user who may not sign in, and to no unknown role', async () => {
    const fixtures = running.fixtures({
      gone: { User: { name: 'Gone', role: 'VIEWER', status: 'SUSPENDED', email: 'gone@example.com' } },
    })
    await fixtures.idOf('gone')
    await assertRefused(run('gone@example.com'), /may not sign in/)
    await assertRefused(
      run('admin@example.com', '--role', 'KING'),
      /There is no role KING; there are VIEWER, EDITOR, ADMIN/,
      2,
    )
    await assertRefused(run('admin@example.com', '--set', 'name'), /Write --set field=value/, 2)
  })
})

test('wants a service that has been started, and keeps its last admin', async () => {
  const database: TestDatabase = await createDatabase('sqlite')
  const variables = { DATABASE_URL: database.url }
  try {
    const early = runCommand(adminCommand, ['a@example.com', ...service], { variables })
    await assertRefused(early, /start the service first/)
  } finally {
    await database.drop()
  }
  const running = await startTestService('sqlite')
  try {
    const demoted = runCommand(adminCommand, ['admin@example.com', '--role', 'VIEWER', ...service], {
      variables: { DATABASE_URL: running.databaseUrl },
      now: running.now,
    })
    await assertRefused(demoted, /The last active admin must stay one/)
  } finally {
    await running.stop()
  }
})
