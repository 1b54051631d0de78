// The application of docs/sign-in.md in a real browser: password, magic link, and a certified provider of OpenID Connect.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import {
  ApiKey,
  anyone,
  boolean,
  choice,
  email,
  may,
  oidc,
  password as passwordField,
  provision,
  resource,
  SecurityEvent,
  Session,
  SignInMethod,
  type StartedService,
  self,
  service,
  start,
  state,
} from 'duet-api'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { bundleForBrowsers } from '../support/client/bundle.ts'
import { chromiumMissing, launchChromium } from '../support/client/chromium.ts'
import { repository } from '../support/process/command.ts'
import { freePort } from '../support/server/free-port.ts'
import { client, startIssuer, type TestIssuer } from '../support/server/issuer.ts'
import { startMailServer } from '../support/server/smtp.ts'

const User = resource('User', {
  prefix: 'usr',
  fields: {
    email: email({ unique: true }),
    isSure: boolean({ default: false }),
    password: passwordField({ min: 8, max: 200 }),
    role: choice(['MEMBER', 'ADMIN'], { default: 'MEMBER' }),
    status: state('ACTIVE'),
  },
  protect: { isSure: { write: may('manage') } },
  actions: {
    read: { allow: self },
    create: { allow: anyone, accept: ['email', 'password'] },
    update: { allow: may('manage'), accept: ['isSure'] },
  },
})
const definitionWith = (url: string) =>
  service({
    resources: { User, Session, ApiKey, SignInMethod, SecurityEvent },
    accounts: {
      login: 'email',
      verified: 'isSure',
      password: 'password',
      role: 'role',
      activeState: 'ACTIVE',
      methods: {
        magicLink: true,
        issuers: {
          example: oidc({
            url,
            clientId: client.client_id,
            clientSecret: client.client_secret,
            provision: provision(User, {
              account: ({ email: address, email_verified: isSure }) => ({
                email: String(address),
                isSure: isSure === true,
              }),
            }),
          }),
        },
      },
    },
    roles: { MEMBER: {}, ADMIN: 'everything' },
  })
const guide = readFileSync(join(repository, 'docs/sign-in.md'), 'utf8')
const blockOf = (language: string) => new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'ms').exec(guide)![1]!
const password = 'correct horse battery staple'

describe('5.16 an application of one page', { skip: chromiumMissing }, () => {
  let running: StartedService
  let issuer: TestIssuer
  let browser: Browser
  let context: BrowserContext
  let appUrl: string
  let smtp: Awaited<ReturnType<typeof startMailServer>>
  const app = createServer((request, response) => {
    const isScript = request.url === '/main.js'
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html; charset=utf-8')
    response.end(isScript ? script : blockOf('html'))
  })
  let script: Buffer

  before(async () => {
    const port = await freePort()
    const base = `http://127.0.0.1:${port}`
    await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve))
    appUrl = `http://127.0.0.1:${(app.address() as AddressInfo).port}/`
    script = await bundleForBrowsers(blockOf('ts').replace('https://api.example.com', base))
    issuer = await startIssuer(`${base}/auth/issuers/example/callback`, true)
    smtp = await startMailServer()
    running = await start(definitionWith(issuer.url), {
      environment: {
        PORT: String(port),
        BASE_URL: base,
        LOG_LEVEL: 'off',
        DATABASE_URL: 'sqlite::memory:',
        SMTP_URL: smtp.url,
        ALLOWED_ORIGINS: new URL(appUrl).origin,
        RETURN_URLS: appUrl,
        MAGIC_LINK_URL: `${appUrl}?link={token}`,
        LIMIT_LOGIN_PER_MINUTE: '0',
      },
    })
    browser = await launchChromium()
    context = await browser.newContext()
  })
  after(async () => {
    await browser?.close()
    await running?.stop()
    issuer?.close()
    smtp?.close()
    app.close().closeAllConnections()
  })
  const open = async (url = appUrl): Promise<Page> => {
    const page = await context.newPage()
    await page.goto(url)
    return page
  }
  const says = (page: Page, text: string) => page.locator('[role=status]', { hasText: text }).waitFor()
  const signUp = (address: string) =>
    fetch(`${running.url}/api/v1/users`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: address, password }),
    })

  test('a person signs in at the issuer, and stays signed in', async () => {
    const page = await open()
    await page.click('text=Sign in with Example')
    await page.fill('[name=login]', 'ada')
    await page.fill('[name=password]', 'any')
    await page.click('[type=submit]')
    await page.click('[type=submit]')
    await says(page, 'Signed in as ada@example.com')
    assert.equal(page.url(), appUrl)
    await page.reload()
    await says(page, 'Signed in as ada@example.com')
    await page.click('text=Sign out')
    await page.locator('#password').waitFor()
  })

  test('a magic link signs in the browser that requested it, and no other', async () => {
    await signUp('bob@example.com')
    const page = await open()
    await page.fill('#link [name=email]', 'bob@example.com')
    await page.click('text=Mail me a link')
    await says(page, 'a mail is on its way')
    const linkIn = () => smtp.to('bob@example.com').map(({ text }) => /http\S+link=\S+/.exec(text)?.[0])
    while (!linkIn().some((each) => each !== undefined)) await smtp.arrival()
    const link = linkIn().find((each) => each !== undefined)!
    const elsewhere = await browser.newContext()
    const other = await elsewhere.newPage()
    await other.goto(link)
    await says(other, 'Continue in the browser in which you began.')
    await elsewhere.close()
    await says(await open(link), 'Signed in as bob@example.com')
  })

  test('a password is changed after the present one is entered again', async () => {
    await signUp('eve@example.com')
    const own = await browser.newContext()
    const page = await own.newPage()
    await page.goto(appUrl)
    await page.fill('#password [name=email]', 'eve@example.com')
    await page.fill('#password [name=password]', 'not the password')
    await page.click('#password button')
    await says(page, 'The credentials are not valid.')
    await page.fill('#password [name=password]', password)
    await page.click('#password button')
    await says(page, 'Signed in as eve@example.com')
    await page.fill('[name=present]', password)
    await page.fill('[name=next]', 'another password of eve')
    await page.click('text=Change password')
    await says(page, 'The password is changed')
    await own.close()
  })
})
