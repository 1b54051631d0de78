// The pages for developers in a real browser: somebody signs in with a demo account and tries a call in each.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type StartedService, start } from 'duet-api'
import type { Browser } from 'playwright-core'
import { fillDemo } from '../../reference/demo.ts'
import { api } from '../../reference/service.ts'
import { chromiumMissing, launchChromium } from '../support/client/chromium.ts'
import { answersAt, asksWhoAmI, type OpenPage, openPage, signIn } from '../support/client/developer-page.ts'

describe('in a browser', { skip: chromiumMissing }, () => {
  let service: StartedService
  let browser: Browser
  before(async () => {
    // More people sign in here than may in a minute.
    const limits = { LIMIT_IP_PER_MINUTE: '0', LIMIT_LOGIN_PER_MINUTE: '0' }
    // Its documents name another origin than its pages are read at.
    const environment = {
      PORT: '0',
      LOG_LEVEL: 'error',
      DATABASE_URL: 'sqlite::memory:',
      BASE_URL: 'http://api.example.test',
      ...limits,
    }
    service = await start(api, { environment, demo: fillDemo })
    browser = await launchChromium()
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
  })

  async function open(path: string): Promise<OpenPage> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    const opened = await openPage(context, service.url, path)
    await signIn(opened.page, 'editor@example.com')
    return opened
  }

  for (const [path, ask] of Object.entries(asksWhoAmI)) {
    const name = path.split('?')[0]!
    test(`a user signs in at ${name} and tries a call`, async () => {
      const { page, problems } = await open(path)
      await ask(page)
      await page.locator(answersAt[name]!, { hasText: 'editor@example.com' }).first().waitFor()
      assert.deepEqual(problems, [])
    })
  }

  test('/docs/rest shows another version', async () => {
    const { page, problems } = await open('/docs/rest')
    await page.click('nav a.version:text("v1")')
    await page.locator('.info .version', { hasText: 'v1' }).waitFor()
    assert.deepEqual(problems, [])
  })

  test('a list is executed as it is offered, and the curl command has the credential', async () => {
    const { page, problems } = await open('/docs/rest')
    const operation = page.locator('#operations-posts-listPosts')
    await operation.locator('.opblock-summary-control').click()
    await operation.locator('button.execute').click()
    await operation.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor()
    assert.match((await operation.locator('.curl').textContent())!, /Authorization: Bearer /)
    assert.deepEqual(problems, [])
  })

  test('a refusal is shown with its code, and signs no user out', async () => {
    const { page } = await open('/docs/rest')
    const operation = page.locator('#operations-users-deleteUser')
    await operation.locator('.opblock-summary-control').click()
    await operation.locator('button.execute').click()
    await operation.locator('.live-responses-table', { hasText: 'FORBIDDEN' }).waitFor()
    await page.getByText('Signed in as editor@example.com').waitFor()
  })

  test('GraphiQL knows the schema', async () => {
    const { page, problems } = await open('/graphql')
    await page.click('button[aria-label="Show Documentation Explorer"]')
    await page.locator('.graphiql-doc-explorer', { hasText: 'Subscription' }).waitFor()
    assert.deepEqual(problems, [])
  })
})
