// Everything that signs in, proves or sets up once: of twenty uses at once exactly one succeeds, and none afterwards. Its accounts are
// members of a tenant inside of another one.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { oidc, provision } from 'duet-api'
import { createAuthenticator } from '../support/client/authenticator.ts'
import { PageBrowser } from '../support/client/page-browser.ts'
import { User } from '../support/domain/sign-in.ts'
import { workspacesWith } from '../support/domain/workspaces.ts'
import { challengeOf, client, makeVerifier, startIssuer, TestBrowser } from '../support/server/issuer.ts'
import { bearer, begin, codeAt, dataKey, type Person } from '../support/server/second-factor.ts'
import { password, type TestService, withService } from '../support/server/service.ts'
import { startMailServer } from '../support/server/smtp.ts'
import type { Clause } from './contract.ts'

const base = 'https://api.example.com'
const returnTo = 'https://app.example.com/signed-in'
const smtp = await startMailServer()
const issuer = await startIssuer(`${base}/auth/issuers/example/callback`)
after(() => {
  issuer.close()
  return smtp.close()
})
const times = 20
const another = 'a password that is quite another'

interface Use {
  readonly status: number
  readonly headers?: Readonly<Record<string, unknown>>
  readonly location?: string | null
}
type Uses = readonly (() => Promise<Use>)[]
interface Token {
  readonly clause: Clause
  readonly it: string
  readonly tenants?: { readonly company?: object; readonly project?: object }
  /** What comes before, and twenty uses of the token. */
  readonly obtain: (person: Person, service: TestService) => Promise<Uses>
}

const same = (use: () => Promise<Use>): Uses => Array.from({ length: times }, () => use)
const isDone = ({ status, location }: Use) =>
  location == null ? [200, 204, 303].includes(status) : location.includes('code=')
const send = (service: TestService, path: string, body: object, as = {}) =>
  service.send(`POST /auth/${path}`, { ...as, body })

const tokenIn = /(?:vrf|mgl|prt)_[\w-]{43}/

async function linkFor(person: Person, service: TestService) {
  const code_verifier = makeVerifier()
  const sent = { email: person.address, code_challenge: challengeOf(code_verifier) }
  const token = await smtp.find(person.address, tokenIn, () => send(service, 'magic-link', sent))
  return { token, code_verifier }
}
/** A flow at the issuer, up to where `stop` says. */
async function travel(person: Person, service: TestService, stop: (url: string) => boolean, more = {}) {
  // The provider's clock is the real one.
  service.advance(Date.now() - service.now().getTime())
  issuer.person = { sub: `person${person.id}` }
  const [browser, code_verifier] = [new TestBrowser(service, base), makeVerifier()]
  const query = new URLSearchParams({ return_to: returnTo, code_challenge: challengeOf(code_verifier), ...more })
  const { url, text } = await browser.follow(`${base}/auth/issuers/example?${query}`, stop)
  assert.ok(stop(url), text)
  return { url, code: new URL(url).searchParams.get('code'), code_verifier, browser }
}
const isClient = (url: string) => url.startsWith(returnTo)

async function openPage(service: TestService) {
  const [browser, code_verifier] = [new PageBrowser(service), makeVerifier()]
  const query = new URLSearchParams({ return_to: returnTo, code_challenge: challengeOf(code_verifier) })
  return { browser, code_verifier, page: await browser.open(`/auth/pages/sign-in?${query}`) }
}
async function withPasskey(person: Person, service: TestService) {
  const as = bearer((await person.signIn()).access_token)
  const authenticator = createAuthenticator(base)
  const options = await send(service, 'passkeys/options', { for: 'register' }, as)
  const registration = authenticator.register(options.body)
  assert.equal((await send(service, 'passkeys', { registration, name: 'Phone' }, as)).status, 200)
  return async () => authenticator.signIn((await send(service, 'passkeys/options', { for: 'sign-in' })).body)
}
/** Twenty challenges of the account. */
async function challengesOf(person: Person): Promise<readonly string[]> {
  const challenges: string[] = []
  for (let each = 0; each < times; each++) challenges.push(await person.challenge())
  return challenges
}
const codeNow = (secret: string, service: TestService) => codeAt(secret, service.now().getTime())

async function setUpApp(person: Person, service: TestService): Promise<Uses> {
  const { token: challenge, methods } = (await person.login()).body.error.challenge
  assert.deepEqual(methods, ['setup'])
  const { secret } = (await send(service, 'totp', { challenge })).body
  return same(() => send(service, 'totp', { challenge, code: codeNow(secret, service) }))
}

