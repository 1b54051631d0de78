// Every check of both ceremonies fails for its own reason, and no other change of an answer passes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Algorithm, type Changes, createAuthenticator } from '../../../test/support/client/authenticator.ts'
import { createCeremony } from './ceremony.ts'
import { readAssertion, readRegistration } from './read-passkey.ts'
import { relyingParty } from './relying-party.ts'

const origin = 'https://app.example.com'
const party = { baseUrl: 'https://api.example.com', domain: 'example.com', allowedOrigins: [origin], appOrigins: [] }
const ceremony = createCeremony(relyingParty(party))
const challenge = 'c'.repeat(43)
const holder = { handle: Buffer.alloc(32, 7).toString('base64url'), login: 'ada@example.com', credentialIds: [] }

const register = async (authenticator: ReturnType<typeof createAuthenticator>, changes: Changes = {}) => {
  const made = authenticator.register(ceremony.registrationOptions(challenge, holder) as never, changes)
  return ceremony.verifyRegistration(readRegistration(made, 'registration'), challenge)
}
const signIn = async (
  authenticator: ReturnType<typeof createAuthenticator>,
  publicKey: string,
  changes: Changes = {},
) => {
  const made = authenticator.signIn(ceremony.signInOptions(challenge) as never, changes)
  return ceremony.verifyAssertion(readAssertion(made, 'passkey'), challenge, publicKey)
}

for (const algorithm of ['ES256', 'EdDSA', 'RS256'] as const satisfies readonly Algorithm[])
  test(`a passkey of ${algorithm} is registered and used`, async () => {
    const authenticator = createAuthenticator(origin, algorithm)
    const made = await register(authenticator)
    assert.ok('value' in made, JSON.stringify(made))
    assert.equal(made.value.counter, 1)
    assert.deepEqual(await signIn(authenticator, made.value.publicKey), { value: 2 })
    const other = await register(createAuthenticator(origin, algorithm))
    assert.ok('value' in other)
    assert.ok('problem' in (await signIn(authenticator, other.value.publicKey)))
  })

const x5c = [Buffer.alloc(8)]
const lies: Readonly<Record<string, Changes>> = {
  'another type': { type: 'payment.get' },
  'another challenge': { challenge: 'd'.repeat(43) },
  'an origin outside the domain': { origin: 'https://example.com.evil.example' },
  'an origin below the domain that is not listed': { origin: 'https://other.example.com' },
  'the http form of its origin': { origin: 'http://app.example.com' },
  'another domain': { domain: 'evil.example' },
  'the domain above': { domain: 'com' },
  'a frame of another origin': { crossOrigin: true },
  'a frame whose top is named': { crossOrigin: true, topOrigin: 'https://evil.example' },
  'bytes that follow': { tail: Buffer.from([0]) },
}
const registrationLies: Readonly<Record<string, Changes>> = {
  ...lies,
  'the type of sign-in': { type: 'webauthn.get' },
  'no user': { flags: 0x44 },
  'a user who is not verified': { flags: 0x41 },
  'no credential': { flags: 0x05 },
  'an algorithm that was not offered': { key: (key) => new Map([...key, [3, -37]]) },
  'an algorithm without a key': { key: (key) => new Map([...key].filter(([name]) => name !== 3)) },
  'an attestation with certificates': {
    attestation: { fmt: 'packed', attStmt: { alg: -7, sig: Buffer.alloc(8), x5c } },
  },
  'an attestation of Android': { attestation: { fmt: 'android-key', attStmt: { alg: -7, sig: Buffer.alloc(8), x5c } } },
  'an attestation that does not fit': { attestation: { fmt: 'packed', attStmt: { alg: -7, sig: Buffer.alloc(8) } } },
  'a statement without a format': { attestation: { fmt: 'none', attStmt: { alg: -7 } } },
  'an unknown format': { attestation: { fmt: 'other', attStmt: {} } },
  'a key that is too long': { key: (key) => new Map([...key, [-70, Buffer.alloc(1_100)]]) },
}
for (const [name, changes] of Object.entries(registrationLies))
  test(`a registration with ${name} does not fit`, async () => {
    assert.ok('problem' in (await register(createAuthenticator(origin), changes)))
  })

