// Sign-in at issuers: the way there and back, codes that are used once, links, and what another party on the way may try.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { oidc, provision } from 'duet-api'
import { signInService, User } from '../support/domain/sign-in.ts'
import { challengeOf, client, makeVerifier, type Person, startIssuer, TestBrowser } from '../support/server/issuer.ts'
import { begin } from '../support/server/second-factor.ts'
import { password, withService } from '../support/server/service.ts'
import { startMailServer } from '../support/server/smtp.ts'

const base = 'https://api.example.test'
const returnTo = 'https://app.example.test/signed-in'
const callbackOf = (name: string) => `${base}/auth/issuers/${name}/callback`
const [first, second, closed] = [
  await startIssuer(callbackOf('first')),
  await startIssuer(callbackOf('second')),
  await startIssuer(callbackOf('closed')),
]
const smtp = await startMailServer()
after(() => {
  for (const each of [first, second, closed, smtp]) each.close()
})

const account = ({ email: address, email_verified: isSure }: Readonly<Record<string, unknown>>) => ({
  email: String(address),
  isSure: isSure === true,
})
const common = { clientId: client.client_id, clientSecret: client.client_secret }
const definition = signInService({
  magicLink: true,
  issuers: {
    first: oidc({ ...common, url: first.url, provision: provision(User, { account }) }),
    second: oidc({ ...common, url: second.url, provision: provision(User, { account }), secondFactor: true }),
    closed: oidc({ ...common, url: closed.url }),
  },
})

let people = 0
const nobody = (more: Partial<Person> = {}): Person => ({ sub: `person${++people}x${Date.now()}`, ...more })
const as = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } })
const address = (name: string, verifier: string, more: Record<string, string> = {}) =>
  `${base}/auth/issuers/${name}?${new URLSearchParams({ return_to: returnTo, code_challenge: challengeOf(verifier), ...more })}`
const isClient = (url: string) => url.startsWith(returnTo)
const resultOf = (url: string) => Object.fromEntries(new URL(url).searchParams)

