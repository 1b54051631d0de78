// Every way to sign in through the client in Node: with a software authenticator, a mail server and an issuer.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { oidc, provision } from 'duet-api'
import { createClient, DuetError, type Login } from 'duet-api/client'
import { createAuthenticator } from '../support/client/authenticator.ts'
import { PageBrowser } from '../support/client/page-browser.ts'
import { signInService, User } from '../support/domain/sign-in.ts'
import { client as registered, startIssuer, TestBrowser } from '../support/server/issuer.ts'
import { begin, claimsOf, codeAt, dataKey, stepMs } from '../support/server/second-factor.ts'
import { password, withService } from '../support/server/service.ts'
import { startMailServer } from '../support/server/smtp.ts'

const base = 'https://api.example.com'
const returnTo = 'https://app.example.com/'
const smtp = await startMailServer()
const issuer = await startIssuer(`${base}/auth/issuers/example/callback`)
after(() => {
  issuer.close()
  return smtp.close()
})
const definition = signInService(
  {
    magicLink: true,
    totp: true,
    passkeys: true,
    issuers: {
      example: oidc({
        url: issuer.url,
        clientId: registered.client_id,
        clientSecret: registered.client_secret,
        provision: provision(User, { account: ({ email }) => ({ email: String(email), isSure: true }) }),
      }),
    },
  },
  { secondFactorFor: ['TREASURER'], pages: true },
)
const another = 'a password that is quite another'
let people = 0

/** The token of the next mail to this address beyond those that have come. */
async function tokenTo(address: string, before = 0): Promise<string> {
  while (smtp.to(address).length <= before) await smtp.arrival()
  return /(vrf|mgl)_[\w-]{43}/.exec(smtp.to(address)[before]!.text)![0]
}

