// Signing in, tokens, sessions. (4.12, 3.5, 3.6, 5.1, 5.2)

import type { Answer } from '../../kit/answer.ts'
import type { Define } from '../../kit/clause.ts'
import type { Kit } from '../../kit/kit.ts'

const firstAccount = (kit: Kit): string => Object.keys(kit.profile.accounts)[0]!
const refresh = (kit: Kit, token: unknown): Promise<Answer> =>
  kit.send(`POST ${kit.auth}/refresh`, { body: { refresh_token: token } })

export function defineSignIn(define: Define): void {
  defineEndpoints(define)
  defineTokens(define)
}

function defineEndpoints(define: Define): void {
  define('4.12.1', ['signIn', 'resource'], async ({ kit }) => {
    const answer = (await kit.signIn(firstAccount(kit))).is(200)
    const members = Object.keys(answer.json).toSorted()
    answer.has('the members', members, ['access_token', 'expires_in', 'refresh_token', 'token_type'])
    answer.has('token_type', answer.json.token_type, 'Bearer')
  })

  define('4.12.2', ['signIn', 'resource'], async ({ kit }) => {
    const { email, password } = kit.profile.accounts[firstAccount(kit)]!
    ;(await kit.send('POST /api/auth/login', { body: { email, password } })).is(200)
  })

  define('4.12.4', ['signIn', 'resource'], async ({ kit }) => {
    const { email } = kit.profile.accounts[firstAccount(kit)]!
    const wrong = await kit.send(`POST ${kit.auth}/login`, { body: { email, password: 'not the password' } })
    const unknown = await kit.send(`POST ${kit.auth}/login`, {
      body: { email: `${kit.unique()}@${kit.run}.example`, password: 'not the password' },
    })
    wrong.fails(401, 'INVALID_CREDENTIALS')
    unknown.fails(401, 'INVALID_CREDENTIALS').has('body', unknown.json, wrong.json)
  })

  define('4.12.6', ['signIn', 'resource'], async ({ kit }) => {
    for (const body of [
      {},
      { email: 'x' },
      { email: 1, password: 1 },
      { email: 'a@b.example', password: 'x', more: 1 },
    ])
      (await kit.send(`POST ${kit.auth}/login`, { body })).fails(400, 'VALIDATION_ERROR')
    ;(await kit.send(`POST ${kit.auth}/login`, { text: '{' })).fails(400)
    ;(await kit.send(`POST ${kit.auth}/login`, { text: 'x', headers: { 'Content-Type': 'text/plain' } })).fails(415)
    const large = JSON.stringify({ email: 'x'.repeat(17 * 1024), password: 'x' })
    ;(await kit.send(`POST ${kit.auth}/login`, { text: large })).fails(413, 'PAYLOAD_TOO_LARGE')
  })

  define('4.12.7', ['signIn', 'resource'], async ({ kit }) => {
    ;(await kit.send(`GET ${kit.auth}/login`)).fails(405, 'METHOD_NOT_ALLOWED')
    ;(await kit.send(`POST ${kit.auth}/no-such-endpoint`, { body: {} })).fails(404)
  })

  define('4.12.8', ['signIn', 'change'], async ({ kit, subject }) => {
    const token = await kit.token(subject.creator)
    ;(await kit.send(`GET ${subject.path}?access_token=${token}`)).is(400, 401)
    for (const headers of [{ Cookie: `access_token=${token}` }, { Authorization: `Basic ${token}` }])
      (await kit.send(`PATCH ${subject.path}/x`, { headers, body: {} })).fails(401)
  })

  define('4.13.1', ['signIn', 'resource'], async ({ kit }) => {
    const email = `${kit.unique()}@${kit.run}.example`
    ;(await kit.send(`POST ${kit.auth}/forgot-password`, { body: { email } })).is(202)
  })

  define('4.13.3', ['signIn', 'resource'], async ({ kit }) => {
    const body = { token: `prt_${'x'.repeat(43)}`, password: 'a new password' }
    ;(await kit.send(`POST ${kit.auth}/reset-password`, { body })).fails(401)
  })

  define('4.13.2', ['signIn', 'resource'], async ({ kit }) => {
    for (const password of ['short', 'x'.repeat(201)])
      (await kit.send(`POST ${kit.auth}/reset-password`, { body: { token: `prt_${'x'.repeat(43)}`, password } })).fails(
        400,
      )
  })

  define('3.5.1', ['signIn', 'resource'], async ({ kit }) => {
    const first = (await kit.signIn(firstAccount(kit))).is(200).json.refresh_token
    const second = (await refresh(kit, first)).is(200).json.refresh_token
    // Logout of a used token ends its session, so that no other session of the account is lost.
    ;(await kit.send(`POST ${kit.auth}/logout`, { body: { refresh_token: first } })).is(200)
    ;(await refresh(kit, second)).fails(401, 'INVALID_TOKEN')
  })

  define('4.12.3', ['signIn', 'resource'], async ({ kit }) => {
    for (const token of [`rt_${'x'.repeat(43)}`, 'unknown']) {
      const answer = await kit.send(`POST ${kit.auth}/logout`, { body: { refresh_token: token } })
      answer.is(200, 400)
      if (answer.status === 200) answer.has('body', answer.json, {})
    }
  })

  define('3.5.5', ['signIn', 'resource'], async ({ kit }) => {
    ;(await refresh(kit, `rt_${'x'.repeat(43)}`)).is(400, 401)
    const token = (await kit.signIn(firstAccount(kit))).is(200).json.refresh_token
    ;(await kit.send(`POST ${kit.auth}/logout`, { body: { refresh_token: token } })).is(200)
    ;(await refresh(kit, token)).fails(401, 'INVALID_TOKEN')
  })

  define('3.5.4', ['signIn', 'resource'], async ({ kit, subject }) => {
    const { access_token, refresh_token } = (await kit.signIn(firstAccount(kit))).is(200).json
    ;(await kit.send(`POST ${kit.auth}/logout`, { body: { refresh_token } })).is(200)
    const headers = { Authorization: `Bearer ${access_token}` }
    ;(await kit.send(`GET ${subject.path}`, { headers })).is(200)
  })

  define('3.6.1', ['signIn', 'sessions'], async ({ kit }) => {
    const account = firstAccount(kit)
    const answer = await kit.send(`GET /api/${kit.version}/${kit.profile.sessions!.path}?limit=1`, { as: account })
    for (const name of ['user_id', 'last_used_at', 'user_agent', 'ip'])
      answer.is(200).require(Object.hasOwn(answer.data[0] ?? {}, name), name, 'nothing')
    answer.require(!answer.text.includes('refresh_token'), 'no refresh token', answer.text)
  })

  define('3.6.2', ['signIn', 'sessions'], async ({ kit, subject }) => {
    const account = firstAccount(kit)
    const agent = kit.unique()
    const { access_token, refresh_token } = (await kit.signIn(account, { 'User-Agent': agent })).is(200).json
    const mine = { Authorization: `Bearer ${access_token}` }
    const path = `/api/${kit.version}/${kit.profile.sessions!.path}`
    const sessions = (await kit.send(`GET ${path}?limit=100`, { headers: mine })).is(200)
    const session = sessions.data.find((each: { user_agent: string }) => each.user_agent === agent)
    sessions.require(session !== undefined, `a session of ${agent}`, 'none')
    const others = Object.keys(kit.profile.accounts).filter((name) => name !== account)
    for (const other of others) (await kit.send(`GET ${path}/${session.id}`, { as: other })).fails(404)
    ;(await kit.send(`DELETE ${path}/${session.id}`, { headers: mine })).is(204)
    ;(await kit.send(`GET ${subject.path}`, { headers: mine })).fails(401, 'INVALID_TOKEN')
    ;(await refresh(kit, refresh_token)).fails(401, 'INVALID_TOKEN')
    ;(await kit.send(`GET ${subject.path}`, { as: account })).is(200)
  })
}