withService(
  '5.16 Sign-in at issuers',
  (service) => {
    /** Through the issuer as this person, to the query with which the client is opened. */
    async function travel(
      person: Person | null,
      {
        name = 'first',
        verifier = makeVerifier(),
        more = {},
      }: { name?: string; verifier?: string; more?: Record<string, string> } = {},
    ) {
      // The provider's clock is the real one.
      service().advance(Date.now() - service().now().getTime())
      for (const each of [first, second, closed]) each.person = person
      const browser = new TestBrowser(service(), base)
      const { url, text } = await browser.follow(address(name, verifier, more), isClient)
      assert.ok(isClient(url), text)
      return { ...resultOf(url), verifier, browser } as {
        readonly code?: string
        readonly error?: string
        readonly verifier: string
        readonly browser: TestBrowser
      }
    }
    const exchange = (code: string | undefined, verifier: string) =>
      service().send('POST /auth/login', { body: { code, code_verifier: verifier } })
    async function signIn(person: Person, name = 'first') {
      const { code, error, verifier } = await travel(person, { name })
      const answer = await exchange(code, verifier)
      assert.equal(answer.status, 200, error ?? answer.text)
      return answer.body as { readonly access_token: string; readonly refresh_token: string }
    }
    const me = async (token: string) => {
      const { sub } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())
      return (await service().send(`GET /api/v1/users/${sub}`, as(token))).body.data
    }
    const failureOf = async (answer: ReturnType<typeof exchange>) => {
      const { status, body } = await answer
      return [status, body.error?.code]
    }
    const methodsOf = async (token: string) =>
      (await service().send('GET /api/v1/sign-in-methods', as(token))).body.data
    async function withPassword(token?: string) {
      const login = `a${Math.random().toString(36).slice(2)}@example.com`
      await service().send('POST /api/v1/users', { body: { email: login, password } })
      const { body } = await service().send('POST /auth/login', { body: { email: login, password } })
      return { login, token: token ?? (body.access_token as string) }
    }

    test('5.16.1 a person signs in, gets an account, and finds it again', async () => {
      const person = nobody()
      const account = await me((await signIn(person)).access_token)
      assert.deepEqual([account.email, account.is_sure, account.role], [`${person.sub}@example.com`, true, 'MEMBER'])
      const tokens = await signIn(person)
      assert.equal((await me(tokens.access_token)).id, account.id)
      const claims = JSON.parse(Buffer.from(tokens.access_token.split('.')[1]!, 'base64url').toString())
      assert.deepEqual(claims.amr, ['issuer'])
      assert.ok(claims.auth_time > 0)
      const [method] = await methodsOf(tokens.access_token)
      assert.deepEqual([method.kind, method.name], ['issuer', 'first'])
      assert.equal(JSON.stringify(method).includes(person.sub), false)
    })

    test('5.16.1 the same subject at another issuer is another person', async () => {
      const person = nobody()
      const [one, other] = [
        await signIn(person),
        await travel({ ...person, claims: { email: `other.${person.sub}@example.com` } }, { name: 'second' }),
      ]
      const { body } = await exchange(other.code, other.verifier)
      assert.notEqual((await me(one.access_token)).id, (await me(body.access_token)).id)
    })

    for (const [what, more] of [
      ['another return_to', { return_to: 'https://evil.example.test/' }],
      ['a return_to with a query', { return_to: `${returnTo}?x=1` }],
      ['no challenge', { code_challenge: '' }],
      ['a plain verifier', { code_challenge: makeVerifier().slice(1) }],
      ['an unknown purpose', { for: 'both' }],
      ['an unknown parameter', { redirect_uri: returnTo }],
    ] as const)
      test(`5.16.2 ${what} is 400 on a page, and goes nowhere`, async () => {
        const browser = new TestBrowser(service(), base)
        const { status, location, text } = await browser.get(address('first', makeVerifier(), more))
        assert.deepEqual([status, location], [400, null])
        assert.match(text, /^<!doctype html>/)
        assert.equal(text.includes('<script'), false)
      })

    test('5.16.2 a parameter that is sent twice is 400', async () => {
      const { status } = await new TestBrowser(service(), base).get(
        `${address('first', makeVerifier())}&return_to=${encodeURIComponent(returnTo)}`,
      )
      assert.equal(status, 400)
    })

    test('5.16.2 a person who refuses returns with access_denied', async () => {
      assert.equal((await travel(null)).error, 'access_denied')
    })

    test('5.16.3 the way back works once, in the browser that began it, at its issuer, with its state', async () => {
      service().advance(Date.now() - service().now().getTime())
      first.person = nobody()
      const verifier = makeVerifier()
      const browser = new TestBrowser(service(), base)
      const { url: back } = await browser.follow(address('first', verifier), (url) =>
        url.startsWith(callbackOf('first')),
      )
      const isRefused = async (by: TestBrowser, url: string) => {
        const { status, location } = await by.get(url)
        assert.deepEqual([status, location], [400, null], url)
      }
      await isRefused(new TestBrowser(service(), base), back)
      const other = new TestBrowser(service(), base)
      await other.get(address('first', verifier))
      await isRefused(other, back)
      await isRefused(browser, back.replace(callbackOf('first'), callbackOf('second')))
      await isRefused(browser, back.replace(/state=[^&]+/, `state=${makeVerifier()}`))
      await isRefused(browser, back.replace(/state=[^&]+&?/, ''))
      await isRefused(browser, `${back}&state=${new URL(back).searchParams.get('state')}`)
      const before = new Map(browser.cookies)
      const { location } = await browser.get(back)
      assert.ok(resultOf(location!)['code'], location!)
      for (const [name, value] of before) browser.cookies.set(name, value)
      await isRefused(browser, back)
    })

    test('5.16.3 a flow lasts ten minutes', async () => {
      service().advance(Date.now() - service().now().getTime())
      first.person = nobody()
      const browser = new TestBrowser(service(), base)
      const { url: back } = await browser.follow(address('first', makeVerifier()), (url) =>
        url.startsWith(callbackOf('first')),
      )
      service().advance(600_001)
      assert.equal((await browser.get(back)).status, 400)
    })

    for (const [what, change] of [
      ['another iss', (url: URL) => url.searchParams.set('iss', second.url)],
      ['no iss, although the issuer promises one', (url: URL) => url.searchParams.delete('iss')],
      ['a code of its own', (url: URL) => url.searchParams.set('code', makeVerifier())],
      ['no code', (url: URL) => url.searchParams.delete('code')],
    ] as const)
      test(`5.16.3 ${what} is sign_in_failed`, async () => {
        service().advance(Date.now() - service().now().getTime())
        first.person = nobody()
        const browser = new TestBrowser(service(), base)
        const { url } = await browser.follow(address('first', makeVerifier()), (url) =>
          url.startsWith(callbackOf('first')),
        )
        const back = new URL(url)
        change(back)
        const { location } = await browser.get(back.href)
        assert.deepEqual(resultOf(location!), { error: 'sign_in_failed' })
      })

    test('5.16.3 the code of one flow is not taken in another', async () => {
      service().advance(Date.now() - service().now().getTime())
      first.person = nobody()
      const stop = (url: string) => url.startsWith(callbackOf('first'))
      const [victim, attacker] = [new TestBrowser(service(), base), new TestBrowser(service(), base)]
      const own = new URL((await victim.follow(address('first', makeVerifier()), stop)).url)
      const foreign = new URL((await attacker.follow(address('first', makeVerifier()), stop)).url)
      own.searchParams.set('code', foreign.searchParams.get('code')!)
      assert.deepEqual(resultOf((await victim.get(own.href)).location!), { error: 'sign_in_failed' })
    })

    test('5.16.4 another verifier is INVALID_TOKEN, and uses the code up', async () => {
      const { code, verifier } = await travel(nobody())
      assert.deepEqual(await failureOf(exchange(code, makeVerifier())), [401, 'INVALID_TOKEN'])
      assert.deepEqual(await failureOf(exchange(code, verifier)), [401, 'INVALID_TOKEN'])
    })

    test('5.16.4 a code lasts a minute', async () => {
      const { code, verifier } = await travel(nobody())
      service().advance(60_001)
      assert.deepEqual(await failureOf(exchange(code, verifier)), [401, 'INVALID_TOKEN'])
    })

    for (const [what, end] of [
      ['suspended', (id: string, token: string) => service().send(`POST /api/v1/users/${id}/suspend`, as(token))],
      ['deleted', (id: string, token: string) => service().send(`DELETE /api/v1/users/${id}`, as(token))],
    ] as const)
      test(`5.16.4 a code ends if its account is ${what}, which no sign-in opens again`, async () => {
        const person = nobody()
        const { access_token: token } = await signIn(person)
        const { id } = await me(token)
        const { code, verifier } = await travel(person)
        assert.ok((await end(id, token)).status < 300)
        assert.deepEqual(await failureOf(exchange(code, verifier)), [401, 'INVALID_TOKEN'])
        assert.equal((await travel(person)).error, 'sign_in_failed')
      })

    test('5.16.4 a code ends with another role of its account', async () => {
      const person = nobody()
      const { id } = await me((await signIn(person)).access_token)
      const admin = await (await begin(service(), 'ADMIN')).signIn()
      const { code, verifier } = await travel(person)
      const body = { role: 'TREASURER' }
      const changed = await service().send(`PATCH /api/v1/users/${id}`, { ...as(admin.access_token), body })
      assert.equal(changed.status, 200, changed.text)
      assert.deepEqual(await failureOf(exchange(code, verifier)), [401, 'INVALID_TOKEN'])
    })

    test('5.16.5 an address never links, proved or not: account_exists', async () => {
      const { login } = await withPassword()
      for (const isProved of [true, false])
        assert.equal(
          (await travel(nobody({ claims: { email: login, email_verified: isProved } }))).error,
          'account_exists',
        )
    })

    test('5.16.5 an address that the issuer has not proved is not proved here', async () => {
      const account = await me((await signIn(nobody({ claims: { email_verified: false } }))).access_token)
      assert.equal(account.is_sure, false)
    })

    test('5.16.5 without provision, only linked persons sign in', async () => {
      assert.equal((await travel(nobody(), { name: 'closed' })).error, 'sign_in_failed')
    })

    test('5.16.5 the owner of an account links a person in a recent session, which ends the others', async () => {
      const { login, token } = await withPassword()
      const person = nobody({ claims: { email: login } })
      const { body: other } = await service().send('POST /auth/login', { body: { email: login, password } })
      const { code: ticket, verifier } = await travel(person, { name: 'closed', more: { for: 'link' } })
      // A ticket proves a person, not an account.
      const link = (headers: object, sent: object = { ticket, code_verifier: verifier }) =>
        service().send('POST /auth/issuers', { ...headers, body: sent })
      assert.equal((await link({})).status, 401)
      const linked = await link(as(token))
      assert.equal(linked.status, 200, linked.text)
      assert.match(linked.body.id, /^sim_/)
      assert.deepEqual(await failureOf(link(as(token))), [401, 'INVALID_TOKEN'])
      assert.equal((await service().send('GET /api/v1/sign-in-methods', as(other.access_token))).status, 401)
      assert.equal((await me((await signIn(person, 'closed')).access_token)).email, login)
      while (smtp.to(login).every(({ text }) => !text.includes('sign-in method'))) await smtp.arrival()
    })

    test('5.16.5 a ticket does not sign in, and a code does not link', async () => {
      const { token } = await withPassword()
      const person = nobody()
      const linking = await travel(person, { more: { for: 'link' } })
      assert.deepEqual(await failureOf(exchange(linking.code, linking.verifier)), [401, 'INVALID_TOKEN'])
      const { code, verifier } = await travel(person)
      const sent = { ticket: code, code_verifier: verifier }
      assert.deepEqual(await failureOf(service().send('POST /auth/issuers', { ...as(token), body: sent })), [
        401,
        'INVALID_TOKEN',
      ])
    })

    test('5.16.5 linking needs a recent sign-in', async () => {
      const { token } = await withPassword()
      const { code: ticket, verifier } = await travel(nobody(), { more: { for: 'link' } })
      service().advance(301_000)
      const answer = service().send('POST /auth/issuers', { ...as(token), body: { ticket, code_verifier: verifier } })
      assert.deepEqual(await failureOf(answer), [401, 'REAUTHENTICATION_REQUIRED'])
    })

    test('5.16.5 a person with an account is 409, also if twenty link it at once', async () => {
      const person = nobody()
      const tickets = []
      for (let each = 0; each < 20; each++)
        tickets.push(await travel(person, { name: 'closed', more: { for: 'link' } }))
      const accounts = await Promise.all(tickets.map(() => withPassword()))
      const answers = await Promise.all(
        tickets.map(({ code: ticket, verifier }, index) =>
          service().send('POST /auth/issuers', {
            ...as(accounts[index]!.token),
            body: { ticket, code_verifier: verifier },
          }),
        ),
      )
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(19).fill(409)])
    })

    test('5.16.6 an issuer that is trusted for it proves two factors', async () => {
      const person = nobody({ amr: ['pwd', 'mfa'] })
      const claimsOf = ({ access_token: token }: { readonly access_token: string }) =>
        JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()).amr
      assert.deepEqual(claimsOf(await signIn(person, 'second')), ['issuer', 'mfa'])
      assert.deepEqual(claimsOf(await signIn(nobody({ amr: ['mfa'] }), 'first')), ['issuer'])
      assert.deepEqual(claimsOf(await signIn(nobody({ amr: ['pwd'] }), 'second')), ['issuer'])
    })

    test('5.16.6 a removed method no longer signs in', async () => {
      const { login, token } = await withPassword()
      const person = nobody()
      const { code: ticket, verifier } = await travel(person, { name: 'closed', more: { for: 'link' } })
      await service().send('POST /auth/issuers', { ...as(token), body: { ticket, code_verifier: verifier } })
      const [method] = await methodsOf(token)
      assert.equal((await service().send(`DELETE /api/v1/sign-in-methods/${method.id}`, as(token))).status, 204)
      assert.equal((await travel(person, { name: 'closed' })).error, 'sign_in_failed')
      assert.equal((await service().send('POST /auth/login', { body: { email: login, password } })).status, 200)
    })

    test('5.16.6 a proof of the address by a token alone removes the persons that came before', async () => {
      const victim = `v${Math.random().toString(36).slice(2)}@example.com`
      const attacker = nobody({ claims: { email: victim, email_verified: false } })
      await signIn(attacker)
      const verifier = makeVerifier()
      const request = { email: victim, code_challenge: challengeOf(verifier) }
      await service().send('POST /auth/magic-link', { body: request })
      const tokenIn = () => smtp.to(victim).map(({ text }) => /^mgl_[\w-]{43}$/m.exec(text)?.[0])
      while (!tokenIn().some((each) => each !== undefined)) await smtp.arrival()
      const token = tokenIn().find((each) => each !== undefined)!
      const opened = await service().send('POST /auth/login', { body: { token, code_verifier: verifier } })
      assert.equal(opened.status, 200, opened.text)
      assert.deepEqual(await methodsOf(opened.body.access_token), [])
      assert.equal((await travel(attacker)).error, 'account_exists')
    })

    test('5.16.4 reauthentication takes a code of the same account only', async () => {
      const person = nobody()
      const { access_token: token } = await signIn(person)
      const again = async (who: Person) => {
        const { code, verifier } = await travel(who)
        return service().send('POST /auth/reauthenticate', { ...as(token), body: { code, code_verifier: verifier } })
      }
      assert.equal((await again(person)).status, 200)
      assert.deepEqual(await failureOf(again(nobody())), [401, 'INVALID_CREDENTIALS'])
    })

    test('5.16.7 the log holds no query of /auth', async () => {
      const { code, verifier } = await travel(nobody())
      await exchange(code, verifier)
      const lines = service().log().join('\n')
      for (const secret of [code!, verifier, challengeOf(verifier)]) assert.equal(lines.includes(secret), false)
      service().assertLog()
    })
  },
  {
    definition,
    logsRequests: true,
    environment: { BASE_URL: base, RETURN_URLS: returnTo, SMTP_URL: smtp.url },
  },
)