const tokens: readonly Token[] = [
  {
    clause: '5.11.3',
    it: 'a token that proves an address',
    async obtain({ address, signIn }, service) {
      const as = bearer((await signIn()).access_token)
      const token = await smtp.find(address, tokenIn, () => send(service, 'send-verification', { email: address }))
      return same(() => send(service, 'verify', { token }, as))
    },
  },
  {
    clause: '5.11.4',
    it: 'a token that starts over',
    async obtain({ address }, service) {
      const token = await smtp.find(address, tokenIn, () => send(service, 'send-verification', { email: address }))
      return same(() => send(service, 'verify', { token, start_over: true }))
    },
  },
  {
    clause: '5.11.5',
    it: 'a token that changes an address',
    async obtain({ address, signIn }, service) {
      const as = bearer((await signIn()).access_token)
      const email = `new.${address}`
      const token = await smtp.find(email, tokenIn, () => send(service, 'change-email', { email }, as))
      return same(() => send(service, 'verify', { token }, as))
    },
  },
  {
    clause: '4.13.3',
    it: 'a password reset token',
    async obtain({ address }, service) {
      const token = await smtp.find(address, tokenIn, () => send(service, 'forgot-password', { email: address }))
      return same(() => send(service, 'reset-password', { token, password: another }))
    },
  },
  {
    clause: '5.12.1',
    it: 'a magic link',
    async obtain(person, service) {
      const sent = await linkFor(person, service)
      return same(() => send(service, 'login', sent))
    },
  },
  {
    clause: '5.13.1',
    it: 'a magic link that reauthenticates',
    async obtain(person, service) {
      const as = bearer((await person.signIn()).access_token)
      const sent = await linkFor(person, service)
      return same(() => send(service, 'reauthenticate', sent, as))
    },
  },
  {
    clause: '5.13.2',
    it: 'a challenge with one code',
    async obtain(person, service) {
      const { secret } = await person.setUp()
      const challenge = await person.challenge()
      return same(() => send(service, 'login', { challenge, code: codeNow(secret, service) }))
    },
  },
  {
    clause: '5.13.2',
    it: 'a challenge with twenty recovery codes and codes',
    async obtain(person, service) {
      const { secret, recoveryCodes } = await person.setUp()
      const challenge = await person.challenge()
      const codes = [...recoveryCodes, ...Array(10).fill(codeNow(secret, service))]
      return codes.map((code) => () => send(service, 'login', { challenge, code }))
    },
  },
  {
    clause: '5.15.8',
    it: 'a challenge with twenty answers of a passkey',
    async obtain(person, service) {
      const answer = await withPasskey(person, service)
      const challenge = await person.challenge()
      const passkeys = await Promise.all(Array.from({ length: times }, answer))
      return passkeys.map((passkey) => () => send(service, 'login', { challenge, passkey }))
    },
  },
  {
    clause: '5.14.2',
    it: 'a code of an app, over twenty challenges',
    async obtain(person, service) {
      const { secret } = await person.setUp()
      const challenges = await challengesOf(person)
      const code = codeNow(secret, service)
      return challenges.map((challenge) => () => send(service, 'login', { challenge, code }))
    },
  },
  {
    clause: '5.14.4',
    it: 'a recovery code, over twenty challenges',
    async obtain(person, service) {
      const [code] = (await person.setUp()).recoveryCodes
      return (await challengesOf(person)).map((challenge) => () => send(service, 'login', { challenge, code }))
    },
  },
  {
    clause: '5.14.1',
    it: 'the secret of an app that is set up',
    async obtain({ signIn }, service) {
      const as = bearer((await signIn()).access_token)
      const { secret } = (await send(service, 'totp', {}, as)).body
      return same(() => send(service, 'totp', { code: codeNow(secret, service) }, as))
    },
  },
  {
    clause: '5.13.13',
    it: 'the challenge of a setup that the outer tenant requires',
    tenants: { company: { isStrict: true } },
    obtain: setUpApp,
  },
  {
    clause: '5.13.13',
    it: 'the challenge of a setup that the inner tenant requires',
    tenants: { project: { isSecret: true } },
    obtain: setUpApp,
  },
  {
    clause: '5.13.13',
    it: 'the challenge of a setup by a passkey',
    tenants: { company: { isStrict: true }, project: { isSecret: true } },
    async obtain(person, service) {
      const { token: challenge } = (await person.login()).body.error.challenge
      const options = await send(service, 'passkeys/options', { for: 'register', challenge })
      const registration = createAuthenticator(base).register(options.body)
      return same(() => send(service, 'passkeys', { registration, name: 'Phone', challenge }))
    },
  },
  {
    clause: '5.15.1',
    it: 'the challenge of a passkey that signs in',
    async obtain(person, service) {
      const passkey = await (await withPasskey(person, service))()
      return same(() => send(service, 'login', { passkey }))
    },
  },
  {
    clause: '5.15.1',
    it: 'the challenge of a passkey that is registered',
    async obtain({ signIn }, service) {
      const as = bearer((await signIn()).access_token)
      const options = await send(service, 'passkeys/options', { for: 'register' }, as)
      const registration = createAuthenticator(base).register(options.body)
      return same(() => send(service, 'passkeys', { registration, name: 'Phone' }, as))
    },
  },
  {
    clause: '5.16.3',
    it: 'the state of a flow at an issuer',
    async obtain(person, service) {
      const { url, browser } = await travel(person, service, (each) => each.startsWith(`${base}/auth/issuers/example/`))
      return Array.from({ length: times }, () => {
        const copy = new TestBrowser(service, base)
        for (const [name, value] of browser.cookies) copy.cookies.set(name, value)
        return () => copy.get(url)
      })
    },
  },
  {
    clause: '5.16.4',
    it: 'the code that ends a flow',
    async obtain(person, service) {
      const { code, code_verifier } = await travel(person, service, isClient)
      return same(() => send(service, 'login', { code, code_verifier }))
    },
  },
  {
    clause: '5.16.5',
    it: 'the ticket that links a person',
    async obtain(person, service) {
      const { code: ticket, code_verifier } = await travel(person, service, isClient, { for: 'link' })
      const as = bearer((await person.signIn()).access_token)
      return same(() => send(service, 'issuers', { ticket, code_verifier }, as))
    },
  },
  {
    clause: '5.17.1',
    it: 'the flow of a page',
    async obtain({ address: email }, service) {
      const { browser, page } = await openPage(service)
      return same(() => browser.submit(page, 'sign-in', { email, password }))
    },
  },
  {
    clause: '5.17.1',
    it: 'the code that ends a page',
    async obtain({ address: email }, service) {
      const { browser, page, code_verifier } = await openPage(service)
      const { headers } = await browser.submit(page, 'sign-in', { email, password })
      const code = new URL(headers.location!).searchParams.get('code')
      return same(() => send(service, 'login', { code, code_verifier }))
    },
  },
  {
    clause: '5.17.5',
    it: 'the token of a mail on the page for another password',
    async obtain({ address: email }, service) {
      const browser = new PageBrowser(service)
      const token = await smtp.find(email, tokenIn, () => send(service, 'forgot-password', { email }))
      const page = await browser.open(`/auth/pages/reset-password?token=${token}`)
      return same(() => browser.submit(page, 'reset-password', { password: another }))
    },
  },
]

