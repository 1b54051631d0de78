// The pages for developers in a real browser: somebody signs in with a demo account and tries a call in each.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type StartedService, start } from 'duet-api'
import type { Browser, Page } from 'playwright-core'
import { fillDemo } from '../../reference/demo.ts'
import { api } from '../../reference/service.ts'
import { chromiumMissing, launchChromium } from '../support/client/chromium.ts'

describe('in a browser', { skip: chromiumMissing }, () => {
  let service: StartedService
  let browser: Browser
  /** How far the service's clock is ahead of the browser's. */
  let aheadMs = 0
  before(async () => {
    // More people sign in here than may in a minute.
    const limits = { LIMIT_IP_PER_MINUTE: '0', LIMIT_LOGIN_PER_MINUTE: '0' }
    // Its documents name another origin than its pages are read at.
    const environment = { PORT: '0', DATABASE_URL: 'sqlite::memory:', BASE_URL: 'http://api.example.test', ...limits }
    service = await start(api, { environment, demo: fillDemo, clock: () => new Date(Date.now() + aheadMs) })
    browser = await launchChromium()
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
  })

  /** A page, and everything that went wrong in it: errors, what the policy blocked, requests to anywhere else. */
  async function open(path: string): Promise<{ page: Page; problems: readonly string[] }> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    const problems: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text())
    })
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('requestfailed', (request) => {
      // Whoever leaves a page does not wait for what it asked.
      if (request.failure()?.errorText !== 'net::ERR_ABORTED') problems.push(`${request.url()} failed`)
    })
    page.on('request', (request) => {
      if (!request.url().startsWith(service.url) && !request.url().startsWith('data:')) problems.push(request.url())
    })
    await page.goto(service.url + path)
    await page.fill('#sign-in [name=email]', 'editor@example.com')
    await page.click('#sign-in button')
    await page.getByText('Signed in as editor@example.com').waitFor()
    return { page, problems }
  }

  test('somebody signs in at /docs/rest and tries a call', async () => {
    const { page, problems } = await open('/docs/rest')
    await tryMe(page)
    const answer = page.locator('#operations-users-getUser').locator('.live-responses-table .response')
    await answer.getByText('"editor@example.com"').waitFor()
    await page.click('nav a.version:text("v1")')
    await page.locator('.info .version', { hasText: 'v1' }).waitFor()
    assert.deepEqual(problems, [])
  })

  test('a list is executed as it is offered', async () => {
    const { page, problems } = await open('/docs/rest')
    const operation = page.locator('#operations-posts-listPosts')
    await operation.locator('.opblock-summary-control').click()
    await operation.locator('button.execute').click()
    await operation.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor()
    assert.deepEqual(problems, [])
  })

  test('somebody signs in at GraphiQL and asks', async () => {
    const { page, problems } = await open(`/graphql?query=${encodeURIComponent('{ me { email } }')}`)
    await page.click('.graphiql-execute-button')
    await page.locator('.result-window', { hasText: 'editor@example.com' }).waitFor()
    // The schema was asked for, and GraphiQL knows what there is.
    await page.click('button[aria-label="Show Documentation Explorer"]')
    await page.locator('.graphiql-doc-explorer', { hasText: 'Subscription' }).waitFor()
    assert.deepEqual(problems, [])
  })

  const over = 'The session has ended: sign in again.'
  const meQuery = `/graphql?query=${encodeURIComponent('{ me { email } }')}`

  test('whoever signed in at one page is signed in at the other, and after a reload', async () => {
    const { page, problems } = await open('/docs/rest')
    await page.click('nav a:text("GraphQL")')
    await page.getByText('Signed in as editor@example.com').waitFor()
    await page.goto(service.url + meQuery)
    await page.click('.graphiql-execute-button')
    await page.locator('.result-window', { hasText: 'editor@example.com' }).waitFor()
    await page.reload()
    await page.getByText('Signed in as editor@example.com').waitFor()
    await page.click('#sign-in button')
    await page.click('nav a:text("REST")')
    await page.locator('#sign-in button:text("Sign in")').waitFor()
    assert.equal(await page.locator('#sign-in output').textContent(), '')
    assert.deepEqual(problems, [])
  })

  test('nobody is said to be signed in whose token has ended', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.clock.install()
    await page.goto(`${service.url}/docs/rest`)
    await page.click('#sign-in button')
    await page.getByText('Signed in as admin@example.com').waitFor()
    await page.clock.fastForward('16:00')
    await page.getByText(over).waitFor()
    assert.equal(await page.locator('#sign-in button').textContent(), 'Sign in')
    await context.close()
  })

  for (const [path, ask] of [
    ['/docs/rest', tryMe],
    [meQuery, (page: Page) => page.click('.graphiql-execute-button')],
  ] as const) {
    test(`nor whom the service refuses, at ${path.split('?')[0]}`, async () => {
      const { page } = await open(path)
      aheadMs = 16 * 60_000
      try {
        await ask(page)
        await page.getByText(over).waitFor()
      } finally {
        aheadMs = 0
      }
    })
  }
})

async function tryMe(page: Page): Promise<void> {
  const operation = page.locator('#operations-users-getUser')
  await operation.locator('.opblock-summary-control').click()
  await operation.locator('input[placeholder="id"]').fill('me')
  await operation.locator('button.execute').click()
}
