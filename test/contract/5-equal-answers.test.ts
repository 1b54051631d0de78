// Whether there is an account, and how it signs in, shows in neither the bytes of an answer nor the work before it.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createPasswords } from '../../src/authentication/account/password.ts'
import { defaultLimits } from '../../src/limits.ts'
import { silentLog } from '../../src/observation/log.ts'
import { processMs } from '../support/check/processor-time.ts'
import { noteStatements, withQuietService } from '../support/check/statement-counter.ts'
import { beginPasskeyUser } from '../support/client/passkeys.ts'
import { signInService } from '../support/domain/sign-in.ts'
import { rankDistance } from '../support/oracle/statistics.ts'
import { challengeOf, makeVerifier } from '../support/server/issuer.ts'
import { begin, dataKey } from '../support/server/second-factor.ts'
import { password, startTestService, type TestService } from '../support/server/service.ts'
import { startMailServer } from '../support/server/smtp.ts'

const smtp = await startMailServer()
after(() => smtp.close())
const definition = signInService({ magicLink: true, totp: true, passkeys: true })
const environment = { SMTP_URL: smtp.url, DATA_KEY: dataKey, BASE_URL: 'https://api.example.com' }

/** The SQL of what `work` reads of accounts and adds, up to the moment at which the mails that wait are claimed. */
async function statementsOf(service: TestService, work: () => Promise<unknown>): Promise<readonly string[]> {
  while ((await service.tables('duet_mail')).length > 0);
  const heard: string[] = []
  let isOver = false
  const note = (sql: string) => {
    if (sql.startsWith('update duet_mail set due_at')) isOver = true
    if (!isOver && /^insert into duet_|"users"/.test(sql)) heard.push(sql)
  }
  await noteStatements(service, note, work)
  return heard
}

withQuietService(
  'answers for accounts and for others',
  (service) => {
    const bodies: readonly (readonly [clause: string, path: string, more: object])[] = [
      ['4.13.1', 'forgot-password', {}],
      ['5.11.2', 'send-verification', {}],
      ['5.12.1', 'magic-link', { code_challenge: challengeOf(makeVerifier()) }],
    ]
    for (const [clause, path, more] of bodies)
      test(`${clause} ${path} answers for every address with the same bytes, after the same statements`, async () => {
        const [plain, proved, suspended] = [
          await begin(service()),
          await begin(service(), 'MEMBER', true),
          await begin(service()),
        ]
        const { access_token: token } = await suspended.signIn()
        const headers = { Authorization: `Bearer ${token}` }
        await service().send(`POST /api/v1/users/${suspended.id}/suspend`, { headers })
        const seen = []
        for (const email of [plain.address, proved.address, suspended.address, 'unknown@example.com']) {
          let answer: unknown
          const statements = await statementsOf(service(), async () => {
            const {
              status,
              text,
              headers: sent,
            } = await service().send(`POST /auth/${path}`, { body: { email, ...more } })
            const { date, 'x-request-id': id, ...others } = sent
            assert.ok(date !== undefined && id !== undefined)
            answer = [status, text, others]
          })
          seen.push([answer, statements])
        }
        assert.equal(
          (seen[0]![1] as readonly string[]).filter((sql) => sql.startsWith('insert into duet_mail')).length,
          1,
        )
        for (const other of seen.slice(1)) assert.deepEqual(other, seen[0])
      })
  },
  { definition, environment },
)

// What checking a password takes has nothing to do with the database.
describe('5.13 Sign-in by password, in time', () => {
  let running: TestService | undefined
  before(async () => {
    const passwords = await createPasswords(defaultLimits, silentLog)
    const passwordHash = await passwords.hash(password)
    running = await startTestService('sqlite', { definition, environment, passwordHash })
  })
  after(() => running?.stop())

  test('5.13.1 a wrong password takes the same time whatever else signs in to the account, if there is one', async () => {
    const service = running!
    const app = await begin(service)
    await app.setUp()
    const passkey = await beginPasskeyUser(service, environment.BASE_URL)
    assert.equal((await passkey.register()).status, 200)
    const started = await begin(service)
    await service.send('POST /auth/send-verification', { body: { email: started.address } })
    const tokenIn = () => smtp.to(started.address).flatMap(({ text }) => /^vrf_[\w-]{43}$/m.exec(text)?.[0] ?? [])[0]
    while (tokenIn() === undefined) await smtp.arrival()
    const verified = await service.send('POST /auth/verify', { body: { token: tokenIn(), start_over: true } })
    assert.equal(verified.status, 200, verified.text)
    const addresses = {
      'has a password alone': (await begin(service)).address,
      'has an app': app.address,
      'has a passkey': passkey.address,
      'has no password': started.address,
      'is none': 'unknown@example.com',
    }
    const names = Object.keys(addresses) as (keyof typeof addresses)[]
    const times = new Map(names.map((name) => [name, [] as number[]]))
    // In processor time, and beginning with each of them in turn. The first warm up.
    for (let round = -5; round < 50; round += 1)
      for (const at of names.keys()) {
        const name = names[(at + round + 5) % names.length]!
        const body = { email: addresses[name], password: `not ${password}` }
        const startMs = processMs()
        const { status } = await service.client.send('POST /auth/login', { body })
        const ms = processMs() - startMs
        assert.equal(status, 401)
        if (round >= 0) times.get(name)!.push(ms)
      }
    const [first, ...others] = names
    for (const name of others) {
      // Beyond 4, chance would report it once in 16,000 runs.
      const distance = rankDistance(times.get(first!)!, times.get(name)!)
      assert.ok(Math.abs(distance) < 4, `An account that ${name} takes another time: ${distance.toFixed(1)}`)
    }
  })
})