withService(
  '5 What is used once',
  (service) => {
    for (const { clause, it, tenants = {}, obtain } of tokens)
      test(`${clause} of twenty uses at once of ${it}, one succeeds`, async () => {
        const person = await begin(service())
        const fixtures = service().fixtures({
          company: { Company: { name: 'Outer', ...tenants.company } },
          seat: { Seat: { company: '{company}', user: person.id, role: 'OWNER' } },
          project: { Project: { company: '{company}', name: 'Inner', ...tenants.project } },
          place: { Place: { project: '{project}', user: person.id, role: 'OWNER' } },
        })
        await fixtures.idOf('seat')
        await fixtures.idOf('place')
        const uses = await obtain(person, service())
        assert.equal(uses.length, times)
        const answers = await Promise.all(uses.map((use) => use()))
        const statuses = answers.map(({ status }) => status)
        assert.equal(answers.filter(isDone).length, 1, String(statuses))
        assert.ok(
          statuses.every((status) => status < 500),
          String(statuses),
        )
        assert.equal(isDone(await uses[0]!()), false, 'nor afterwards')
      })
  },
  {
    definition: workspacesWith(
      {
        magicLink: true,
        totp: true,
        passkeys: true,
        issuers: {
          example: oidc({
            url: issuer.url,
            clientId: client.client_id,
            clientSecret: client.client_secret,
            provision: provision(User, { account: ({ email }) => ({ email: String(email) }) }),
          }),
        },
      },
      true,
    ),
    environment: { SMTP_URL: smtp.url, DATA_KEY: dataKey, BASE_URL: base, RETURN_URLS: returnTo },
  },
)
