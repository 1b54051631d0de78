// The service's own pages: what they show, what they end with, and what other sites and browsers cannot do with them.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { oidc } from 'duet-api'
import { createAuthenticator } from '../support/client/authenticator.ts'
import { PageBrowser } from '../support/client/page-browser.ts'
import { signInService } from '../support/domain/sign-in.ts'
import { challengeOf, makeVerifier, startIssuer } from '../support/server/issuer.ts'
import { bearer, begin, claimsOf, codeAt, dataKey, type Person, refusalOf } from '../support/server/second-factor.ts'
import { password, withService } from '../support/server/service.ts'
import { startMailServer } from '../support/server/smtp.ts'

const smtp = await startMailServer()
const base = 'https://api.example.com'
const issuer = await startIssuer(`${base}/auth/issuers/example/callback`)
after(() => {
  issuer.close()
  return smtp.close()
})
const returnTo = 'https://app.example.com/signed-in'
const another = 'a password that is quite another'
const methods = {
  magicLink: true,
  totp: true,
  passkeys: true,
  issuers: { example: oidc({ url: issuer.url, clientId: 'x' }) },
}
const definition = signInService(methods, {
  secondFactorFor: ['TREASURER'],
  pages: true,
  texts: { de: { sign_in: 'Login (de)' } },
})
const environment = { SMTP_URL: smtp.url, DATA_KEY: dataKey, BASE_URL: base, RETURN_URLS: returnTo }

