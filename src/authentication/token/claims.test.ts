// Which claims and times an access token may have, in the order of checks. (contract 5.1.3)

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { forgeToken, readPart } from '../../../test/support/client/forged-token.ts'
import { Failure, type FailureCode } from '../../failure/failure.ts'
import { readJson } from '../../json/read-json.ts'
import { defaultLimits } from '../../limits.ts'
import { fixedKeyRing } from '../key/key-ring.ts'
import { generateSigningKey } from '../key/signing-key.ts'
import { createAccessTokens } from './access-token.ts'
import { createDenylist } from './denylist.ts'

const now = new Date('2026-11-20T09:00:00.500Z')
const seconds = Math.floor(now.getTime() / 1000)
const issuer = 'https://api.example.com'
const audience = 'https://app.example.com'
const key = await generateSigningKey('ES256')
const tokens = createAccessTokens({
  keys: fixedKeyRing([key]),
  issuer,
  audience,
  denylist: createDenylist(10, { error: assert.fail }),
  readJson: (bytes) => readJson(bytes, defaultLimits),
  limits: defaultLimits,
})
const valid = tokens.issue({ subject: 'usr_1', role: 'VIEWER', sessionId: 'ses_1', epoch: 3 }, now).text
const header = readPart(valid, 'header')
const claims = readPart(valid, 'claims')
const withClaims = (members: Readonly<Record<string, unknown>>) => forgeToken(key, header, { ...claims, ...members })

function answerTo(text: string, at = now): FailureCode | 'accepted' {
  try {
    tokens.verify(text, at)
    return 'accepted'
  } catch (error) {
    if (error instanceof Failure) return error.code
    throw error
  }
}
interface Row {
  readonly claims: Readonly<Record<string, unknown>>
  readonly answer: FailureCode | 'accepted'
}
function rows(title: string, list: readonly Row[]): void {
  describe(title, () => {
    for (const row of list) {
      it(`${JSON.stringify(row.claims).slice(0, 80)} is ${row.answer}`, () => {
        assert.equal(answerTo(withClaims(row.claims)), row.answer)
      })
    }
  })
}
const invalid = (values: readonly Readonly<Record<string, unknown>>[]): readonly Row[] =>
  values.map((members) => ({ claims: members, answer: 'INVALID_TOKEN' }))

describe('an issued token', () => {
  it('carries every claim, nbf 60 s before iat, and lives 15 minutes', () => {
    assert.deepEqual(
      { ...claims, jti: typeof claims['jti'] },
      {
        iss: issuer,
        aud: audience,
        sub: 'usr_1',
        role: 'VIEWER',
        sid: 'ses_1',
        epoch: 3,
        iat: seconds,
        nbf: seconds - 60,
        exp: seconds + 900,
        jti: 'string',
      },
    )
    assert.deepEqual(header, { alg: 'ES256', typ: 'JWT', kid: key.kid })
  })

  it('reads back as what it was issued for', () => {
    assert.deepEqual(tokens.verify(valid, now), {
      subject: 'usr_1',
      role: 'VIEWER',
      sessionId: 'ses_1',
      epoch: 3,
      issuedAt: new Date(seconds * 1000),
      expiresAt: new Date((seconds + 900) * 1000),
      authenticatedAt: null,
      isMultiFactor: false,
    })
  })

  it('is another one each time', () => {
    const grant = { subject: 'usr_1', role: 'VIEWER', sessionId: 'ses_1', epoch: 3 }
    const ids = Array.from({ length: 1000 }, () => readPart(tokens.issue(grant, now).text, 'claims')['jti'])
    assert.equal(new Set(ids).size, 1000)
  })

  it('is not issued to an id that could not be verified', () => {
    assert.throws(() => tokens.issue({ subject: '../1', role: 'VIEWER', sessionId: 's', epoch: 0 }, now), /Invariant/)
  })
})

describe('a token expires in the second of exp, without allowance', () => {
  const exp = (seconds + 900) * 1000
  for (const [ms, answer] of [
    [exp - 1, 'accepted'],
    [exp, 'TOKEN_EXPIRED'],
    [exp + 1, 'TOKEN_EXPIRED'],
    [exp + 5000, 'TOKEN_EXPIRED'],
  ] as const) {
    it(`${ms - exp} ms after it is ${answer}, remembered or not`, () => {
      assert.equal(answerTo(withClaims({}), new Date(ms)), answer)
      assert.equal(answerTo(valid, now), 'accepted')
      assert.equal(answerTo(valid, new Date(ms)), answer)
    })
  }
})

describe('a token begins 60 s before iat', () => {
  const begin = (seconds - 60) * 1000
  it('so that a clock behind by as much accepts it, and one further behind does not', () => {
    assert.equal(answerTo(withClaims({}), new Date(begin)), 'accepted')
    assert.equal(answerTo(withClaims({}), new Date(begin - 1)), 'INVALID_TOKEN')
  })
  it('also when it was remembered before the clock was set back', () => {
    assert.equal(answerTo(valid, now), 'accepted')
    assert.equal(answerTo(valid, new Date(begin - 1)), 'INVALID_TOKEN')
  })
})

