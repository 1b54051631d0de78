// The service's own pages in a real browser: the policy lets forms lead to the client, and passkeys work. (contract 5.17)

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { type StartedService, start } from 'duet-api'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { accessibilityProblems } from '../support/client/axe.ts'
import { chromiumMissing, launchChromium } from '../support/client/chromium.ts'
import { signInService } from '../support/domain/sign-in.ts'
import { freePort } from '../support/server/free-port.ts'
import { challengeOf, makeVerifier } from '../support/server/issuer.ts'
import { startMailServer } from '../support/server/smtp.ts'

const login = { email: 'ada@example.com', password: 'correct horse battery staple' }

describe('5.17 pages in a browser', { skip: chromiumMissing }, () => {
  let running: StartedService
  let browser: Browser
  let context: BrowserContext
  let base: string
  let returnTo: string
  let smtp: Awaited<ReturnType<typeof startMailServer>>
  const app = createServer((_, response) => void response.end('<!doctype html><title>Client</title><h1>Back</h1>'))

  before(async () => {
    const port = await freePort()
    base = `http://localhost:${port}`
    await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve))
    returnTo = `http://127.0.0.1:${(app.address() as AddressInfo).port}/back`
    smtp = await startMailServer()
    const definition = signInService({ magicLink: true, passkeys: true }, { pages: true })
    const environment = {
      PORT: String(port),
      BASE_URL: base,
      LOG_LEVEL: 'off',
      DATABASE_URL: 'sqlite::memory:',
      SMTP_URL: smtp.url,
      RETURN_URLS: returnTo,
      LIMIT_LOGIN_PER_MINUTE: '0',
    }
    running = await start(definition, { environment })
    await post('/api/v1/users', login)
    browser = await launchChromium()
    context = await browser.newContext()
  })
  after(async () => {
    await browser?.close()
    await running?.stop()
    await smtp?.close()
    app.close().closeAllConnections()
  })

  async function post(path: string, body: object, token?: string) {
    const headers = {
      'Content-Type': 'application/json',
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    }
    const answer = await fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) })
    return (await answer.json()) as Record<string, never>
  }
  /** A page to sign in, and what its client gets in the end. */
  async function arrive() {
    const [page, verifier, problems] = [await context.newPage(), makeVerifier(), [] as string[]]
    page.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())))
    const query = new URLSearchParams({ return_to: returnTo, code_challenge: challengeOf(verifier) })
    await page.goto(`${base}/auth/pages/sign-in?${query}`)
    async function tokens() {
      await page.waitForURL(`${returnTo}?*`)
      const code = new URL(page.url()).searchParams.get('code')
      const answer = await post('/auth/login', { code, code_verifier: verifier })
      assert.ok(answer['access_token'], JSON.stringify(answer))
      assert.deepEqual(problems, [])
      return answer['access_token'] as string
    }
    return { page, tokens }
  }
  const submit = (page: Page, action: string) => page.click(`form[action$="/pages/${action}"] button`)

  test('5.17.1 a password leads back to the client on another origin', async () => {
    const { page, tokens } = await arrive()
    assert.deepEqual(await accessibilityProblems(page), [])
    await page.fill('form[action$="/pages/sign-in"] [name=email]', login.email)
    await page.fill('[name=password]', login.password)
    await submit(page, 'sign-in')
    await tokens()
  })

  test('5.17.4 a passkey of the device signs in by the only script', async () => {
    const first = await arrive()
    const devices = await context.newCDPSession(first.page)
    await devices.send('WebAuthn.enable')
    await devices.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    const { access_token: token } = await post('/auth/login', login)
    const options = await post('/auth/passkeys/options', { for: 'register' }, token)
    const registration = await first.page.evaluate(async (json) => {
      const { PublicKeyCredential: parse, navigator } = globalThis as never as Record<string, never> & {
        PublicKeyCredential: { parseCreationOptionsFromJSON(json: object): object }
        navigator: { credentials: { create(request: object): Promise<{ toJSON(): object }> } }
      }
      const publicKey = parse.parseCreationOptionsFromJSON(json)
      return (await navigator.credentials.create({ publicKey })).toJSON()
    }, options)
    await post('/auth/passkeys', { registration, name: 'Laptop' }, token)
    await first.page.click('#passkey button')
    await first.tokens()
  })

  test('5.17.1 a mailed link continues in the browser that requested it', async () => {
    const { page, tokens } = await arrive()
    const linkIn = () => smtp.to(login.email).flatMap(({ text }) => /http\S+pages\/link\S+/.exec(text)?.[0] ?? [])[0]
    await page.fill('form[action$="/pages/mail-link"] [name=email]', login.email)
    await submit(page, 'mail-link')
    await page.locator('[role=status]').waitFor()
    while (linkIn() === undefined) await smtp.arrival()
    await page.goto(linkIn()!)
    await submit(page, 'link')
    await tokens()
  })
})