const assertionLies: Readonly<Record<string, Changes>> = {
  ...lies,
  'the type of registration': { type: 'webauthn.create' },
  'no user': { flags: 0x04 },
  'a user who is not verified': { flags: 0x01 },
  'a changed signature': {
    signature: (bytes) => Buffer.concat([bytes.subarray(0, -1), Buffer.from([bytes.at(-1)! ^ 1])]),
  },
  'a short signature': { signature: (bytes) => bytes.subarray(0, 8) },
  'a signature of zeros': { signature: () => Buffer.from('300602010002010000', 'hex') },
}
for (const [name, changes] of Object.entries(assertionLies))
  test(`an assertion with ${name} does not fit`, async () => {
    const authenticator = createAuthenticator(origin)
    const made = await register(authenticator)
    assert.ok('value' in made)
    assert.ok('problem' in (await signIn(authenticator, made.value.publicKey, changes)))
  })

test('an answer with one bit changed does not fit', async () => {
  const authenticator = createAuthenticator(origin)
  const made = await register(authenticator)
  assert.ok('value' in made)
  const sent = readAssertion(authenticator.signIn({ challenge, rpId: 'example.com' }), 'passkey')
  const changed = (text: string, at: number) => {
    const bytes = Buffer.from(text, 'base64url')
    bytes[at >> 3]! ^= 1 << (at & 7)
    return bytes.toString('base64url')
  }
  for (const name of ['authenticatorData', 'clientDataJSON'] as const)
    for (let at = 0; at < Buffer.from(sent[name], 'base64url').length * 8; at += 5) {
      const answer = await ceremony.verifyAssertion(
        { ...sent, [name]: changed(sent[name], at) },
        challenge,
        made.value.publicKey,
      )
      assert.ok('problem' in answer, `bit ${at} of ${name}`)
    }
})

test('the options name the domain, require a verified user, and no attestation', () => {
  const options = ceremony.registrationOptions(challenge, { ...holder, credentialIds: ['AAAA'] }) as never
  const { rp, authenticatorSelection, attestation, excludeCredentials } = options
  assert.deepEqual(
    [rp, attestation, excludeCredentials],
    [{ id: 'example.com', name: 'example.com' }, 'none', [{ type: 'public-key', id: 'AAAA' }]],
  )
  assert.deepEqual(authenticatorSelection, {
    residentKey: 'required',
    requireResidentKey: true,
    userVerification: 'required',
  })
})

for (const [what, options, expected] of [
  ['its own origin', {}, { domain: 'api.example.com', origins: ['https://api.example.com'] }],
  [
    'allowed origins below its domain, and those of apps',
    {
      domain: 'example.com',
      allowedOrigins: ['https://example.com', 'https://evilexample.com', 'https://example.org', origin],
      appOrigins: ['android:apk-key-hash:AAAA'],
    },
    {
      domain: 'example.com',
      origins: ['https://api.example.com', 'https://example.com', origin, 'android:apk-key-hash:AAAA'],
    },
  ],
  ['localhost', { baseUrl: 'http://127.0.0.1:3000' }, { domain: 'localhost', origins: ['http://localhost:3000'] }],
] as const)
  test(`a relying party has ${what}`, () => {
    const usual = { baseUrl: 'https://api.example.com', domain: null, allowedOrigins: [], appOrigins: [] }
    assert.deepEqual(relyingParty({ ...usual, ...options }), expected)
  })

for (const [what, options] of [
  ['an address', { baseUrl: 'https://192.0.2.1' }],
  ['an address of version 6', { baseUrl: 'https://[2001:db8::1]' }],
  ['a domain without origins', { domain: 'example.org' }],
] as const)
  test(`a relying party cannot be ${what}`, () => {
    const usual = { baseUrl: 'https://api.example.com', domain: null, allowedOrigins: [], appOrigins: [] }
    assert.throws(() => relyingParty({ ...usual, ...options }), /^Error: PASSKEY_DOMAIN /)
  })
