// The front page: what it says is what the service does, and what it offers can be tried as it stands.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { demoPassword, type StartedService, start } from 'duet-api'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { fillDemo } from '../../reference/demo.ts'
import { api } from '../../reference/service.ts'
import { accessibilityProblems } from '../support/client/axe.ts'
import { chromiumMissing, launchChromium } from '../support/client/chromium.ts'
import { type Answer, type Client, createClient } from '../support/client/http-client.ts'
import { type Offer, offersIn, type Role, roles } from '../support/client/offer.ts'

describe('4.15.3 the front page', () => {
  let service: StartedService
  let client: Client
  let html: string
  let offers: readonly Offer[]
  const tokens = new Map<Role, string>()
  before(async () => {
    const limits = { LIMIT_IP_PER_MINUTE: '0', LIMIT_LOGIN_PER_MINUTE: '0', LIMIT_USER_PER_HOUR: '0' }
    service = await start(api, {
      environment: { PORT: '0', LOG_LEVEL: 'error', DATABASE_URL: 'sqlite::memory:', ...limits },
      demo: fillDemo,
    })
    client = createClient(service.url)
    for (const role of roles.slice(1)) {
      const body = { email: `${role.toLowerCase()}@example.com`, password: demoPassword }
      tokens.set(role, (await client.send('POST /auth/login', { body })).body.access_token)
    }
    html = (await client.send('GET /docs', { headers: { Accept: 'text/html' } })).text
    // What the clock alone does is called by no client.
    offers = offersIn(html).filter(({ name }) => name !== 'expire')
  })
  after(async () => {
    client?.close()
    await service?.stop()
  })

  const send = (line: string, role: Role, body: unknown): Promise<Answer> => {
    const token = tokens.get(role)
    const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` }
    return client.send(line, { headers, ...(body === null ? {} : { body: body as object }) })
  }

  test('names every resource, and an action only where it is served', async () => {
    assert.deepEqual([...new Set(offers.map(({ resource }) => resource))], [...new Set(Object.keys(api.resources))])
    assert.ok(offers.length > 30)
    for (const { resource, name, rest, graphql } of offers)
      assert.ok(rest !== null && graphql !== null, resource + name)
    assert.match(
      html,
      /<b>expire<\/b> by the clock only<[\s\S]{0,40}Expire an order. The clock makes it at createdAt plus 1 day\./,
    )
    assert.match(html, /<li><a href="#schedules">Schedules<\/a><\/li>/)
    assert.match(html, /<b>archive<\/b> every 1440 minutes; of missed ticks, the latest runs</)
  })

  test('reports who may never do something, whatever the record', async () => {
    for (const { name, resource, rights, rest } of offers)
      for (const role of roles) {
        if (rights[role] !== 'no') continue
        const { status } = await send(rest!.line, role, JSON.parse(rest!.body ?? 'null'))
        assert.equal(status, role === 'an anonymous caller' ? 401 : 403, `${role}: ${name} ${resource}`)
      }
  })

  test('reports who may do something with every record', async () => {
    for (const { name, resource, rights, rest } of offers)
      for (const role of ['an anonymous caller', 'VIEWER', 'EDITOR'] as const) {
        // What would change the data is tried by the next test.
        if (rights[role] !== 'yes' || !rest!.line.startsWith('GET')) continue
        assert.equal((await send(rest!.line, role, null)).status, 200, `${role}: ${name} ${resource}`)
      }
  })

  test('offers calls that an administrator can make as they stand', async () => {
    const isLast = ({ name }: Offer) => Number(name === 'delete')
    const answers: string[] = []
    for (const { rest } of offers.toSorted((one, other) => isLast(one) - isLast(other))) {
      const { status, body } = await send(rest!.line, 'ADMIN', JSON.parse(rest!.body ?? 'null'))
      answers.push(status < 300 ? 'done' : `${status} ${body.error.code}`)
      if (status >= 300) assert.ok([404, 409, 422].includes(status), `${rest!.line}: ${status} ${body.error.message}`)
    }
    const done = answers.filter((each) => each === 'done').length
    assert.ok(done / answers.length > 0.75, `${done} of ${answers.length}`)
  })

  test('offers operations of GraphQL that fit the schema', async () => {
    for (const { graphql } of offers) {
      const { body } = await send('POST /graphql', 'ADMIN', graphql)
      assert.ok('data' in body, `${graphql!.query}\n${JSON.stringify(body.errors)}`)
    }
  })

  test('explains a request to the caller who sends it, and nothing else', async () => {
    const why = (query: string, role: Role) => send(`GET /docs/why?${query}`, role, null)
    const { status, text, headers } = await why('method=POST&path=/api/v2/articles', 'VIEWER')
    assert.deepEqual(
      [status, headers['content-type'], headers['cache-control']],
      [200, 'text/plain; charset=utf-8', 'no-store'],
    )
    assert.match(text, /as usr_\w+ \(VIEWER\)[\s\S]*403 FORBIDDEN: VIEWER may not create articles/)
    assert.match((await why('method=POST&path=/api/v2/articles', 'an anonymous caller')).text, /401 UNAUTHENTICATED/)
    for (const query of ['', 'method=POST', 'method=post&path=/api/v2/articles', 'method=GET&path=/auth/login']) {
      const { body } = await why(query, 'ADMIN')
      assert.equal(body.error.code, 'VALIDATION_ERROR', query)
    }
    const headersOfNobody = { Authorization: 'Bearer x' }
    assert.equal(
      (await client.send('GET /docs/why?method=GET&path=/api/v2/users', { headers: headersOfNobody })).status,
      401,
    )
  })

  test('offers the demo accounts, and does not tell which of them are still there', async () => {
    const page = async () => (await client.send('GET /docs', { headers: { Accept: 'text/html' } })).text
    const [before, me] = [await page(), await send('GET /api/v2/users/me', 'VIEWER', null)]
    assert.match(before, /value="viewer@example.com"/)
    assert.equal((await send(`POST /api/v2/users/${me.body.data.id}/suspend`, 'ADMIN', null)).status, 200)
    assert.equal(await page(), before)
    assert.equal((await send(`POST /api/v2/users/${me.body.data.id}/reactivate`, 'ADMIN', null)).status, 200)
  })

  test('shows what code says in a definition as text', () => {
    assert.doesNotMatch(html, /<script(?![^>]* src=)|\son\w+=/)
  })

  describe('in a browser', { skip: chromiumMissing }, () => {
    let browser: Browser
    before(async () => {
      browser = await launchChromium()
    })
    after(() => browser?.close())

    async function open(options: BrowserContextOptions = {}): Promise<{ page: Page; problems: string[] }> {
      const problems: string[] = []
      const page = await (await browser.newContext(options)).newPage()
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) problems.push(message.text())
      })
      page.on('pageerror', (error) => problems.push(error.message))
      page.on('request', (request) => {
        if (!request.url().startsWith(service.url) && !request.url().startsWith('data:')) problems.push(request.url())
      })
      await page.goto(`${service.url}/docs`)
      return { page, problems }
    }

    test('a user signs in and tries a call by the keyboard alone', async () => {
      const { page, problems } = await open()
      await page.focus('#sign-in [name=email]')
      await page.keyboard.press('ControlOrMeta+A')
      await page.keyboard.type('viewer@example.com')
      await page.keyboard.press('Enter')
      await page.getByText('Signed in as viewer@example.com').waitFor()
      const action = page.locator('[aria-labelledby=posts] .action').first()
      await action.locator('summary').focus()
      await page.keyboard.press('Enter')
      await action.locator('button:text("Send")').focus()
      await page.keyboard.press('Enter')
      await action.locator('.answer', { hasText: '"data"' }).waitFor()
      assert.match(await action.locator('output').innerText(), /^200 in \d+ ms$/)
      assert.deepEqual(problems, [])
    })

    test('a refusal is shown with its code', async () => {
      const { page } = await open()
      const publish = page.locator('[aria-labelledby=articles] .action', { hasText: '/publish' })
      await publish.locator('summary').click()
      await publish.locator('button:text("Send")').click()
      await publish.locator('.answer', { hasText: 'UNAUTHENTICATED' }).waitFor()
    })

    test('why it was refused is one click away', async () => {
      const { page, problems } = await open()
      await page.fill('#sign-in [name=email]', 'viewer@example.com')
      await page.click('#sign-in button')
      await page.getByText('Signed in as viewer@example.com').waitFor()
      const publish = page.locator('[aria-labelledby=articles] .action', { hasText: '/publish' })
      await publish.locator('summary').click()
      await publish.locator('button:text("Send")').click()
      await publish.locator('button:text("Why?")').click()
      await publish.locator('.answer', { hasText: 'VIEWER may not publish articles' }).waitFor()
      // The browser tells of every refusal itself.
      assert.deepEqual(
        problems.filter((each) => !each.includes('403')),
        [],
      )
    })

    test('an operation opens in GraphiQL with its variables', async () => {
      const { page, problems } = await open()
      const read = page.locator('[aria-labelledby=products] .action').first()
      await read.locator('summary').click()
      await read.getByText('Open in GraphiQL').click()
      await page.click('.graphiql-execute-button')
      await page.locator('.result-window', { hasText: '"nodes"' }).waitFor()
      assert.deepEqual(problems, [])
    })

    for (const colorScheme of ['light', 'dark'] as const) {
      test(`holds to WCAG 2.2, levels A and AA, as far as axe can tell (${colorScheme})`, async () => {
        const { page } = await open({ colorScheme })
        await page.locator('[aria-labelledby=articles] .action').first().locator('summary').click()
        assert.deepEqual(await accessibilityProblems(page), [])
      })
    }

    test('is no wider than a telephone, also without scripts', async () => {
      const { page } = await open({ viewport: { width: 390, height: 844 }, javaScriptEnabled: false })
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390)
    })

    test('shows its diagrams whole, however wide the window is', async () => {
      for (const width of [1280, 1024]) {
        const { page } = await open({ viewport: { width, height: 800 } })
        const cut = `[...document.querySelectorAll('.picture')].filter((each) => each.scrollWidth > each.clientWidth).length`
        assert.equal(await page.evaluate(cut), 0, `${width}`)
      }
    })
  })
})
