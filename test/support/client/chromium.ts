// The browser of the tests, where it is installed.

import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** The headless shell has no windows to draw, and takes half of the processor time. */
const executablePath = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path))
/** For `{ skip }`: false where there is one, otherwise what to install. */
export const chromiumMissing: false | string =
  executablePath === undefined && 'Chromium is missing: install chromium-headless-shell to see this tested in a browser'

/** Headless, without requests of its own; its pages wait as long as a machine at work may need. */
export async function launchChromium(): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: executablePath!, args: quiet })
  const newContext = browser.newContext.bind(browser)
  browser.newContext = async (options) => {
    const context = await newContext(options)
    context.setDefaultTimeout(waitMsMax)
    return context
  }
  return browser
}
/** A page that takes a second on a quiet machine took over thirty beside five other test processes. */
const waitMsMax = 150_000
const quiet = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Pages are open for seconds: what the compiler saves takes longer to make.
  '--js-flags=--no-opt',
]
