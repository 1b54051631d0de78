// Access tokens and key sets over HTTP: forgeries, claims, time, rotation. What a token's text can
// be, character by character, is tested beside the code.

import assert from 'node:assert/strict'
import { createHmac, sign as signDer } from 'node:crypto'
import { test } from 'node:test'
import { createRemoteJWKSet, customFetch, jwtVerify } from 'jose'
import { api } from '../../reference/service.ts'
import { publicJwk } from '../../src/authentication/key/jwk.ts'
import { generateSigningKey, type SigningKey, secretSigningKey } from '../../src/authentication/key/signing-key.ts'
import { keysCommand } from '../../src/command/verb/keys.ts'
import { ServiceDefinitionError } from '../../src/resource/contradiction/contradiction.ts'
import { cost, nothing, withQuietService } from '../support/check/statement-counter.ts'
import { forgeToken, readPart } from '../support/client/forged-token.ts'
import type { Answer } from '../support/client/http-client.ts'
import { runCommand } from '../support/process/command.ts'
import { clauses } from '../support/rows/clauses.ts'
import { startTestService, withService } from '../support/server/service.ts'
import { createForge, type Forge } from '../support/server/service-key.ts'

const [theirs, rsa] = await Promise.all([generateSigningKey('ES256'), generateSigningKey('RS256')])
const bearer = (text: string) => ({ Authorization: `Bearer ${text}` })
const outcome = ({ status, body }: Answer) => (status === 200 ? 200 : body.error.code)

type Forgery = readonly [it: string, text: (forge: Forge) => string]

/** The public key as whoever takes it for a shared secret may write it. */
const publicTexts: readonly Forgery[] = Object.entries<(key: SigningKey) => string | Buffer>({
  pem: (key) => pemOf(key),
  'pem behind a space': (key) => ` ${pemOf(key)}`,
  'pem behind a new line': (key) => `\n${pemOf(key)}`,
  'pem without its last new line': (key) => pemOf(key).trimEnd(),
  der: ({ verifyWith }) => verifyWith.export({ type: 'spki', format: 'der' }),
  jwk: (key) => JSON.stringify(publicJwk(key)),
  'its number': (key) => Buffer.from(numberOf(key), 'base64url'),
  'its number as text': (key) => numberOf(key),
}).map(([format, secretOf]) => [
  `its MAC is keyed with the public key as ${format}`,
  (forge) => macWith(secretOf(forge.key), forge),
])
const guesses: readonly Forgery[] = [
  ...['', 'secret', 'null', 'undefined', 'HS256'].map(
    (secret): Forgery => [`its MAC is keyed with ${JSON.stringify(secret)}`, (forge) => macWith(secret, forge)],
  ),
  ['its MAC is keyed with its kid', (forge) => macWith(forge.key.kid, forge)],
]