withService(
  'signing in through the client',
  (service) => {
    function connect() {
      const device = createAuthenticator(base)
      const passkeys = {
        create: async (options: object) => device.register(options as never),
        get: async (options: object) => device.signIn(options as never),
      }
      return createClient<typeof definition>(service().url, {
        json: { details: true },
        surroundings: { passkeys, now: () => service().now().getTime() },
      })
    }
    type Connected = ReturnType<typeof connect>
    async function signUp() {
      const [client, email] = [connect(), `client${++people}.${service().engine}@example.com`]
      await client.users.create({ email, password })
      await client.signIn({ email, password })
      return { client, email }
    }
    const amrOf = async (client: Connected): Promise<readonly string[]> =>
      claimsOf((await client.connection.credential.headers())['Authorization']!).amr
    const challengeOf = (attempt: Promise<unknown>) =>
      attempt.then(
        () => assert.fail('No second factor is owed.'),
        (error: unknown) => {
          assert.ok(error instanceof DuetError && error.challenge !== undefined, String(error))
          return error.challenge
        },
      )
    /** Through the issuer, back to the address of the client. */
    async function travel(url: string, sub: string) {
      service().advance(Date.now() - service().now().getTime())
      issuer.person = { sub }
      const browser = new TestBrowser(service(), base)
      const end = await browser.follow(url.replace(service().url, base), (each) => each.startsWith(returnTo))
      const { code } = Object.fromEntries(new URL(end.url).searchParams)
      return code!
    }

    test('5.11.3 an address is proved in a session, by the password, and by the token alone', async () => {
      for (const proof of [{}, { password }, { startOver: true }] as const) {
        const { client, email } = await signUp()
        await client.verify({ token: await tokenTo(email), ...proof })
        assert.equal((await client.users.get('me')).isSure, true)
        if ('startOver' in proof) {
          assert.deepEqual(await amrOf(client), ['mail'])
          await assert.rejects(connect().signIn({ email, password }), { code: 'INVALID_CREDENTIALS' })
        }
      }
    })

    test('5.11.2 another proof is requested, and 5.11.5 another address', async () => {
      const { client, email } = await signUp()
      await tokenTo(email)
      await client.sendVerification(email)
      await tokenTo(email, 1)
      const next = `next.${email}`
      await client.changeEmail(next)
      await client.verify({ token: await tokenTo(next), password })
      assert.equal((await client.users.get('me')).email, next)
    })

    test('5.10.5 a password is changed after a reauthentication', async () => {
      const { client, email } = await signUp()
      service().advance(6 * 60_000)
      await assert.rejects(client.changePassword(another), { code: 'REAUTHENTICATION_REQUIRED' })
      await client.reauthenticate({ email, password })
      await client.changePassword(another)
      await connect().signIn({ email, password: another })
    })

    test('5.12.1 a magic link signs in and reauthenticates', async () => {
      const { client, email } = await signUp()
      await client.verify({ token: await tokenTo(email) })
      const fresh = connect()
      const { codeVerifier } = await fresh.requestMagicLink(email)
      await fresh.signIn({ token: await tokenTo(email, 1), codeVerifier })
      assert.deepEqual(await amrOf(fresh), ['mail'])
      const again = await client.requestMagicLink(email)
      await client.reauthenticate({ token: await tokenTo(email, 2), codeVerifier: again.codeVerifier })
      assert.deepEqual(await amrOf(client), ['mail'])
    })

    test('5.15.3 a passkey is added, signs in, reauthenticates, and is a second factor', async () => {
      const { client, email } = await signUp()
      assert.match(await client.addPasskey({ name: 'Laptop' }), /^sim_/)
      assert.equal((await client.renewRecoveryCodes()).length, 10)
      for (const sign of ['signIn', 'reauthenticate'] as const) {
        await client[sign]({ passkey: true })
        assert.deepEqual(await amrOf(client), ['pop', 'mfa', 'user'])
      }
      const { token: challenge, methods } = await challengeOf(client.signIn({ email, password }))
      assert.deepEqual(methods, ['passkey', 'recovery_code'])
      await client.signIn({ passkey: true, challenge })
      assert.deepEqual(await amrOf(client), ['pwd', 'pop', 'mfa', 'user'])
    })

    test('5.14.1 an app is set up, and its codes and recovery codes complete a login', async () => {
      const { client, email } = await signUp()
      const { secret, url } = await client.setUpTotp()
      assert.match(url, /^otpauth:/)
      const code = () => codeAt(secret, service().now().getTime())
      const [recoveryCode = ''] = await client.confirmTotp({ code: code() })
      service().advance(stepMs)
      for (const second of [code(), recoveryCode]) {
        const { token: challenge } = await challengeOf(client.signIn({ email, password }))
        await client.signIn({ challenge, code: second })
        assert.deepEqual(await amrOf(client), ['pwd', 'otp', 'mfa'])
      }
    })

    const setups: readonly [string, (client: Connected, challenge: string) => Promise<unknown>][] = [
      ['a passkey', (client, challenge) => client.addPasskey({ name: 'Phone', challenge })],
      [
        'an app',
        async (client, challenge) => {
          const { secret } = await client.setUpTotp({ challenge })
          return client.confirmTotp({ challenge, code: codeAt(secret, service().now().getTime()) })
        },
      ],
    ]
    for (const [what, setUp] of setups)
      test(`5.13.8 a required second factor is set up by ${what}, which signs in`, async () => {
        const { address, id } = await begin(service(), 'TREASURER')
        const client = connect()
        const { token, methods } = await challengeOf(client.signIn({ email: address, password }))
        assert.deepEqual(methods, ['setup'])
        await setUp(client, token)
        assert.equal((await client.users.get('me')).id, id)
      })

    test('5.17.1 the pages of the service sign in', async () => {
      const { email } = await signUp()
      const client = connect()
      const { url, codeVerifier } = await client.signInPageUrl({ returnTo })
      const browser = new PageBrowser(service())
      const page = await browser.open(url.slice(service().url.length))
      const { headers } = await browser.submit(page, 'sign-in', { email, password })
      const code = new URL(headers.location!).searchParams.get('code')!
      await client.signIn({ code, codeVerifier })
      assert.equal((await client.users.get('me')).email, email)
    })

    test('5.16.4 an issuer signs in and reauthenticates, and 5.16.5 is linked', async () => {
      const sub = `client${++people}${service().engine}`
      const by = async (client: Connected, how: (login: Login) => Promise<void>) => {
        const { url, codeVerifier } = await client.signInUrl('example', { returnTo })
        await how({ code: await travel(url, sub), codeVerifier })
        assert.deepEqual(await amrOf(client), ['issuer'])
      }
      const client = connect()
      await by(client, client.signIn)
      await by(client, client.reauthenticate)
      const { client: owner, email } = await signUp()
      const { url, codeVerifier } = await owner.signInUrl('example', { returnTo, link: true })
      const code = await travel(url, `linked${sub}`)
      await owner.reauthenticate({ email, password })
      assert.match(await owner.linkIssuer({ code, codeVerifier }), /^sim_/)
    })
  },
  {
    definition,
    environment: { BASE_URL: base, RETURN_URLS: returnTo, SMTP_URL: smtp.url, DATA_KEY: dataKey },
  },
)
