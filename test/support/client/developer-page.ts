// A page for developers in a browser, and everything that goes wrong in it.

import type { BrowserContext, Page } from 'playwright-core'

export interface OpenPage {
  readonly page: Page
  /** Errors and warnings, what the policy blocked, and requests to anywhere else. */
  readonly problems: string[]
}

/** Opens this path of the service. */
export async function openPage(context: BrowserContext, url: string, path: string): Promise<OpenPage> {
  const page = await context.newPage()
  const problems: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('requestfailed', (request) => {
    // Whoever leaves a page does not wait for what it asked.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED') problems.push(`${request.url()} failed`)
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:')) problems.push(request.url())
  })
  await page.goto(url + path)
  return { page, problems }
}

/** Signs in with a demo account, whose password is there already. */
export async function signIn(page: Page, email: string): Promise<void> {
  await page.fill('#sign-in [name=email]', email)
  await page.click('#sign-in button')
  await page.getByText(`Signed in as ${email}`).waitFor()
}

/** What each page is asked, and where it shows the e-mail address of whoever asks. */
export const asksWhoAmI: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  '/docs': async (page) => {
    const read = page.locator('[aria-labelledby=users] .action').first()
    if ((await read.getAttribute('open')) === null) await read.locator('summary').click()
    await read.locator('[name=path]').fill('/api/v2/users/me')
    await read.locator('button:text("Send")').click()
  },
  '/docs/rest': async (page) => {
    const operation = page.locator('#operations-users-getUser')
    if ((await operation.locator('button.execute').count()) === 0)
      await operation.locator('.opblock-summary-control').click()
    await operation.locator('input[placeholder="id"]').fill('me')
    await operation.locator('button.execute').click()
  },
  [`/graphql?query=${encodeURIComponent('{ me { email } }')}`]: (page) => page.click('.graphiql-execute-button'),
}
/** Where each of them shows what was answered. */
export const answersAt: Readonly<Record<string, string>> = {
  '/docs': '[aria-labelledby=users] .action .answer',
  '/docs/rest': '#operations-users-getUser .live-responses-table .response',
  '/graphql': '.result-window',
}
