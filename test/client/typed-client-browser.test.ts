// The typed client in a real browser: the same stories as in Node, and what only tabs can do to each other. (contract 3.5, 4.12, 6.3.3)

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { bundleForBrowsers } from '../support/client/bundle.ts'
import { chromiumMissing, launchChromium } from '../support/client/chromium.ts'
import type { Tab } from '../support/client/client-in-browser.ts'
import { endings, stories } from '../support/client/client-stories.ts'
import { openStage, type Stage } from '../support/server/replaceable-service.ts'

declare const tab: Tab
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe('the client in a browser', { skip: chromiumMissing }, () => {
  let stage: Stage
  let browser: Browser
  let context: BrowserContext
  before(async () => {
    const script = await bundleForBrowsers(
      `import '${join(import.meta.dirname, '../support/client/client-in-browser.ts')}'`,
    )
    stage = await openStage('sqlite', {
      '/': [
        'text/html',
        '<!doctype html><title>Tab</title><link rel="icon" href="data:,"><script type="module" src="/tab.js"></script>',
      ],
      '/tab.js': ['text/javascript', script.toString()],
    })
    browser = await launchChromium()
    context = await browser.newContext()
    const direct = (name: keyof typeof stage.director, args: readonly never[]) =>
      (stage.director[name] as (...args: readonly never[]) => Promise<unknown>)(...args)
    await context.exposeFunction('direct', direct)
  })
  after(async () => {
    await browser?.close()
    await stage?.stop()
  })

  async function openTab(): Promise<Page> {
    const page = await context.newPage()
    await page.goto(`${stage.url}/`)
    await page.waitForFunction('globalThis.tab !== undefined')
    return page
  }

  for (const name of Object.keys(stories) as (keyof typeof stories)[]) {
    test(name, async () => {
      const page = await openTab()
      assert.deepEqual(asJson(await page.evaluate((told) => tab.tell(told), name)), asJson(endings[name]))
      await page.close()
    })
  }

  for (const refreshTokenIn of ['body', 'cookie'] as const) {
    test(`two tabs need a token at once, and one gets it for both (refresh token in ${refreshTokenIn})`, async () => {
      const { director } = stage
      await director.restart({ REFRESH_TOKEN_IN: refreshTokenIn })
      const first = await openTab()
      assert.equal(await first.evaluate((said) => tab.open(said), refreshTokenIn), false)
      await first.evaluate((login) => tab.signIn(login), await director.account())
      const second = await openTab()
      assert.equal(await second.evaluate((said) => tab.open(said), refreshTokenIn), true)
      await director.advance(16 * 60_000)
      const before = await director.count('POST /auth/refresh')
      const called = await Promise.all([first, second].map((page) => page.evaluate(() => tab.call(25))))
      assert.deepEqual(called, [['read'], ['read']])
      const refreshes = (await director.count('POST /auth/refresh')) - before
      // A cookie leaves no trace of who was first but a message, which may come late; nothing is used twice all the same.
      assert.ok(refreshes === 1 || (refreshTokenIn === 'cookie' && refreshes === 2), `${refreshes} refreshes`)
      assert.equal(await director.securityEvents(), 0)
      await first.evaluate(() => tab.signOut())
      await second.waitForFunction('tab.signals().length > 0')
      assert.deepEqual(await second.evaluate(() => tab.signals()), ['SIGNED_OUT'])
      assert.deepEqual(await second.evaluate(() => tab.call(3)), ['UNAUTHENTICATED'])
      await first.close()
      await second.close()
      await director.restart()
    })
  }
})
