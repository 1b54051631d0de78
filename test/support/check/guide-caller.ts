// Sends the requests of a guide as its readers would, and compares what comes back with what the guide shows.

import assert from 'node:assert/strict'
import { demoPassword } from '../../../src/index.ts'
import { type Answer, createClient } from '../client/http-client.ts'
import { assertLike, type Step } from './guide.ts'

export type Question = Step & { readonly is: 'request' | 'query' }

export interface GuideCaller {
  /** Sends the question of a step; fails unless the answer is the one that the guide shows. */
  ask(step: Question): Promise<void>
  /** `crs_…` becomes the last id of that prefix, `{{ada}}` a token of ada@example.com, `{{etag}}` and `{{cursor}}` the last ones. */
  fill<T>(value: T): Promise<T>
  /** Another process has started: its tokens are others. */
  forgetTokens(): void
  /** The database is another one. */
  forgetPasswords(): void
}

/** Whoever signs up by the guide keeps that password; everybody else is of the demo data. */
export function createGuideCaller(url: () => Promise<string>): GuideCaller {
  const ids = new Map<string, string>()
  const passwords = new Map<string, string>()
  const tokens = new Map<string, string>()
  const last = new Map<string, string>()

  async function send(line: string, headers: Readonly<Record<string, string>>, body: string): Promise<Answer> {
    const client = createClient(await url())
    const answer = await client.send(line, { headers, ...(body === '' ? {} : { body }) })
    client.close()
    return answer
  }

  function learn(path: string, body: string, answer: Answer): void {
    for (const [id, prefix] of answer.text.matchAll(/\b([a-z]+)_[0-9A-Z]{26}\b/g)) ids.set(prefix!, id)
    if (answer.headers.etag !== undefined) last.set('etag', answer.headers.etag)
    const cursor = answer.body?.meta?.next_cursor
    if (typeof cursor === 'string') last.set('cursor', cursor)
    const { access_token: access, refresh_token: refresh } = answer.body ?? {}
    if (typeof access === 'string') last.set('access_token', access)
    if (typeof refresh === 'string') last.set('refresh_token', refresh)
    if (/^\/api\/v\d+\/users$/.test(path) && answer.status === 201) {
      const { email, password } = JSON.parse(body)
      passwords.set(email.toLowerCase(), password)
    }
  }

  async function fill<T>(value: T): Promise<T> {
    let text = JSON.stringify(value)
    for (const [found, prefix] of text.matchAll(/\b([a-z]+)_…/g)) {
      const id = ids.get(prefix!)
      assert.ok(id !== undefined, `${found} stands for an id that was answered before`)
      text = text.replace(found, id)
    }
    for (const [found, name] of text.matchAll(/\{\{(\w+)\}\}/g)) {
      const filling = last.get(name!) ?? (await tokenOf(name!))
      text = text.replace(found, JSON.stringify(filling).slice(1, -1))
    }
    return JSON.parse(text)
  }

  async function tokenOf(name: string): Promise<string> {
    const earlier = tokens.get(name)
    if (earlier !== undefined) return earlier
    const email = `${name}@example.com`
    const sent = JSON.stringify({ email, password: passwords.get(email) ?? demoPassword })
    const { status, text, body } = await send('POST /auth/login', {}, sent)
    assert.equal(status, 200, text)
    tokens.set(name, body.access_token)
    return body.access_token
  }

  async function askInRest({ method, path, headers, body, answer }: Step & { is: 'request' }): Promise<void> {
    const filled = await fill({ path, headers, body })
    const actual = await send(`${method} ${filled.path}`, filled.headers, filled.body)
    learn(path, filled.body, actual)
    assert.ok(answer.first.startsWith(`HTTP/1.1 ${actual.status} `), `${actual.status}: ${actual.text}`)
    for (const [name, value] of Object.entries(answer.headers))
      assertLike(actual.headers[name.toLowerCase()], value, name)
    if (answer.body === '') assert.equal(actual.text, '')
    else assertLike(actual.body, JSON.parse(answer.body), actual.text)
  }

  async function askInGraphql({ as, text, answer }: Step & { is: 'query' }): Promise<void> {
    const headers = await fill(as === null ? {} : { Authorization: `Bearer {{${as}}}` })
    const body = await fill(JSON.stringify({ query: text }))
    const actual = await send('POST /graphql', { ...headers, 'Content-Type': 'application/json' }, body)
    learn('/graphql', body, actual)
    assertLike(actual.body, JSON.parse(answer), actual.text)
  }

  return {
    ask: (step) => (step.is === 'request' ? askInRest(step) : askInGraphql(step)),
    fill,
    forgetTokens: () => tokens.clear(),
    forgetPasswords: () => passwords.clear(),
  }
}
