// Passkeys of Chromium's virtual authenticators: registered, used, lost and replaced at the reference service. (contract 5.15)

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type StartedService, start } from 'duet-api'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { fillDemo } from '../../reference/demo.ts'
import { api } from '../../reference/service.ts'
import { demoPassword } from '../../src/service/configuration/demo-password.ts'
import { bundleForBrowsers } from '../support/client/bundle.ts'
import { chromiumMissing, launchChromium } from '../support/client/chromium.ts'
import type { PasskeyPage } from '../support/client/passkeys-in-browser.ts'
import { freePort } from '../support/server/free-port.ts'

declare const client: PasskeyPage
const login = { email: 'editor@example.com', password: demoPassword }
const html =
  '<!doctype html><title>Passkeys</title><link rel="icon" href="data:,"><script type="module" src="/passkeys.js"></script>'

describe('passkeys in a browser', { skip: chromiumMissing }, () => {
  let service: StartedService
  let browser: Browser
  let page: Page
  let devices: CDPSession
  before(async () => {
    const limits = { LIMIT_IP_PER_MINUTE: '0', LIMIT_LOGIN_PER_MINUTE: '0' }
    // The origin of passkeys has the port.
    const environment = { PORT: String(await freePort()), LOG_LEVEL: 'off', DATABASE_URL: 'sqlite::memory:', ...limits }
    service = await start(api, { environment, demo: fillDemo })
    const script = await bundleForBrowsers(
      `import '${join(import.meta.dirname, '../support/client/passkeys-in-browser.ts')}'`,
    )
    browser = await launchChromium()
    const context = await browser.newContext()
    await context.route('**/passkeys.html', (route) => route.fulfill({ contentType: 'text/html', body: html }))
    await context.route('**/passkeys.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: script.toString() }),
    )
    page = await context.newPage()
    await page.goto(`http://localhost:${new URL(service.url).port}/passkeys.html`)
    await page.waitForFunction('globalThis.client !== undefined')
    devices = await context.newCDPSession(page)
    await devices.send('WebAuthn.enable')
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
  })

  async function addDevice(): Promise<string> {
    const options = {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    } as const
    const { authenticatorId } = await devices.send('WebAuthn.addVirtualAuthenticator', { options })
    return authenticatorId
  }
  const addPasskey = (name: string) => page.evaluate((its) => client.addPasskey({ name: its }), name)
  /** The login of the signed-in account, or why there is none. */
  const signIn = (by: typeof login | { passkey: true }) =>
    page.evaluate(async (sent) => {
      try {
        await client.signOut()
        await client.signIn(sent)
        const { email } = await client.users.get('me')
        return email
      } catch (error) {
        const { code, name } = error as { readonly code?: unknown; readonly name: string }
        return typeof code === 'string' ? code : name
      }
    }, by)

  test('a passkey is registered, used, lost and replaced', async () => {
    const lost = await addDevice()
    assert.equal(await signIn(login), login.email)
    const lostMethod = await addPasskey('Phone')
    assert.match(lostMethod, /^sim_/)
    assert.equal(await signIn({ passkey: true }), login.email)
    assert.equal(await signIn(login), 'SECOND_FACTOR_REQUIRED')

    // Another device, which does not have the passkey of the first.
    assert.equal(await signIn({ passkey: true }), login.email)
    const { credentials } = await devices.send('WebAuthn.getCredentials', { authenticatorId: lost })
    await devices.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId: lost })
    const spare = await addDevice()
    await addPasskey('Laptop')
    assert.equal(await signIn({ passkey: true }), login.email)

    const names = await page.evaluate(async (id) => {
      const methods: string[] = []
      for await (const { kind, name } of client.signInMethods.list()) methods.push(`${kind} ${name}`)
      await client.signInMethods.delete(id)
      return methods
    }, lostMethod)
    assert.deepEqual(names.toSorted(), ['passkey Laptop', 'passkey Phone'])
    await devices.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId: spare })

    const replacement = await addDevice()
    assert.match(await addPasskey('New phone'), /^sim_/)
    assert.equal(await signIn({ passkey: true }), login.email)
    await devices.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId: replacement })

    const found = await addDevice()
    for (const credential of credentials)
      await devices.send('WebAuthn.addCredential', { authenticatorId: found, credential })
    assert.equal(await signIn({ passkey: true }), 'INVALID_CREDENTIALS')
  })
})