function defineTokens(define: Define): void {
  define('5.1.1', ['signIn', 'resource'], async ({ kit, subject }) => {
    const token = await kit.token(subject.creator)
    const [head, payload, signature] = token.split('.') as [string, string, string]
    const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')
    const flipped = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1)
    for (const forged of [
      `${head}.${payload}.${flipped}`,
      `${none}.${payload}.`,
      `${none}.${payload}.${signature}`,
      `${head}.${payload}`,
      `${token}=`,
      `${token}.x`,
      `${head}.${Buffer.from('{"sub":"x"}').toString('base64url')}.${signature}`,
    ])
      (await kit.send(`GET ${subject.path}`, { headers: { Authorization: `Bearer ${forged}` } })).fails(
        401,
        'INVALID_TOKEN',
      )
  })

  define('5.1.2', ['signIn', 'resource'], async ({ kit, subject }) => {
    const token = await kit.token(subject.creator)
    const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())
    const answer = (await kit.send('GET /health')).is(200)
    for (const name of ['sub', 'iss', 'aud', 'exp', 'iat', 'nbf', 'jti', 'role'])
      answer.require(Object.hasOwn(claims, name), `the claim ${name} in a token`, Object.keys(claims).join(', '))
    answer.has('nbf', claims.nbf, claims.iat - 60)
  })

  define('5.2.1', ['signIn', 'resource'], async ({ kit }) => {
    const answer = (await kit.send('GET /.well-known/jwks.json')).is(200)
    answer.has('Cache-Control', answer.headers['cache-control'], 'public, max-age=300')
    for (const key of answer.json.keys)
      for (const secret of ['d', 'p', 'q', 'k']) answer.has(secret, key[secret], undefined)
  })
}