const forgeries: readonly Forgery[] = [
  ...[
    'none',
    'None',
    'NONE',
    'nOnE',
    '',
    null,
    ['ES256'],
    1,
    'HS256',
    'RS256',
    'PS256',
    'ES384',
    'EdDSA',
    'es256',
    'ES256 ',
  ].map((alg): Forgery => [`its algorithm is ${JSON.stringify(alg)}`, ({ sign }) => sign({}, { alg })]),
  ['it has no algorithm', ({ sign }) => sign({}, { alg: undefined })],
  ['it is not signed', ({ valid }) => `${valid.slice(0, valid.lastIndexOf('.'))}.`],
  ...publicTexts,
  ...guesses,
  [
    'it is signed with RS256 by another issuer',
    ({ header, claims }) => forgeToken(rsa, { ...header, alg: 'RS256' }, claims),
  ],
  ['its signature is zero', ({ valid }) => withSignature(valid, Buffer.alloc(64))],
  [
    'its signature is DER',
    ({ valid, key }) =>
      withSignature(valid, signDer('sha256', Buffer.from(valid.slice(0, valid.lastIndexOf('.'))), key.signWith)),
  ],
  ['its signature is cut', ({ valid }) => valid.slice(0, -4)],
  [
    'its claims are another’s',
    ({ valid, sign }) => [...valid.split('.').slice(0, 2), sign({ sub: 'usr_x' }).split('.')[2]].join('.'),
  ],
  ['it has four parts', ({ valid }) => `${valid}.x`],
  ['it is JSON', ({ valid }) => JSON.stringify({ payload: valid })],
  ['it is padded', ({ valid }) => `${valid}=`],
  ['it brings its key', ({ header, claims }) => forgeToken(theirs, { ...header, jwk: publicJwk(theirs) }, claims)],
  ['it is signed by another under our kid', ({ header, claims }) => forgeToken(theirs, header, claims)],
  ['it says where its key is', ({ sign }) => sign({}, { jku: 'http://127.0.0.1:1/' })],
  ['it is critical', ({ sign }) => sign({}, { crit: ['x'], x: 1 })],
  ['it is packed', ({ sign }) => sign({}, { zip: 'DEF' })],
  ...['[]', 'null', '"x"', 'x', '\u{feff}{}'].map(
    (claims): Forgery => [
      `its claims are ${JSON.stringify(claims)}`,
      ({ signParts, header }) => signParts(header, claims),
    ],
  ),
  [
    'it names its bearer twice',
    ({ signParts, header, claims }) => signParts(header, `{"sub":"x",${JSON.stringify(claims).slice(1)}`),
  ],
  [
    'its role is its prototype’s',
    ({ signParts, header, claims }) =>
      signParts(header, `{"__proto__":{"role":"ADMIN"},${JSON.stringify({ ...claims, role: undefined }).slice(1)}`),
  ],
  ['it is too long', ({ sign }) => sign({ more: 'x'.repeat(8_192) })],
  ['it is another service’s', ({ sign }) => sign({ iss: 'https://other.example', aud: 'https://other.example' })],
  ...['at+jwt', 'refresh', 'jwt', undefined, null].map(
    (typ): Forgery => [`its type is ${typ}`, ({ sign }) => sign({}, { typ })],
  ),
  ...['../../dev/null', "' OR 1=1--", '__proto__', 'unknown', 5, null].map(
    (kid): Forgery => [`its kid is ${JSON.stringify(kid)}`, ({ sign }) => sign({}, { kid })],
  ),
  ...['sub', 'iss', 'aud', 'iat', 'jti', 'role', 'nbf', 'exp'].map(
    (claim): Forgery => [`it has no ${claim}`, ({ sign }) => sign({ [claim]: undefined })],
  ),
  ...['1e400', '9e15', '-1', '1.5', 'null', 'true', '"2000000000"'].map(
    (exp): Forgery => [
      `its exp is ${exp}`,
      ({ signParts, header, claims }) => signParts(header, JSON.stringify(claims).replace(/"exp":\d+/, `"exp":${exp}`)),
    ],
  ),
  ['it lives for ten years', ({ sign, claims }) => sign({ exp: Number(claims['exp']) + 315_360_000 })],
  [
    'it was issued tomorrow',
    ({ sign, claims }) => sign({ iat: Number(claims['iat']) + 86_400, exp: Number(claims['exp']) + 86_400 }),
  ],
  ['it is for later', ({ sign, claims }) => sign({ nbf: Number(claims['iat']) + 600 })],
  ...[['x'], [], { a: 1 }, '', 5].map(
    (aud): Forgery => [`its audience is ${JSON.stringify(aud)}`, ({ sign }) => sign({ aud })],
  ),
  ...['', 'x/y', "' OR 1=1--", 'x'.repeat(200), 5, ['x']].map(
    (sub): Forgery => [`its bearer is ${JSON.stringify(sub).slice(0, 20)}`, ({ sign }) => sign({ sub })],
  ),
  ...[['ADMIN'], 5, null].map((role): Forgery => [`its role is ${JSON.stringify(role)}`, ({ sign }) => sign({ role })]),
]

