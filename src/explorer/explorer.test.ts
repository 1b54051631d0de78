import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { fillDemo } from '../../reference/demo.ts'
import { api } from '../../reference/service.ts'
import { type Answer, type Client, createClient } from '../../test/support/client/http-client.ts'
import { dataKey } from '../../test/support/server/data-key.ts'
import { demoPassword, type StartedService, start } from '../index.ts'
import { demoLogins } from '../service/start/demo-examples.ts'
import { pageHtml } from './page.ts'

const browser = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8' }
const pages = ['/docs', '/docs/rest', '/graphql']
const memory = { PORT: '0', LOG_LEVEL: 'error', DATABASE_URL: 'sqlite::memory:', LIMIT_IP_PER_MINUTE: '0' }
const open = (path: string) => ({ headers: browser, line: `GET ${path}` })

describe('in development', () => {
  let service: StartedService
  let client: Client
  before(async () => {
    service = await start(api, { environment: memory, demo: fillDemo })
    client = createClient(service.url)
  })
  after(async () => {
    client.close()
    await service.stop()
  })
  const ask = (path: string): Promise<Answer> => client.send(open(path).line, open(path))

  /** Whatever this script imports, and what that imports in turn, is served as well. */
  async function requireModules(to: string, script: string): Promise<void> {
    for (const [, from] of script.matchAll(/^(?:import|export) .*from '(\.[^']+)'$/gm)) {
      const address = new URL(from!, `${service.url}${to}`).pathname
      const { status, text } = await client.send(`GET ${address}`)
      assert.equal(status, 200, address)
      assert.doesNotMatch(text, /^\s*(?:import|export) type /m)
      await requireModules(address, text)
    }
  }

  for (const path of pages) {
    test(`4.10.2 ${path} is a page with a policy of its own`, async () => {
      const { status, headers, text } = await ask(path)
      assert.deepEqual([status, headers['content-type']], [200, 'text/html; charset=utf-8'])
      const policy = headers['content-security-policy']!.toString()
      assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/)
      assert.doesNotMatch(policy, /unsafe|https?:|\*/)
      assert.equal(headers['x-frame-options'], 'DENY')
      // What the policy forbids would be left out without a word.
      assert.doesNotMatch(text, /<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/)
    })

    test(`everything that ${path} names is served from here`, async () => {
      const { text } = await ask(path)
      const references = Array.from(text.matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"]+)"/g), ([, to]) =>
        String(to),
      )
      const addresses = references.filter((to) => to !== 'data:,')
      assert.ok(addresses.length >= 3)
      for (const to of addresses) {
        assert.match(to, /^\/docs\/assets\/[\w.-]+$/)
        const { status, headers, text: body } = await client.send(`GET ${to}`)
        assert.equal(status, 200, to)
        assert.match(headers['content-type']!, to.endsWith('.css') ? /^text\/css;/ : /^text\/javascript;/)
        assert.ok(body.length > 100, to)
        await requireModules(to, body)
      }
    })

    test(`${path} offers the demo accounts`, async () => {
      const { text } = await ask(path)
      assert.match(text, /<option value="editor@example\.com">/)
      assert.match(text, new RegExp(`type="password"[^>]* value="${demoPassword}"`))
    })
  }

  test('a file is not sent again to a caller who has it', async () => {
    const line = 'GET /docs/assets/swagger-ui.css'
    const { headers } = await client.send(line)
    assert.equal(headers['cache-control'], 'public, max-age=3600')
    const again = await client.send(line, { headers: { 'If-None-Match': headers.etag! } })
    assert.deepEqual([again.status, again.text], [304, ''])
  })

  test('there are no other files', async () => {
    const others = [
      '',
      'x',
      'page.ts',
      'constructor',
      '../explorer.ts',
      '..%2fpage.ts',
      '%2e%2e/page.ts',
      'rest.js/',
      'rest%2ejs',
    ]
    for (const name of others) {
      const { status, body } = await client.send(`GET /docs/assets/${name}`)
      assert.deepEqual([status, body.error.code], [404, 'NOT_FOUND'], name)
    }
  })

  test('pages are read and nothing else', async () => {
    const allow = 'GET, HEAD, OPTIONS'
    for (const path of ['/docs', '/docs/assets/rest.js']) {
      const head = await client.send(`HEAD ${path}`)
      assert.deepEqual([head.status, head.text], [200, ''])
      const { status, headers } = await client.send(`OPTIONS ${path}`)
      assert.deepEqual([status, headers['allow']], [204, allow])
      const post = await client.send(`POST ${path}`, { body: {} })
      assert.deepEqual([post.status, post.headers['allow']], [405, allow])
    }
  })

  test('/graphql is itself for a client that accepts JSON as gladly (contract 7.3.6)', async () => {
    const query = `/graphql?query=${encodeURIComponent('{ __typename }')}`
    for (const accept of [
      '*/*',
      'application/json',
      'application/json, text/html',
      'text/html;q=0.5, */*',
      undefined,
    ]) {
      const headers = accept === undefined ? {} : { Accept: accept }
      const { body } = await client.send(`GET ${query}`, { headers })
      assert.deepEqual(body, { data: { __typename: 'Query' } }, String(accept))
    }
    const { body } = await client.send('POST /graphql', { headers: browser, body: { query: '{ __typename }' } })
    assert.deepEqual(body, { data: { __typename: 'Query' } })
  })
})

test('4.15.2 in production there are no pages', async () => {
  const production = { NODE_ENV: 'production', BASE_URL: 'https://api.example.com', HOST: '127.0.0.1' }
  const environment = { ...memory, ...production, DATA_KEY: dataKey }
  const service = await start(api, { environment })
  const client = createClient(service.url)
  try {
    for (const path of ['/docs', '/docs/assets/rest.js']) {
      const { status, body } = await client.send(`GET ${path}`, { headers: browser })
      assert.deepEqual([status, body.error.code], [404, 'NOT_FOUND'])
    }
    const { headers, body } = await client.send('GET /graphql?query={__typename}', { headers: browser })
    assert.match(headers['content-type']!, /^application\/json/)
    assert.deepEqual(body, { data: { __typename: 'Query' } })
  } finally {
    client.close()
    await service.stop()
  }
})

test('only addresses that are nobody’s are shown to everybody', () => {
  const logins = ['a@example.com', 'ada@lovelace.org', 'a@notexample.com', 'a@example.com.evil.org', 'b@example.org']
  assert.deepEqual(demoLogins(logins), ['a@example.com', 'b@example.org'])
})

test('what a page is given cannot become part of it', () => {
  const evil = `"><script>alert('&')</script>`
  const demo = { logins: [evil], password: evil }
  const dataset = { query: evil }
  const links = [{ to: evil, text: evil, isHere: false }]
  const html = pageHtml({
    basePath: '',
    refreshTokenIn: 'body',
    title: evil,
    styles: [],
    scripts: [],
    module: 'rest.js',
    dataset,
    links,
    demo,
  })
  assert.doesNotMatch(html, /<script>|alert\('/)
})