rows('the expiry', [
  ...invalid([{ exp: undefined }]),
  ...invalid(
    [`${seconds + 60}`, true, null, Number.NaN, [seconds + 60], {}, -1, seconds + 60.5, 9e15, 1e300].map((exp) => ({
      exp,
    })),
  ),
  ...invalid([{ exp: seconds + 315_360_000 }, { exp: seconds + 901 }]),
  { claims: { exp: seconds + 900 }, answer: 'accepted' },
  { claims: { exp: seconds + 1 }, answer: 'accepted' },
  ...invalid([{ iat: seconds + 60, nbf: seconds, exp: seconds + 60 }]),
])

it('1e400 is not for ever', () => {
  const text = JSON.stringify({ ...claims, exp: 0 }).replace('"exp":0', '"exp":1e400')
  assert.equal(answerTo(forgeToken(key, header, text)), 'INVALID_TOKEN')
})

rows('the moment of issue', [
  ...invalid([{ iat: seconds + 86_400, nbf: seconds, exp: seconds + 86_460 }, { iat: seconds + 61 }]),
  { claims: { iat: seconds + 60, nbf: seconds }, answer: 'accepted' },
  ...invalid([undefined, null, `${seconds}`, seconds + 0.5, -1, 0].map((iat) => ({ iat }))),
  ...invalid([{ nbf: seconds + 60 }, { nbf: seconds + 1 }]),
  { claims: { nbf: seconds }, answer: 'accepted' },
  ...invalid([undefined, null, `${seconds}`, 0.5, -1].map((nbf) => ({ nbf }))),
])

rows(
  'the issuer',
  invalid(
    [
      undefined,
      null,
      'https://other.example.com',
      `${issuer}/`,
      issuer.toUpperCase(),
      [issuer],
      '',
      { iss: issuer },
    ].map((iss) => ({ iss })),
  ),
)

rows('the audience', [
  ...invalid(
    [
      undefined,
      null,
      'https://other.example.com',
      `${audience}/`,
      issuer,
      [],
      ['other'],
      [[audience]],
      { A: 1 },
      [audience, 1],
      '',
    ].map((aud) => ({ aud })),
  ),
  ...[[audience], ['other', audience]].map((aud): Row => ({ claims: { aud }, answer: 'accepted' })),
])

rows(
  'the subject',
  invalid(
    [
      undefined,
      null,
      '',
      1,
      ['usr_1'],
      '../usr_1',
      "usr_1' OR 1=1--",
      'usr_1\0',
      'us\u0433_1',
      'u'.repeat(10_000 / 2),
      'usr_1 ',
    ].map((sub) => ({ sub })),
  ),
)

rows('the token id, the role and the rest', [
  ...invalid([undefined, null, '', 1, ['x'], 'x'.repeat(129), 'a b'].map((jti) => ({ jti }))),
  ...invalid(
    [undefined, null, '', 1, ['ADMIN'], 'VIEWER ADMIN', '\tADMIN', { name: 'ADMIN' }].map((role) => ({ role })),
  ),
  ...invalid([1, '', ['ses_1'], {}].map((sid) => ({ sid }))),
  ...invalid([0.5, '3', [3], {}].map((epoch) => ({ epoch }))),
  { claims: { role: 'UNKNOWN' }, answer: 'accepted' },
  { claims: { sid: undefined, epoch: undefined, scope: 'x', extra: { y: 1 } }, answer: 'accepted' },
])

describe('the order of checks', () => {
  const expired = { exp: seconds, iat: seconds - 900, nbf: seconds - 960 }
  it('reports expired before it looks at iss, aud, nbf, sub or jti', () => {
    const others = { iss: 'other', aud: 'other', nbf: seconds + 60, sub: '', jti: null, role: [], iat: 'x' }
    assert.equal(answerTo(withClaims({ ...others, ...expired, iat: 'x' })), 'TOKEN_EXPIRED')
  })
  it('reports invalid where the signature is bad, expired or not', () => {
    const text = withClaims(expired)
    assert.equal(answerTo(text), 'TOKEN_EXPIRED')
    assert.equal(answerTo(`${text.slice(0, -4)}AAAA`), 'INVALID_TOKEN')
  })
  it('reports invalid where the algorithm is not allowed, expired or not', () => {
    assert.equal(answerTo(forgeToken(key, { ...header, alg: 'none' }, { ...claims, ...expired })), 'INVALID_TOKEN')
  })
})

describe('any claims at all', () => {
  it('are accepted, invalid or expired, and never anything else', () => {
    const name = fc.constantFrom(...Object.keys(claims))
    const value = fc.oneof(fc.jsonValue(), fc.integer({ min: seconds - 2000, max: seconds + 2000 }))
    fc.assert(
      fc.property(fc.dictionary(name, value), (members) => {
        const answer = answerTo(withClaims(members))
        assert.ok(['accepted', 'INVALID_TOKEN', 'TOKEN_EXPIRED'].includes(answer))
        const { exp, iat } = { ...claims, ...members }
        if (answer !== 'accepted') return
        assert.ok(Number(exp) > now.getTime() / 1000 && Number(exp) - Number(iat) <= 900)
      }),
      { numRuns: 500 },
    )
  })
})