withQuietService('5.1 Tokens', (service) => {
  const ask = (headers: Readonly<Record<string, string>>) => service().send('GET /api/v2/users/me', { headers })

  test('5.1.1 a token of ours is good, whatever the case of the scheme', async () => {
    const { valid } = await createForge(service())
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'Bearer ', 'bearer   '])
      assert.equal((await ask({ Authorization: `${scheme} ${valid}` })).status, 200)
  })
  for (const [it, text] of forgeries) {
    test(`5.1.1 ${it}`, async () => {
      const headers = bearer(text(await createForge(service())))
      const rest = await ask(headers)
      assert.deepEqual([rest.status, rest.body.error.code], [401, 'INVALID_TOKEN'], rest.text)
      assert.equal(rest.headers['www-authenticate'], 'Bearer error="invalid_token"')
      const { status, body } = await service().graphql('{ me { id } }', { headers })
      assert.deepEqual([status, body.errors[0].extensions.code, 'data' in body], [200, 'INVALID_TOKEN', false])
    })
  }
  for (const header of [
    'Bearer',
    'Bearer ',
    '{valid}',
    'Basic eDp5',
    'Token {valid}',
    'Bearer {valid}, Bearer {valid}',
    'Bearer {valid} x',
    'Bearer\t{valid}',
    'Bearer  ',
  ]) {
    test(`5.1.1: "${header}" is no credential`, async () => {
      const { valid } = await createForge(service())
      assert.equal(outcome(await ask({ Authorization: header.replaceAll('{valid}', valid) })), 'INVALID_TOKEN')
    })
  }
  test('5.1.1: a token counts in its header alone', async () => {
    const { valid } = await createForge(service())
    assert.equal(outcome(await service().send(`GET /api/v2/users/me?access_token=${valid}`)), 'UNAUTHENTICATED')
    assert.equal(outcome(await ask({ Cookie: `access_token=${valid}` })), 'UNAUTHENTICATED')
    assert.equal(outcome(await ask({ 'X-Authorization': `Bearer ${valid}` })), 'UNAUTHENTICATED')
  })

  test('5.1.2 carries every claim, and nbf a minute before iat', async () => {
    const { header, claims, key } = await createForge(service())
    assert.deepEqual(header, { alg: 'ES256', typ: 'JWT', kid: key.kid })
    assert.deepEqual(Object.keys(claims).sort(), [
      'amr',
      'aud',
      'auth_time',
      'epoch',
      'exp',
      'iat',
      'iss',
      'jti',
      'nbf',
      'role',
      'sid',
      'sub',
    ])
    const [iat, nbf, exp] = ['iat', 'nbf', 'exp'].map((name) => Number(claims[name])) as [number, number, number]
    assert.deepEqual([nbf, exp], [iat - 60, iat + 900])
  })

  test('5.1.3 the order of checks is visible in the codes', async () => {
    const { sign, header, claims } = await createForge(service())
    const second = Math.floor(service().now().getTime() / 1000)
    const past = { iat: second - 901, nbf: second - 961, exp: second - 1 }
    const cases: readonly (readonly [string, string])[] = [
      [sign(past), 'TOKEN_EXPIRED'],
      [sign({ ...past, iss: 'x', aud: 'x', nbf: second + 900, role: 5 }), 'TOKEN_EXPIRED'],
      [forgeToken(theirs, header, { ...claims, ...past }), 'INVALID_TOKEN'],
      [sign(past, { alg: 'none' }), 'INVALID_TOKEN'],
      [sign({ iat: second - 900, nbf: second - 960, exp: second }), 'TOKEN_EXPIRED'],
      [sign({ iat: second - 890, nbf: second - 950, exp: second + 10 }), '200'],
      [sign({ aud: ['x', claims['aud']] }), '200'],
    ]
    for (const [text, expected] of cases)
      assert.equal(String(outcome(await ask(bearer(text)))), expected, JSON.stringify(readPart(text, 'claims')))
  })

  test('5.1.3: an unknown role grants nothing', async () => {
    const { sign } = await createForge(service())
    for (const role of ['admin', 'ROOT', 'constructor', '__proto__']) {
      const answer = await service().send('POST /api/v2/posts', {
        headers: bearer(sign({ role })),
        body: { title: 'T', content: 'C' },
      })
      assert.deepEqual([answer.status, answer.body.error.code], [403, 'FORBIDDEN'], role)
    }
  })

  test('5.1.4 a token is verified without the database, a forged one too', async () => {
    const { valid, sign } = await createForge(service())
    // A path that leads nowhere: whoever asks is known by then, and nothing else is done.
    const nowhere = (text: string) => service().send('GET /api/v2/nothing', { headers: bearer(text) })
    const spent = await cost(service(), async () => {
      for (let at = 0; at < 300; at += 1) assert.equal((await nowhere(valid)).status, 404)
      for (let at = 0; at < 300; at += 1) assert.equal((await nowhere(sign({}, { kid: `k${at}` }))).status, 401)
    })
    assert.deepEqual(spent, nothing)
  })
})

