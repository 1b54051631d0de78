// The pages that are made of other people's packages, for whoever has a telephone, a keyboard alone, a screen reader or the dark.

import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { type StartedService, start } from 'duet-api'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { fillDemo } from '../../reference/demo.ts'
import { api } from '../../reference/service.ts'
import { accessibilityProblems } from '../support/client/axe.ts'
import { chromiumMissing, launchChromium } from '../support/client/chromium.ts'
import { openPage } from '../support/client/developer-page.ts'

/** What axe finds and we leave as it is. */
const exceptions: readonly (readonly [problem: RegExp, reason: string])[] = [
  [
    /^scrollable-region-focusable: <div class="CodeMirror-scroll"/,
    'The field of the editor within has the focus, and its keys scroll.',
  ],
]

/** Shows as much of each page as somebody sees who tries something. */
const uses: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  '/docs/rest': async (page) => {
    const [list, create] = [page.locator('#operations-posts-listPosts'), page.locator('#operations-posts-createPost')]
    for (const each of [list, create]) {
      await each.locator('.opblock-summary-control').click()
      await each.locator('button.execute').click()
      await each.locator('.live-responses-table').waitFor()
    }
  },
  '/graphql': async (page) => {
    await page.click('.graphiql-execute-button')
    await page.locator('.result-window', { hasText: '"nodes"' }).waitFor()
    await page.click('button[aria-label="Show Documentation Explorer"]')
    await page.locator('.graphiql-doc-explorer', { hasText: 'Subscription' }).waitFor()
  },
}
const settings = [
  { colorScheme: 'light', width: 1280, height: 900 },
  { colorScheme: 'dark', width: 390, height: 844 },
] as const

describe('pages for everybody', { skip: chromiumMissing }, () => {
  let service: StartedService
  let browser: Browser
  before(async () => {
    const limits = { LIMIT_IP_PER_MINUTE: '0', LIMIT_LOGIN_PER_MINUTE: '0' }
    const environment = { PORT: '0', LOG_LEVEL: 'error', DATABASE_URL: 'sqlite::memory:', ...limits }
    service = await start(api, { environment, demo: fillDemo })
    browser = await launchChromium()
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
  })

  for (const [path, use] of Object.entries(uses))
    describe(path, () => {
      let page: Page
      before(async () => {
        const opened = await openPage(await browser.newContext({ viewport: settings[0] }), service.url, path)
        page = opened.page
        await use(page).catch(async (cause) => {
          throw new Error(`${opened.problems.join('\n')}\n${await page.innerText('body')}`, { cause })
        })
      })
      after(() => page.context().close())

      for (const { colorScheme, ...viewport } of settings)
        test(`holds to WCAG 2.2, levels A and AA, as far as axe can tell (${colorScheme}, ${viewport.width} px)`, async () => {
          await page.emulateMedia({ colorScheme })
          await page.setViewportSize(viewport)
          const found = await accessibilityProblems(page)
          assert.deepEqual(
            found.filter((each) => !exceptions.some(([problem]) => problem.test(each))),
            [],
          )
          assert.ok(
            Number(await page.evaluate('document.documentElement.scrollWidth')) <= viewport.width,
            'no wider than the window',
          )
        })
    })

  describe('by the keyboard alone', () => {
    let context: BrowserContext
    beforeEach(async () => {
      context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    })
    afterEach(() => context.close())

    /** From here on with Tab until something has the focus that this selector names. */
    async function tabTo(page: Page, selector: string): Promise<void> {
      for (let presses = 0; presses < 60; presses++) {
        await page.keyboard.press('Tab')
        if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return
      }
      assert.fail(`no Tab leads to ${selector}`)
    }
    async function signInByKeys(page: Page): Promise<void> {
      await tabTo(page, '[name=password]')
      await page.keyboard.press('Enter')
      await page.getByText('Signed in as admin@example.com').waitFor()
    }

    test('a user signs in at /docs/rest, opens an operation and executes it', async () => {
      const { page, problems } = await openPage(context, service.url, '/docs/rest')
      const list = '#operations-users-listUsers'
      await page.locator(list).waitFor()
      await signInByKeys(page)
      await tabTo(page, `${list} .opblock-summary-control`)
      await page.keyboard.press('Enter')
      await page.locator(`${list} button.execute`).waitFor()
      await tabTo(page, `${list} button.execute`)
      await page.keyboard.press('Enter')
      await page.locator(`${list} .live-responses-table .response-col_status`, { hasText: '200' }).waitFor()
      assert.deepEqual(problems, [])
    })

    test('a user signs in at GraphiQL, writes an operation and runs it, and leaves the editor again', async () => {
      const { page, problems } = await openPage(context, service.url, '/graphql')
      await page.locator('.graphiql-execute-button').waitFor()
      await signInByKeys(page)
      await tabTo(page, '[aria-label=Operation]')
      await page.keyboard.press('ControlOrMeta+A')
      await page.keyboard.insertText('{ me { email } }')
      await page.keyboard.press('ControlOrMeta+Enter')
      await page.locator('.result-window', { hasText: 'admin@example.com' }).waitFor()
      await tabTo(page, '.graphiql-execute-button')
      await tabTo(page, '[aria-label=Answer]')
      assert.deepEqual(problems, [])
    })
  })
})
