// An account with a passkey or an app is not opened by anything weaker: what proves less owes the second factor, and takes none away.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { oidc, provision } from 'duet-api'
import { createAuthenticator } from '../support/client/authenticator.ts'
import { signInService, User } from '../support/domain/sign-in.ts'
import { challengeOf, client, makeVerifier, startIssuer, TestBrowser } from '../support/server/issuer.ts'
import { bearer, begin, dataKey, type Person, refusalOf, setUpIn } from '../support/server/second-factor.ts'
import { password, withService } from '../support/server/service.ts'
import { startMailServer } from '../support/server/smtp.ts'

const base = 'https://api.example.com'
const returnTo = 'https://app.example.com/signed-in'
const another = 'a password that is quite another'
const smtp = await startMailServer()
const issuer = await startIssuer(`${base}/auth/issuers/example/callback`)
after(() => {
  issuer.close()
  return smtp.close()
})
const tokenIn = /(?:vrf|mgl|prt)_[\w-]{43}/

withService(
  '5.13 Downgrades',
  (service) => {
    const send = (path: string, body: object, as = {}) => service().send(`POST /auth/${path}`, { ...as, body })
    const mailed = (address: string, request: () => Promise<unknown>) => smtp.find(address, tokenIn, request)
    async function addPasskey(as: object) {
      const options = await send('passkeys/options', { for: 'register' }, as)
      const registration = createAuthenticator(base).register(options.body)
      assert.equal((await send('passkeys', { registration, name: 'Phone' }, as)).status, 200)
    }
    async function byIssuer(sub: string) {
      // The provider's clock is the real one.
      service().advance(Date.now() - service().now().getTime())
      issuer.person = { sub }
      const code_verifier = makeVerifier()
      const query = new URLSearchParams({ return_to: returnTo, code_challenge: challengeOf(code_verifier) })
      const { url } = await new TestBrowser(service(), base).follow(`${base}/auth/issuers/example?${query}`, (each) =>
        each.startsWith(returnTo),
      )
      return send('login', { code: new URL(url).searchParams.get('code'), code_verifier })
    }
    const owes = ({ status, body, text }: Awaited<ReturnType<typeof send>>, method: string) => {
      assert.deepEqual([status, body.error?.code], [401, 'SECOND_FACTOR_REQUIRED'], text)
      assert.ok(body.error.challenge.methods.includes(method), text)
      assert.equal(body.access_token, undefined)
    }

    for (const [method, add] of [
      ['passkey', (token: string) => addPasskey(bearer(token))],
      ['totp', (token: string) => setUpIn(service(), token)],
    ] as const) {
      const proved = async (): Promise<Person & { readonly token: string }> => {
        const person = await begin(service(), 'MEMBER', true)
        const { access_token: token } = await person.signIn()
        await add(token)
        return { ...person, token }
      }

      test(`5.13.3 a magic link owes the ${method}`, async () => {
        const { address: email } = await proved()
        const code_verifier = makeVerifier()
        const sent = { email, code_challenge: challengeOf(code_verifier) }
        const token = await mailed(email, () => send('magic-link', sent))
        owes(await send('login', { token, code_verifier }), method)
      })

      test(`5.13.3 the password after a reset owes the ${method}`, async () => {
        const { address: email } = await proved()
        const token = await mailed(email, () => send('forgot-password', { email }))
        assert.equal((await send('reset-password', { token, password: another })).status, 204)
        owes(await send('login', { email, password: another }), method)
      })

      test(`5.13.3 the password after a change of address owes the ${method}`, async () => {
        const { token, address } = await proved()
        const email = `new.${address}`
        const proof = await mailed(email, () => send('change-email', { email }, bearer(token)))
        assert.equal((await send('verify', { token: proof }, bearer(token))).status, 200)
        owes(await send('login', { email, password }), method)
      })

      test(`5.13.1 a password that reauthenticates owes the ${method}`, async () => {
        const { token, address: email } = await proved()
        service().advance(301_000)
        owes(await send('reauthenticate', { email, password }, bearer(token)), method)
        assert.deepEqual(refusalOf(await send('change-password', { password: another }, bearer(token))), [
          401,
          'REAUTHENTICATION_REQUIRED',
        ])
      })

      test(`5.16.6 a sign-in at an issuer owes the ${method}`, async () => {
        const sub = `person${method}${Date.now()}`
        const { status, body, text } = await byIssuer(sub)
        assert.equal(status, 200, text)
        await add(body.access_token)
        owes(await byIssuer(sub), method)
      })
    }
  },
  {
    definition: signInService({
      magicLink: true,
      totp: true,
      passkeys: true,
      issuers: {
        example: oidc({
          url: issuer.url,
          clientId: client.client_id,
          clientSecret: client.client_secret,
          provision: provision(User, {
            account: ({ email }) => ({ email: String(email), isSure: true }),
          }),
        }),
      },
    }),
    environment: { SMTP_URL: smtp.url, DATA_KEY: dataKey, BASE_URL: base, RETURN_URLS: returnTo },
  },
)
