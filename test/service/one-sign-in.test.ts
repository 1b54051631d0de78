// One sign-in for all pages for developers: it renews itself, lasts from page to page and in every tab, and says when it has ended.

import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { type StartedService, start } from 'duet-api'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { fillDemo } from '../../reference/demo.ts'
import { api } from '../../reference/service.ts'
import { chromiumMissing, launchChromium } from '../support/client/chromium.ts'
import { answersAt, asksWhoAmI, openPage, signIn } from '../support/client/developer-page.ts'
import { type Client, createClient } from '../support/client/http-client.ts'

const viewer = 'viewer@example.com'
const signedIn = `Signed in as ${viewer}`
const over = 'The session has ended: sign in again.'
const minute = 60_000
const day = 24 * 60 * minute

for (const refreshTokenIn of ['body', 'cookie'] as const) {
  describe(`4.15.5 with the refresh token in the ${refreshTokenIn}`, { skip: chromiumMissing }, () => {
    let service: StartedService
    let client: Client
    let browser: Browser
    let context: BrowserContext
    /** How far the service's clock is ahead of the browser's. */
    let aheadMs = 0
    before(async () => {
      const limits = { LIMIT_IP_PER_MINUTE: '0', LIMIT_LOGIN_PER_MINUTE: '0' }
      const environment = {
        PORT: '0',
        LOG_LEVEL: 'error',
        DATABASE_URL: 'sqlite::memory:',
        REFRESH_TOKEN_IN: refreshTokenIn,
        ...limits,
      }
      service = await start(api, { environment, demo: fillDemo, clock: () => new Date(Date.now() + aheadMs) })
      client = createClient(service.url)
      browser = await launchChromium()
    })
    after(async () => {
      client?.close()
      await browser?.close()
      await service?.stop()
    })
    beforeEach(async () => {
      context = await browser.newContext()
    })
    afterEach(async () => {
      aheadMs = 0
      await context.close()
    })
    const open = async (path: string): Promise<Page> => (await openPage(context, service.url, path)).page
    const shown = (page: Page, text: string) => page.locator('#sign-in output', { hasText: text }).waitFor()
    const isSignedOut = (page: Page) => page.locator('#sign-in button:text("Sign in")').waitFor()

    test('a user who signed in at one page is signed in at the others, after a reload and in another tab', async () => {
      const { page, problems } = await openPage(context, service.url, '/docs')
      const other = await open('/docs')
      await signIn(page, viewer)
      await shown(other, signedIn)
      for (const text of ['REST', 'GraphQL', 'Overview']) {
        await page.click(`nav a:text("${text}")`)
        await shown(page, signedIn)
      }
      await page.reload()
      await shown(page, signedIn)
      assert.deepEqual(problems, [])
    })

    test('a caller who signs out in one tab is signed out in all, and at the service', async () => {
      const [page, other] = [await open('/docs'), await open('/docs')]
      await signIn(page, viewer)
      await shown(other, signedIn)
      const logout = page.waitForResponse(`${service.url}/auth/logout`)
      await page.click('#sign-in button')
      assert.equal((await logout).status(), 200)
      await shown(other, 'Signed out in another tab.')
      await isSignedOut(page)
      assert.equal(await page.locator('#sign-in output').textContent(), '')
      await page.click('nav a:text("REST")')
      await isSignedOut(page)
    })

    // What the pages do with a session does not depend on where the refresh token is.
    const pages = Object.entries(asksWhoAmI).slice(0, refreshTokenIn === 'body' ? undefined : 1)
    for (const [path, ask] of pages) {
      const name = path.split('?')[0]!
      test(`at ${name} a token that the service refuses is renewed, and the call made again`, async () => {
        const page = await open(path)
        await signIn(page, viewer)
        aheadMs = 16 * minute
        await ask(page)
        await page.locator(answersAt[name]!, { hasText: viewer }).first().waitFor()
        await shown(page, signedIn)
      })

      test(`${name} says that the session has ended`, async () => {
        const page = await open(path)
        await signIn(page, viewer)
        aheadMs = 8 * day
        await ask(page)
        await shown(page, over)
        await isSignedOut(page)
      })
    }

    test('a token is renewed before it ends by the clock', async () => {
      const page = await context.newPage()
      await page.clock.install()
      await page.goto(`${service.url}/docs`)
      await signIn(page, viewer)
      await page.clock.fastForward('16:00')
      const renewal = page.waitForResponse(`${service.url}/auth/refresh`)
      await asksWhoAmI['/docs']!(page)
      assert.equal((await renewal).status(), 200)
      await page.locator(answersAt['/docs']!, { hasText: viewer }).waitFor()
    })

    test('a wrong password is said', async () => {
      const page = await open('/docs')
      await page.fill('#sign-in [name=password]', 'not the password')
      await page.click('#sign-in button')
      await shown(page, 'The credentials are not valid.')
    })

    test('no storage holds more than it has to', async () => {
      const page = await open('/docs')
      await signIn(page, viewer)
      const stored = JSON.stringify(await page.evaluate('[localStorage, sessionStorage]'))
      const [names] = [Array.from(stored.matchAll(/\\"(\w*token\w*)\\":/gi), ([, key]) => key)]
      assert.deepEqual(names, refreshTokenIn === 'cookie' ? [] : ['tokens', 'accessToken', 'refreshToken'])
    })

    if (refreshTokenIn === 'cookie') return

    test('a refresh token that another user has used is reported', async () => {
      const page = await open('/docs')
      await signIn(page, viewer)
      const stored = (await page.evaluate('localStorage["duet-explorer"]')) as string
      const body = { refresh_token: JSON.parse(stored).tokens.refreshToken }
      assert.equal((await client.send('POST /auth/refresh', { body })).status, 200)
      aheadMs = 16 * minute
      await asksWhoAmI['/docs']!(page)
      await shown(page, 'its refresh token was used twice')
    })

    test('where there are no locks between tabs, a session is that of its tab', async () => {
      await context.addInitScript('Object.defineProperty(Navigator.prototype, "locks", { value: undefined })')
      const page = await open('/docs')
      await signIn(page, viewer)
      await page.click('nav a:text("REST")')
      await shown(page, signedIn)
      await isSignedOut(await open('/docs'))
    })
  })
}
