// Refresh tokens in a cookie. (4.14)

import type { Answer } from '../../kit/answer.ts'
import type { Define } from '../../kit/clause.ts'
import type { Kit } from '../../kit/kit.ts'

const firstAccount = (kit: Kit) => Object.values(kit.profile.accounts)[0]!
const logIn = (kit: Kit): Promise<Answer> => kit.send('POST /auth/login', { body: firstAccount(kit) })
const cookieOf = ({ headers }: Answer): string => /refresh_token=[^;]*/.exec(headers['set-cookie'] ?? '')?.[0] ?? ''
const post = (kit: Kit, path: string, headers: Readonly<Record<string, string>>, text = '{}') =>
  kit.send(`POST ${path}`, { headers, text })

export function defineCookies(define: Define): void {
  define('4.14.1', ['cookie'], async ({ kit }) => {
    const answer = (await logIn(kit)).is(200)
    const parts = (answer.headers['set-cookie'] ?? '').split(/; */).slice(1)
    for (const part of ['HttpOnly', 'Secure', 'SameSite=Strict', 'Path=/auth', 'Max-Age=604800'])
      answer.require(parts.includes(part), `a cookie with ${part}`, answer.headers['set-cookie'] ?? 'no cookie')
    answer.has('refresh_token', answer.json.refresh_token, undefined)
  })

  define('4.14.2', ['cookie'], async ({ kit }) => {
    const answer = (await logIn(kit)).is(200)
    const token = cookieOf(answer).split('=')[1]!
    answer.require(token.length > 20 && !answer.text.includes(token), 'the token in the cookie alone', answer.text)
    const body = JSON.stringify({ refresh_token: token })
    const inBody = await post(kit, '/auth/refresh', { Origin: new URL(kit.profile.url).origin }, body)
    inBody.require(inBody.status >= 400, 'a refusal of a token in the body', String(inBody.status))
  })

  define('4.14.3', ['cookie'], async ({ kit }) => {
    const cookie = cookieOf((await logIn(kit)).is(200))
    ;(await post(kit, '/auth/refresh', { Cookie: cookie })).fails(403)
    ;(await post(kit, '/auth/refresh', { Cookie: cookie, Origin: 'https://origin.invalid' })).fails(403)
    ;(await post(kit, '/auth/logout', { Cookie: cookie, 'Sec-Fetch-Site': 'cross-site' })).fails(403)
    const form = { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'text/plain' }
    ;(await post(kit, '/auth/refresh', form)).fails(415)
    const answer = (await post(kit, '/auth/refresh', { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' })).is(200)
    const next = cookieOf(answer)
    answer.require(next !== '' && next !== cookie, 'a new cookie', next)
    ;(await post(kit, '/auth/logout', { Cookie: next, 'Sec-Fetch-Site': 'same-origin' })).is(200)
  })

  define('4.14.4', ['cookie', 'change'], async ({ kit, subject }) => {
    const cookie = cookieOf((await logIn(kit)).is(200))
    const headers = { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' }
    const answer = await post(kit, '/api/auth/refresh', headers)
    answer.require(answer.status >= 400, 'a refusal of the cookie', String(answer.status))
    ;(await kit.send(`PATCH ${subject.path}/x`, { headers, body: {} })).fails(401)
    const { account } = { account: firstAccount(kit) }
    const body = (await kit.send('POST /api/auth/login', { body: account })).is(200)
    body.has('Set-Cookie', body.headers['set-cookie'], undefined).matches('refresh_token', body.json.refresh_token, /./)
  })

  define('4.14.5', ['cookie', 'resource'], async ({ kit, subject }) => {
    const headers = { Origin: 'https://origin.invalid' }
    for (const target of [subject.path, '/auth/login']) {
      const answer = await kit.send(`OPTIONS ${target}`, {
        headers: { ...headers, 'Access-Control-Request-Method': 'POST' },
      })
      answer.has('credentials', answer.headers['access-control-allow-credentials'], undefined)
    }
  })
}
