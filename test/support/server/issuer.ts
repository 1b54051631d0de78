// A certified OpenID Connect provider in the test process, at which the test decides who signs in, and a browser for it.

import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { InteractionResults, Provider } from 'oidc-provider'
import { InMemoryProvider } from './oidc-provider.ts'
import type { TestService } from './service.ts'

/** Who signs in next, and what the issuer says about them; null: they refuse. */
export interface Person {
  readonly sub: string
  readonly claims?: Readonly<Record<string, unknown>>
  readonly amr?: readonly string[]
}
export interface TestIssuer {
  readonly url: string
  person: Person | null
  close(): void
}
export const client = { client_id: 'duet', client_secret: 'a secret of the client, long enough' }

/** `withForms`: its pages are for real browsers, whose login becomes the person. */
export async function startIssuer(redirectUri: string, withForms = false): Promise<TestIssuer> {
  let listener: (request: IncomingMessage, response: ServerResponse) => void
  const server = createServer((request, response) => listener(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const people = new Map<string, Person>()
  const issuer: TestIssuer = { url, person: null, close: () => void server.close().closeAllConnections() }
  const provider = new InMemoryProvider(url, {
    clients: [{ ...client, redirect_uris: [redirectUri] }],
    cookies: { keys: [randomBytes(16).toString('hex')] },
    pkce: { required: () => true },
    claims: { openid: ['sub', 'amr'], email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_, accountId) => ({
      accountId,
      claims: () => ({ ...defaultClaims(accountId), ...people.get(accountId)?.claims, sub: accountId }),
    }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    features: { devInteractions: { enabled: withForms } },
  })
  const answer = provider.callback()
  listener = (request, response) => {
    if (withForms || !request.url!.startsWith('/interaction/')) return void answer(request, response)
    const { person } = issuer
    if (person !== null) people.set(person.sub, person)
    void agree(provider, person, request, response)
  }
  return issuer
}
const defaultClaims = (id: string) => ({ email: `${id}@example.com`, email_verified: true, name: id })

/** The provider's login and consent, without pages. */
async function agree(provider: Provider, person: Person | null, request: IncomingMessage, response: ServerResponse) {
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response)
  const result = async (): Promise<InteractionResults> => {
    if (person === null) return { error: 'access_denied' }
    if (prompt.name === 'login')
      return { login: { accountId: person.sub, amr: [...(person.amr ?? [])], remember: false } }
    const grant =
      (grantId === undefined ? undefined : await provider.Grant.find(grantId)) ??
      new provider.Grant({ accountId: session!.accountId, clientId: String(params['client_id']) })
    grant.addOIDCScope('openid profile email')
    grant.addOIDCClaims(['email', 'email_verified', 'name'])
    return { consent: { grantId: await grant.save() } }
  }
  await provider.interactionFinished(request, response, await result(), { mergeWithLastSubmission: true })
}

export const makeVerifier = () => randomBytes(32).toString('base64url')
export const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')

/** A browser with cookies, for the service at this public address and for issuers; it follows redirects until it leaves both. */
export class TestBrowser {
  readonly cookies = new Map<string, string>()
  readonly #service: TestService
  readonly #base: string

  constructor(service: TestService, base: string) {
    this.#service = service
    this.#base = base
  }

  /** The status, text and `Location` of one request. */
  async get(
    url: string,
  ): Promise<{ readonly status: number; readonly text: string; readonly location: string | null }> {
    const { host } = new URL(url)
    const stored = [...this.cookies].filter(([key]) => key.startsWith(`${host} `))
    const cookie = stored.map(([key, value]) => `${key.slice(host.length + 1)}=${value}`).join('; ')
    const headers: Record<string, string> = cookie === '' ? {} : { cookie }
    if (!url.startsWith(this.#base)) {
      const answer = await fetch(url, { headers, redirect: 'manual' })
      this.#keep(host, answer.headers.getSetCookie())
      return { status: answer.status, text: await answer.text(), location: answer.headers.get('location') }
    }
    const {
      status,
      text,
      headers: sent,
    } = await this.#service.client.send(`GET ${url.slice(this.#base.length)}`, { headers })
    this.#keep(host, [sent['set-cookie'] ?? []].flat() as string[])
    return { status, text, location: (sent['location'] as string | undefined) ?? null }
  }

  /** Where it ends: the address of a client, or the address of a page with its text. */
  async follow(
    url: string,
    stop: (url: string) => boolean = () => false,
  ): Promise<{ readonly url: string; readonly text: string }> {
    let here = url
    for (let step = 0; step < 12; step++) {
      if (stop(here)) return { url: here, text: '' }
      const { location, text } = await this.get(here)
      if (location === null) return { url: here, text }
      here = new URL(location, here).href
    }
    throw new Error(`The browser is sent on and on, at last to ${here}`)
  }

  #keep(host: string, cookies: readonly string[]): void {
    for (const each of cookies) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(each)!
      if (value === '' || /max-age=0|expires=Thu, 01 Jan 1970/i.test(each)) this.cookies.delete(`${host} ${name}`)
      else this.cookies.set(`${host} ${name}`, value!)
    }
  }
}
