// What the front page offers beside actions, and for whom its examples are: of a project with tenants, as `duet new` makes it.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { anyone, demoPassword, integer, route, type StartedService, start, text } from 'duet-api'
import { api as reference } from '../../reference/service.ts'
import { fillDemo } from '../../template/tenants/demo.ts'
import { api } from '../../template/tenants/service.ts'
import { type Client, createClient } from '../support/client/http-client.ts'

const environment = {
  PORT: '0',
  LOG_LEVEL: 'error',
  DATABASE_URL: 'sqlite::memory:',
  DEMO_DATA: 'on',
  LIMIT_IP_PER_MINUTE: '0',
  LIMIT_USER_PER_HOUR: '0',
}
const plain = (html: string) => html.replaceAll(/&#(\d+);/g, (_, unit: string) => String.fromCharCode(Number(unit)))

/** Serves it, and reads its front page. */
async function open(service: StartedService): Promise<{ readonly client: Client; readonly html: string }> {
  const client = createClient(service.url)
  return { client, html: (await client.send('GET /docs', { headers: { Accept: 'text/html' } })).text }
}

describe('the front page of tenants', () => {
  let service: StartedService
  let page: Awaited<ReturnType<typeof open>>
  before(async () => {
    service = await start(api, { demo: fillDemo, environment })
    page = await open(service)
  })
  after(async () => {
    page?.client.close()
    await service?.stop()
  })

  test('4.15.3, 4.15.8 its calls are of the tenant of an owner, who may make them', async () => {
    const { client, html } = page
    const login = { email: 'ada@example.com', password: demoPassword }
    const { body: tokens } = await client.send('POST /auth/login', { body: login })
    const headers = { Authorization: `Bearer ${tokens.access_token}` }
    const calls = Array.from(html.matchAll(/data-method="(\w+)">([\s\S]*?)<\/form>/g), ([, method, form]) => ({
      line: `${method} ${plain(/name="path" value="([^"]*)"/.exec(form!)![1]!)}`,
      body: /<textarea[^>]*>([\s\S]*?)<\/textarea>/.exec(form!)?.[1],
    }))
    assert.ok(calls.length > 20)
    const isLast = ({ line }: (typeof calls)[number]) => Number(line.startsWith('DELETE'))
    const refused: string[] = []
    for (const { line, body } of calls.toSorted((one, other) => isLast(one) - isLast(other))) {
      const sent = body === undefined ? {} : { body: JSON.parse(plain(body)) as object }
      const { status } = await client.send(line, { headers, ...sent })
      if (status >= 400) refused.push(`${status} ${line.replace(/_[0-9A-Z]{26}/g, '')}`)
    }
    // What only the service's own roles may, and what the demo data has none of.
    const foreseen = /suspend|reactivate|invitations|reopen|DELETE/
    assert.deepEqual(
      refused.filter((each) => !foreseen.test(each)),
      [],
    )
  })

  test('4.15.3 it is named after what it is about, if its author reveals nothing', () => {
    assert.match(page.html, /<h1>Users, organizations, memberships and more<\/h1>/)
  })
})

describe('the front page of a service with more than actions', () => {
  const greet = route('GET', '/api/v2/greetings/{name}', {
    summary: 'Greet somebody',
    field: 'greeting',
    access: anyone,
    params: { name: text({ max: 20 }) },
    query: { times: integer({ min: 1, max: 3 }) },
    answer: { text: text({ max: 100 }) },
    handle: async ({ params }) => ({ text: `Hello ${params.name}` }),
  })
  let service: StartedService
  let page: Awaited<ReturnType<typeof open>>
  before(async () => {
    service = await start({ ...reference, routes: [greet] } as typeof reference, {
      environment,
      info: { title: 'Own title' },
    })
    page = await open(service)
  })
  after(async () => {
    page?.client.close()
    await service?.stop()
  })

  test('4.15.3 it has searches, summaries and the author’s own addresses, each with a call', async () => {
    const { client, html } = page
    assert.match(html, /<h1>Own title<\/h1>/)
    const paths = Array.from(html.matchAll(/name="path" value="([^"]*)"/g), ([, path]) => plain(path!))
    for (const form of [/^\/api\/v2\/orders\/summary\?group_by=status$/, /^\/api\/v2\/greetings\/[^{?]+\?times=\d$/])
      assert.ok(
        paths.some((path) => form.test(path)),
        String(form),
      )
    const own = paths.find((path) => path.includes('/greetings/'))!
    assert.equal((await client.send(`GET ${own}`)).status, 200)
    const [, shown] = /<pre tabindex="0">(query Greeting[^<]*)<\/pre>/.exec(html)!
    const [query, variables] = plain(shown!).split('# variables')
    const { body } = await client.send('POST /graphql', { body: { query, variables: JSON.parse(variables!) } })
    assert.match(body.data.greeting.text, /^Hello /)
    assert.equal((await client.send('GET /api/v2/products/summary?group_by=category')).status, 200)
    assert.match(html, /<a href="#routes">Routes<\/a>/)
  })

  test('4.15.3, 4.15.7 it says that hidden values are shown, and so does what explains a request', async () => {
    assert.match(page.html, /Only in development\. .+ values of the record that its reader may not see/)
    const { text: answer } = await page.client.send('GET /docs/why?method=GET&path=/api/v2/posts')
    assert.match(answer, /^Only in development: this shows values of the record that its reader may not see\.\n/)
  })
})