withService(
  '5.17 Pages',
  (service) => {
    const send = (path: string, body: object, as = {}) => service().send(`POST /auth/${path}`, { ...as, body })
    /** A browser on the page to sign in, and the client that sent it there. */
    async function arrive(
      headers: Readonly<Record<string, string>> = { 'Accept-Language': 'en' },
      verifier = makeVerifier(),
    ) {
      const browser = new PageBrowser(service(), headers)
      const query = new URLSearchParams({ return_to: returnTo, code_challenge: challengeOf(verifier) })
      const page = await browser.open(`/auth/pages/sign-in?${query}`)
      assert.equal(page.status, 200, page.text)
      const exchange = (location: string | undefined, secret = verifier) => {
        assert.ok(location?.startsWith(`${returnTo}?`), location)
        const { code } = Object.fromEntries(new URL(location!).searchParams)
        return send('login', { code, code_verifier: secret })
      }
      return { browser, page, exchange }
    }
    const amrOf = ({ body }: { readonly body: { readonly access_token: string } }) => claimsOf(body.access_token).amr
    /** The link in the mail that the request causes. */
    const linkTo = ({ address }: Person, page: string, request: () => Promise<unknown>) =>
      smtp.find(address, new RegExp(`${base}(/auth/pages/${page}\\?token=[\\w-]+)`), request)

    test('5.17.1 a password signs in, and the browser returns to the client with a code', async () => {
      const person = await begin(service())
      const { browser, page, exchange } = await arrive()
      const wrong = await browser.submit(page, 'sign-in', { email: person.address, password: another })
      assert.deepEqual([wrong.status, wrong.says], [400, 'This is not right. Try again.'])
      const { status, headers } = await browser.submit(wrong, 'sign-in', { email: person.address, password })
      assert.equal(status, 303)
      assert.equal(browser.cookie, '')
      const tokens = await exchange(headers.location)
      assert.equal(tokens.status, 200, tokens.text)
      assert.deepEqual(amrOf(tokens), ['pwd'])
      assert.deepEqual(refusalOf(await exchange(headers.location)), [401, 'INVALID_TOKEN'])
    })

    test('5.17.1 another verifier does not exchange the code', async () => {
      const person = await begin(service())
      const { browser, page, exchange } = await arrive()
      const { headers } = await browser.submit(page, 'sign-in', { email: person.address, password })
      assert.deepEqual(refusalOf(await exchange(headers.location, makeVerifier())), [401, 'INVALID_TOKEN'])
    })

    test('5.17.1 a second factor is proved on the page, by an app or a recovery code', async () => {
      const person = await begin(service())
      const { secret, recoveryCodes } = await person.setUp()
      for (const code of [codeAt(secret, service().now().getTime()), recoveryCodes[0]!]) {
        const { browser, page, exchange } = await arrive()
        const owed = await browser.submit(page, 'sign-in', { email: person.address, password })
        assert.equal(owed.status, 200, owed.text)
        const wrong = await browser.submit(owed, 'second-factor', { code: 'x' })
        assert.equal(wrong.status, 400)
        const { headers } = await browser.submit(wrong, 'second-factor', { code })
        assert.deepEqual(amrOf(await exchange(headers.location)), ['pwd', 'otp', 'mfa'])
      }
    })

    test('5.17.1 an account that must set up a second factor does so in the client', async () => {
      const person = await begin(service(), 'TREASURER')
      const { browser, page, exchange } = await arrive()
      const { headers } = await browser.submit(page, 'sign-in', { email: person.address, password })
      const owed = await exchange(headers.location)
      assert.deepEqual(refusalOf(owed), [401, 'SECOND_FACTOR_REQUIRED'])
      assert.deepEqual(owed.body.error.challenge.methods, ['setup'])
    })

    test('5.17.1 a passkey signs in alone and as the second factor', async () => {
      const person = await begin(service())
      const as = bearer((await person.signIn()).access_token)
      const authenticator = createAuthenticator(base)
      const { body: options } = await send('passkeys/options', { for: 'register' }, as)
      await send('passkeys', { registration: authenticator.register(options), name: 'Laptop' }, as)
      const made = async () =>
        JSON.stringify(authenticator.signIn((await send('passkeys/options', { for: 'sign-in' })).body))
      const one = await arrive()
      const alone = await one.browser.submit(one.page, 'passkey', { passkey: await made() })
      assert.deepEqual(amrOf(await one.exchange(alone.headers.location)), ['pop', 'mfa', 'user'])
      const two = await arrive()
      const owed = await two.browser.submit(two.page, 'sign-in', { email: person.address, password })
      const second = await two.browser.submit(owed, 'passkey', { passkey: await made() })
      assert.deepEqual(amrOf(await two.exchange(second.headers.location)), ['pwd', 'pop', 'mfa', 'user'])
      const broken = await two.browser.submit(one.page, 'passkey', { passkey: '{' })
      assert.equal(broken.status, 400)
    })

    test('5.17.1 a mailed link signs in where it was requested; opening it uses nothing up', async () => {
      const person = await begin(service(), 'MEMBER', true)
      const { browser, page, exchange } = await arrive()
      const link = await linkTo(person, 'link', async () => {
        const sent = await browser.submit(page, 'mail-link', { email: person.address.toUpperCase() })
        assert.match(sent.says, /a link is on its way/)
      })
      const elsewhere = await new PageBrowser(service()).open(link)
      assert.deepEqual([elsewhere.status, elsewhere.text.includes('<form')], [400, false])
      const stranger = await arrive()
      const stolen = await stranger.browser.submit(await stranger.browser.open(link), 'link', {})
      assert.equal(stolen.status, 400)
      for (let scan = 0; scan < 3; scan++) await browser.open(link)
      const { headers } = await browser.submit(await browser.open(link), 'link', {})
      assert.deepEqual(amrOf(await exchange(headers.location)), ['mail'])
    })

    test('5.17.1 an unknown address is answered with the same bytes', async () => {
      const person = await begin(service(), 'MEMBER', true)
      const unknown = `unknown.${person.address}`
      const [answers, verifier] = [[] as unknown[], makeVerifier()]
      for (const email of [person.address, unknown]) {
        const { browser, page } = await arrive({}, verifier)
        const wrong = await browser.submit(page, 'sign-in', { email, password: another })
        const mailed = await browser.submit(page, 'mail-link', { email })
        const reset = await browser.submit(await browser.open('/auth/pages/forgot-password'), 'forgot-password', {
          email,
        })
        answers.push([wrong, mailed, reset].map(({ status, text }) => [status, text]))
      }
      assert.deepEqual(answers[0], answers[1])
    })

    test('5.17.2 pages have the language that the browser prefers', async () => {
      const { page } = await arrive({ 'Accept-Language': 'de-CH, en;q=0.5' })
      assert.match(page.text, /<html lang="de">/)
      assert.match(page.text, /<h1>Login \(de\)<\/h1>/)
    })

    const foreign: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
      ['of another site', { 'Sec-Fetch-Site': 'cross-site' }],
      ['of a sibling', { 'Sec-Fetch-Site': 'same-site', Origin: 'https://other.example.com' }],
      ['of another origin', { Origin: 'https://evil.example' }],
      ['of an opaque origin', { Origin: 'null' }],
      ['without either header', {}],
    ]
    for (const [what, headers] of foreign)
      test(`5.17.3 a form ${what} is 403 and signs in nowhere`, async () => {
        const person = await begin(service())
        const { browser, page } = await arrive()
        const { status, headers: sent } = await browser.submit(
          page,
          'sign-in',
          { email: person.address, password },
          headers,
        )
        assert.deepEqual([status, sent.location], [403, undefined])
      })

    test('5.17.3 a form is read as a form only, with each field once', async () => {
      const own = { 'Sec-Fetch-Site': 'same-origin' }
      const json = await service().client.send('POST /auth/pages/sign-in', { headers: own, body: { email: 'x' } })
      assert.equal(json.status, 415)
      const { browser } = await arrive()
      const headers = { ...own, cookie: browser.cookie, 'Content-Type': 'application/x-www-form-urlencoded' }
      const twice = await service().client.send('POST /auth/pages/sign-in', {
        headers,
        body: 'email=a&email=b&password=c',
      })
      assert.equal(twice.status, 400)
      assert.match(twice.text, /A field is sent twice\./)
      const large = await service().client.send('POST /auth/pages/sign-in', {
        headers,
        body: `email=${'a'.repeat(20_000)}`,
      })
      assert.equal(large.status, 413)
    })

    test('5.17.3 without a flow, or after it, a form is 400', async () => {
      const person = await begin(service())
      const { browser, page } = await arrive()
      const values = { email: person.address, password }
      const stranger = await new PageBrowser(service()).submit(page, 'sign-in', values)
      assert.equal(stranger.status, 400)
      const kept = browser.cookie
      assert.equal((await browser.submit(page, 'sign-in', values)).status, 303)
      browser.cookie = kept
      assert.equal((await browser.submit(page, 'sign-in', values)).status, 400)
    })

    test('5.17.3 the flow of an issuer is none of a page', async () => {
      const person = await begin(service(), 'MEMBER', true)
      const { page } = await arrive()
      const browser = new PageBrowser(service(), { 'Accept-Language': 'en' })
      const query = new URLSearchParams({ return_to: returnTo, code_challenge: challengeOf(makeVerifier()) })
      assert.equal((await browser.open(`/auth/issuers/example?${query}`)).status, 303)
      assert.match(browser.cookie, /^duet_flow=flw_/)
      const { status, headers } = await browser.submit(page, 'sign-in', { email: person.address, password })
      assert.deepEqual([status, headers.location], [400, undefined])
    })

    test('5.17.3 a flow lasts ten minutes', async () => {
      const person = await begin(service())
      const { browser, page } = await arrive()
      service().advance(600_000)
      assert.equal((await browser.submit(page, 'sign-in', { email: person.address, password })).status, 400)
    })

    test('5.17.2 an address that is not allowed, and a purpose of issuers, are 400', async () => {
      for (const more of [{ return_to: 'https://evil.example/' }, { for: 'link' }] as Record<string, string>[]) {
        const query = new URLSearchParams({ return_to: returnTo, code_challenge: challengeOf(makeVerifier()), ...more })
        assert.equal((await new PageBrowser(service()).open(`/auth/pages/sign-in?${query}`)).status, 400)
      }
    })

    test('5.17.4 pages have no script but that of passkeys, and forms lead here and to the client only', async () => {
      const { page, browser } = await arrive()
      const policy = String(page.headers['content-security-policy'])
      for (const part of [
        "default-src 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "form-action 'self' https://app.example.com",
        "script-src 'self'",
      ])
        assert.ok(policy.split('; ').includes(part), `${part} in ${policy}`)
      assert.equal(page.headers['cache-control'], 'no-store')
      assert.deepEqual(page.text.match(/<script[^>]*>/g), ['<script type="module" src="/auth/pages/passkeys.js">'])
      const other = await browser.open('/auth/pages/forgot-password')
      assert.doesNotMatch(other.text, /<script/)
      assert.doesNotMatch(String(other.headers['content-security-policy']), /script-src/)
    })

    test('5.17.4 what was sent is shown as text', async () => {
      const { status, text } = await new PageBrowser(service()).open(
        '/auth/pages/reset-password?token=%22%3E%3Cscript%3E',
      )
      assert.equal(status, 200)
      assert.doesNotMatch(text, /<script>/)
    })

    test('5.17.5 a forgotten password is replaced by the link of its mail, once', async () => {
      const person = await begin(service())
      const browser = new PageBrowser(service(), { 'Accept-Language': 'en' })
      const link = await linkTo(person, 'reset-password', async () => {
        const asking = await browser.open('/auth/pages/forgot-password')
        const sent = await browser.submit(asking, 'forgot-password', { email: person.address })
        assert.match(sent.says, /a mail is on its way/)
      })
      const page = await browser.open(link)
      const short = await browser.submit(page, 'reset-password', { password: 'short' })
      assert.deepEqual([short.status, /At least 8/.test(short.says)], [400, true])
      const done = await browser.submit(short, 'reset-password', { password: another })
      assert.deepEqual([done.status, done.says], [200, 'Your password is changed. You can sign in with it now.'])
      assert.equal((await person.login(another)).status, 200)
      const again = await browser.submit(page, 'reset-password', { password })
      assert.deepEqual(
        [again.status, again.says],
        [400, 'This link has been used, or is too old. Request another one.'],
      )
    })

    test('5.17.5 an address is confirmed by the link of its mail and the password', async () => {
      const person = await begin(service())
      const browser = new PageBrowser(service(), { 'Accept-Language': 'en' })
      const request = () => send('send-verification', { email: person.address })
      const page = await browser.open(await linkTo(person, 'verify', request))
      const wrong = await browser.submit(page, 'verify', { password: another })
      assert.deepEqual([wrong.status, wrong.says], [400, 'This is not right. Try again.'])
      const done = await browser.submit(wrong, 'verify', { password })
      assert.deepEqual([done.status, done.says], [200, 'Your address is confirmed.'])
      const { body } = await service().send('GET /api/v1/users/me', bearer((await person.signIn()).access_token))
      assert.equal(body.data.is_sure, true)
    })
  },
  { definition, environment },
)

