import assert from 'node:assert/strict'
import { test } from 'node:test'
import { issuerContradictions } from './contradictions.ts'
import type { TrustedIssuer } from './outside-issuer.ts'

const sound: TrustedIssuer = {
  issuer: 'https://id.example.com',
  jwksUrl: 'https://id.example.com/keys',
  audience: 'api',
  algorithms: ['RS256'],
  lifetimeSeconds: 3_600,
  actorFrom: () => null,
}
const rows: readonly (readonly [of: object, problem: string])[] = [
  [{ issuer: '' }, 'The issuer "": its issuer is empty; set it to the value of iss.'],
  [{ jwksUrl: 'id.example.com/keys' }, 'its jwksUrl is no web address'],
  [{ jwksUrl: 'file:///keys' }, 'its jwksUrl is no web address'],
  [{ audience: undefined }, 'its audience is empty'],
  [{ algorithms: [] }, 'its algorithms are not some of ES256 and RS256'],
  [{ algorithms: ['HS256'] }, 'its algorithms are not some of ES256 and RS256'],
  [{ lifetimeSeconds: 0 }, 'its lifetimeSeconds is no whole number above 0'],
  [{ lifetimeSeconds: Number.NaN }, 'its lifetimeSeconds is no whole number above 0'],
]

for (const [of, problem] of rows)
  test(`an issuer with ${JSON.stringify(of)} stops the start`, () => {
    const [only, ...others] = issuerContradictions([{ ...sound, ...of } as TrustedIssuer])
    assert.ok(only?.includes(problem), only)
    assert.deepEqual(others, [])
  })
test('two of one name stop the start, a sound one does not', () => {
  assert.deepEqual(issuerContradictions([sound]), [])
  assert.equal(issuerContradictions([sound, sound]).length, 1)
})