const keySet = 'GET /.well-known/jwks.json'
clauses('5.2 Key set', [
  {
    clause: '5.2.1',
    it: 'publishes the public half of the key',
    send: keySet,
    answer: {
      status: 200,
      headers: { 'Cache-Control': 'public, max-age=300', Vary: /Authorization, X-API-Key/, ETag: /^"/ },
      body: ({ keys, ...more }: { keys: readonly object[] }) =>
        Object.keys(more).length === 0 &&
        keys.length === 1 &&
        Object.keys(keys[0]!).sort().join() === 'alg,crv,kid,kty,use,x,y',
    },
  },
  {
    clause: '5.2.1',
    it: 'ignores credentials',
    send: keySet,
    headers: { Authorization: 'Bearer x' },
    answer: { status: 200 },
  },
  ...['POST', 'PUT', 'DELETE', 'PATCH'].map((method) => ({
    clause: '5.2.1' as const,
    it: `${method} is 405`,
    send: `${method} /.well-known/jwks.json`,
    answer: { status: 405, code: 'METHOD_NOT_ALLOWED' as const, headers: { Allow: 'GET, HEAD, OPTIONS' } },
  })),
])

withService('5.2 Key set, across a rotation', (service) => {
  test('5.2.2 jose verifies every token, and none is refused while it lives', async () => {
    const { url, client, databaseUrl, store } = service()
    const keys = (...args: readonly string[]) =>
      runCommand(keysCommand, args, { variables: { DATABASE_URL: databaseUrl }, now: () => service().now() })
    const remote = createRemoteJWKSet(new URL(`${url}/.well-known/jwks.json`), {
      cooldownDuration: 0,
      [customFetch]: fetch,
    })
    const sign = async () => {
      service().forgetTokens()
      return (await createForge(service())).valid
    }
    const verify = async (text: string) => {
      const options = { algorithms: ['ES256'], typ: 'JWT', currentDate: service().now() }
      const { payload } = await jwtVerify(text, remote, options)
      return payload.sub
    }
    const published = async () => (await client.send(keySet)).body.keys.map(({ kid }: { kid: string }) => kid)

    const before = await sign()
    assert.match((await verify(before)) ?? '', /^usr_/)
    const next = /^(\S+) is published/.exec(await keys('rotate'))?.[1] ?? assert.fail()
    // The service learns of it by itself.
    while (!(await published()).includes(next)) await nextTurn()
    assert.notEqual(readPart(await sign(), 'header')['kid'], next, 'a new key signs only once everybody can know it')
    service().advance(300_000)
    const after = await sign()
    assert.equal(readPart(after, 'header')['kid'], next)
    for (const text of [before, after]) {
      assert.match((await verify(text)) ?? '', /^usr_/)
      assert.equal((await service().send('GET /api/v2/users/me', { headers: bearer(text) })).status, 200)
    }

    // Withdrawn, as after a leak: whatever it signed is refused, remembered or not.
    await keys('remove', next)
    while ((await published()).includes(next)) await nextTurn()
    assert.equal(outcome(await service().send('GET /api/v2/users/me', { headers: bearer(after) })), 'INVALID_TOKEN')
    assert.equal((await service().send('GET /api/v2/users/me', { headers: bearer(before) })).status, 200)
    service().forgetTokens()
    assert.equal(store.engine, service().engine)
  })
})

const secret = 'a secret of thirty-two bytes or more'
for (const [algorithm, environment] of [
  ['RS256', { JWT_ALGORITHM: 'RS256' }],
  ['HS256', { JWT_ALGORITHM: 'HS256', JWT_SECRET: secret }],
] as const) {
  withService(
    `5.1 Tokens of ${algorithm}`,
    (service) => {
      test(`5.2.3 ${algorithm}: tokens are good, and the key set has what is public`, async () => {
        const token = await service().token(await service().fixtures().idOf('editor'))
        assert.equal(readPart(token, 'header')['alg'], algorithm)
        assert.equal((await service().send('GET /api/v2/users/me', { headers: bearer(token) })).status, 200)
        const { keys } = (await service().client.send(keySet)).body
        const members = algorithm === 'HS256' ? [] : ['alg,e,kid,kty,n,use']
        assert.deepEqual(
          keys.map((key: object) => Object.keys(key).sort().join()),
          members,
        )
        const unsigned = `${token.slice(0, token.lastIndexOf('.'))}.`
        assert.equal(
          outcome(await service().send('GET /api/v2/users/me', { headers: bearer(unsigned) })),
          'INVALID_TOKEN',
        )
      })

      test(`5.1.1 ${algorithm}: a MAC keyed with what everybody knows is none`, async () => {
        const isSecret = algorithm === 'HS256'
        const forge = await createForge(service(), isSecret ? secretSigningKey(secret) : undefined)
        const ask = async (text: string) =>
          outcome(await service().send('GET /api/v2/users/me', { headers: bearer(text) }))
        assert.equal(await ask(macWith(secret, forge)), isSecret ? 200 : 'INVALID_TOKEN')
        for (const [it, text] of isSecret ? guesses : [...publicTexts, ...guesses])
          assert.equal(await ask(text(forge)), 'INVALID_TOKEN', it)
      })
    },
    { environment },
  )
}

test('5.4.2 a service does not start with something that has no rule', async () => {
  const { resources, ...others } = api as unknown as { resources: Record<string, { actions: Record<string, object> }> }
  const { allow: _, ...ruleless } = resources['Post']!.actions['update'] as { allow: unknown }
  const Post = { ...resources['Post'], actions: { ...resources['Post']!.actions, update: ruleless } }
  const definition = { ...others, resources: { ...resources, Post } } as unknown as typeof api
  await assert.rejects(startTestService('sqlite', { definition }), (error: Error) => {
    assert(error instanceof ServiceDefinitionError)
    assert.match(error.message, /Post\.update.* has no allow/)
    return true
  })
})

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))
const withSignature = (text: string, signature: Uint8Array) =>
  `${text.slice(0, text.lastIndexOf('.') + 1)}${Buffer.from(signature).toString('base64url')}`
const pemOf = ({ verifyWith }: SigningKey) => String(verifyWith.export({ type: 'spki', format: 'pem' }))
function numberOf({ verifyWith }: SigningKey): string {
  const { x, n } = verifyWith.export({ format: 'jwk' })
  return x ?? n ?? ''
}
function macWith(secret: string | Buffer, { key, header, claims }: Forge): string {
  const text = forgeToken(key, { ...header, alg: 'HS256' }, claims)
  const signed = text.slice(0, text.lastIndexOf('.'))
  return withSignature(text, createHmac('sha256', secret).update(signed).digest())
}