withService(
  '5.17 Limits of pages',
  (service) => {
    test('5.17.3 a password on a page counts in the bucket of logins', async () => {
      const browser = new PageBrowser(service(), { 'Accept-Language': 'en' })
      const query = new URLSearchParams({ return_to: returnTo, code_challenge: challengeOf(makeVerifier()) })
      const page = await browser.open(`/auth/pages/sign-in?${query}`)
      const values = { email: 'unknown@example.com', password }
      for (let attempt = 0; attempt < 5; attempt++)
        assert.equal((await browser.submit(page, 'sign-in', values)).status, 400)
      const last = await browser.submit(page, 'sign-in', values)
      assert.deepEqual([last.status, last.says], [429, 'There were too many attempts. Wait a minute, and try again.'])
      assert.equal((await service().send('POST /auth/login', { body: values })).status, 429)
    })
  },
  { definition, environment: { ...environment, LIMIT_LOGIN_PER_MINUTE: '5' } },
)

withService(
  '5.17 Services without pages',
  (service) => {
    test('5.17.1 a service that does not name them has none', async () => {
      for (const line of ['GET /auth/pages/sign-in', 'POST /auth/pages/sign-in', 'GET /auth/pages/passkeys.js'])
        assert.equal((await service().client.send(line)).status, 404)
    })
  },
  { definition: signInService(methods), environment },
)
