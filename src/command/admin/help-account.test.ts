// `duet admin` for owners who cannot sign in: another proof of their address, and second factors that are lost. (contract 5.13.12)

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { beginPasskeyUser } from '../../../test/support/client/passkeys.ts'
import { definition } from '../../../test/support/domain/sign-in-service.ts'
import { assertRefused, runCommand } from '../../../test/support/process/command.ts'
import { forEachEngine } from '../../../test/support/server/databases.ts'
import { bearer, begin, dataKey } from '../../../test/support/server/second-factor.ts'
import { password, startTestService, type TestService } from '../../../test/support/server/service.ts'
import { startMailServer } from '../../../test/support/server/smtp.ts'
import { adminCommand } from '../verb/admin.ts'

const origin = 'https://api.example.com'

forEachEngine((engine) => {
  let running: TestService
  let smtp: Awaited<ReturnType<typeof startMailServer>>
  before(async () => {
    smtp = await startMailServer()
    const environment = { SMTP_URL: smtp.url, DATA_KEY: dataKey, BASE_URL: origin }
    running = await startTestService(engine, { definition, environment })
  })
  after(async () => {
    await running.stop()
    await smtp.close()
  })
  const run = (...args: string[]) =>
    runCommand(adminCommand, [...args, '--service', 'test/support/domain/sign-in-service.ts'], {
      variables: { DATABASE_URL: running.databaseUrl, BASE_URL: origin },
      now: running.now,
    })

  test('5.13.12 an app and its recovery codes are removed, every session ends, and the password signs in alone', async () => {
    const person = await begin(running)
    const { tokens } = await person.setUp()
    assert.equal((await person.login()).status, 401)
    assert.match(await run(person.address, '--remove-second-factors'), /has no second factor any more/)
    const signedIn = await person.signIn()
    const { body } = await running.send('GET /api/v1/sign-in-methods', bearer(signedIn.access_token))
    assert.deepEqual(body.data, [])
    const renewed = await running.send('POST /auth/refresh', { body: { refresh_token: tokens.refresh_token } })
    assert.equal(renewed.body.error.code, 'INVALID_TOKEN')
    assert.ok(!JSON.stringify(await running.tables('duet_totp', 'duet_recovery_code')).includes(person.id))
    const admin = await (await begin(running, 'ADMIN')).signIn()
    const events = await running.send('GET /api/v1/security-events?type=method_removed', bearer(admin.access_token))
    assert.deepEqual(
      [events.body.data[0].user_id, events.body.data[0].ip, events.body.data[0].details.method],
      [person.id, 'command', 'totp'],
    )
    assert.match(await run(person.address, '--remove-second-factors'), /has no second factor\.$/m)
  })

  test('5.13.12 a passkey is removed and signs in no more', async () => {
    const user = await beginPasskeyUser(running, origin)
    assert.equal((await user.register()).status, 200)
    await run(user.address, '--remove-second-factors')
    assert.equal((await user.signIn()).body.error.code, 'INVALID_CREDENTIALS')
    const login = await running.send('POST /auth/login', { body: { email: user.address, password } })
    assert.equal(login.status, 200)
  })

  test('5.13.12 another proof is mailed to an account that lacks it', async () => {
    const person = await begin(running)
    assert.match(await run(person.address.toUpperCase(), '--send-verification'), /mails .* a link/)
    // The service finds it with its next mail.
    await running.send('POST /auth/forgot-password', { body: { email: person.address } })
    while (!smtp.to(person.address).some(({ text }) => /vrf_/.test(text))) await smtp.arrival()
    const proved = await begin(running, 'MEMBER', true)
    await assertRefused(run(proved.address, '--send-verification'), /is proved already\.$/)
  })

  test('5.13.12 an unknown account, and other options beside, are refused', async () => {
    await assertRefused(run('unknown@example.com', '--remove-second-factors'), /^There is no account/)
    await assertRefused(run('unknown@example.com', '--send-verification', '--link'), /^Pass this option alone\.$/, 2)
  })
})
