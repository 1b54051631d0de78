// The browser of the tests, where it is installed.

import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const executablePath = '/usr/bin/chromium'
/** For `{ skip }`: false where there is one, otherwise what to install. */
export const chromiumMissing: false | string =
  !existsSync(executablePath) && `${executablePath} is missing: install Chromium to see this tested in a browser`

/** Headless, and silent: it asks nobody for anything of its own. */
export const launchChromium = (): Promise<Browser> => chromium.launch({ executablePath, args: quiet })
const quiet = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
