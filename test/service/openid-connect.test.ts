// Persons of a certified OpenID Connect provider: discovery, authorization code with PKCE, access tokens, rotation of keys.

import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { provision, type TrustedIssuer } from 'duet-api'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import type { Provider } from 'oidc-provider'
import { User } from '../../reference/user.ts'
import { forEachEngine } from '../support/server/databases.ts'
import { InMemoryProvider } from '../support/server/oidc-provider.ts'
import { startTestService, type TestService } from '../support/server/service.ts'

const audience = 'https://api.example.com/'
const redirectUri = 'https://app.example.com/callback'

const makeKey = async (kid: string): Promise<JWK> => {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  return { ...(await exportJWK(privateKey)), kid, alg: 'ES256', use: 'sig' }
}

// One address, whose provider is replaced when its keys are.
let listener: ReturnType<Provider['callback']>
const server = createServer((request, response) => void listener(request, response))
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
after(() => server.close().closeAllConnections())
const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

function publish(keys: readonly JWK[]): void {
  const provider = new InMemoryProvider(issuer, {
    clients: [
      {
        client_id: 'app',
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code'],
        response_types: ['code'],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [...keys] },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    pkce: { required: () => true },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    extraTokenClaims: (_, token) =>
      'accountId' in token
        ? { name: `${token.accountId} of the provider`, email: `${token.accountId}@example.com`, email_verified: true }
        : {},
    features: {
      devInteractions: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: 'api',
          audience,
          accessTokenFormat: 'jwt',
          accessTokenTTL: 600,
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  })
  listener = provider.callback()
}

interface Discovery {
  readonly issuer: string
  readonly jwks_uri: string
  readonly authorization_endpoint: string
  readonly token_endpoint: string
}
const discover = async () => (await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()) as Discovery

/** Signs somebody in as a browser would, form by form, and exchanges the code. */
async function signIn(login: string): Promise<string> {
  const discovery = await discover()
  const verifier = randomBytes(32).toString('base64url')
  const cookies = new Map<string, string>()
  const browse = async (url: string, form?: Record<string, string>): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const body = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }
    const answer = await fetch(url, { ...body, headers: { cookie }, redirect: 'manual' })
    for (const each of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(each)!
      cookies.set(name!, value!)
    }
    return answer
  }
  const query = new URLSearchParams({
    client_id: 'app',
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'openid api',
    resource: audience,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  let answer = await browse(`${discovery.authorization_endpoint}?${query}`)
  for (let step = 0; step < 10; step += 1) {
    const location = answer.headers.get('location')
    if (location?.startsWith(redirectUri)) {
      const code = new URL(location).searchParams.get('code')
      assert(code !== null, location)
      return exchange(discovery.token_endpoint, code, verifier)
    }
    if (location !== null) answer = await browse(new URL(location, issuer).href)
    else {
      const page = await answer.text()
      const [, action] = /action="([^"]+)"/.exec(page) ?? assert.fail(page)
      const [, prompt] = /name="prompt" value="([^"]+)"/.exec(page) ?? assert.fail(page)
      answer = await browse(new URL(action!, issuer).href, { prompt: prompt!, login, password: 'any' })
    }
  }
  return assert.fail('the provider asks again and again')
}

async function exchange(endpoint: string, code: string, verifier: string): Promise<string> {
  const form = {
    grant_type: 'authorization_code',
    client_id: 'app',
    redirect_uri: redirectUri,
    code,
    code_verifier: verifier,
  }
  const answer = await fetch(endpoint, { method: 'POST', body: new URLSearchParams(form) })
  const tokens = (await answer.json()) as { readonly access_token?: string }
  return tokens.access_token ?? assert.fail(JSON.stringify(tokens))
}

forEachEngine((engine) => {
  test('persons of an OpenID Connect provider get accounts, and its keys rotate', async () => {
    const [first, second] = [await makeKey('first'), await makeKey('second')]
    publish([first])
    const { issuer: itself, jwks_uri: jwksUrl } = await discover()
    const trusted: TrustedIssuer = {
      issuer: itself,
      jwksUrl,
      audience,
      algorithms: ['ES256'],
      lifetimeSeconds: 600,
      actorFrom: provision(User, {
        account: ({ email, name, email_verified }) =>
          typeof email === 'string' && typeof name === 'string'
            ? { email, name, emailVerified: email_verified === true }
            : null,
      }),
    }
    const service = await startTestService(engine, { issuers: [trusted] })
    try {
      // The provider's clock is the real one.
      service.advance(Date.now() - service.now().getTime())
      const me = (token: string) => ask(service, token)
      const token = await signIn('ada')
      const account = await me(token)
      assert.deepEqual(
        [account.name, account.email, account.role],
        ['ada of the provider', 'ada@example.com', 'VIEWER'],
      )
      assert.equal((await me(token)).id, account.id)
      const again = await signIn('ada')
      assert.notEqual(again, token)
      assert.equal((await me(again)).id, account.id)
      assert.notEqual((await me(await signIn('bob'))).id, account.id)

      publish([second, first])
      service.advance(31_000)
      const rotated = await signIn('ada')
      assert.equal(JSON.parse(Buffer.from(rotated.split('.')[0]!, 'base64url').toString()).kid, 'second')
      assert.equal((await me(rotated)).id, account.id)
      service.assertLog()
    } finally {
      await service.stop()
    }
  })
})

async function ask(service: TestService, token: string) {
  const { status, body, text } = await service.send('GET /api/v2/users/me', {
    headers: { Authorization: `Bearer ${token}` },
  })
  assert.equal(status, 200, text)
  return body.data as { readonly id: string; readonly name: string; readonly email: string; readonly role: string }
}
