// An authenticator in software: makes passkeys and signs with them, truthfully or with one thing changed.

import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

export interface RegistrationOptions {
  readonly challenge: string
  readonly rp: { readonly id: string }
  readonly user: { readonly id: string }
  readonly excludeCredentials: readonly { readonly id: string }[]
}
export interface SignInOptions {
  readonly challenge: string
  readonly rpId: string
}
/** What it says instead of the truth. */
export interface Changes {
  readonly type?: string
  readonly challenge?: string
  readonly origin?: string
  readonly domain?: string
  readonly crossOrigin?: boolean
  readonly topOrigin?: string
  /** User present 1, user verified 4, attested credential 64. */
  readonly flags?: number
  readonly counter?: number
  readonly userHandle?: string
  /** The id of another credential. */
  readonly id?: string
  /** Bytes after those of the authenticator. */
  readonly tail?: Buffer
  readonly attestation?: Cbor
  /** The COSE key, changed. */
  readonly key?: (key: ReadonlyMap<number, Cbor>) => ReadonlyMap<number, Cbor>
  /** The signature, changed. */
  readonly signature?: (signature: Buffer) => Buffer
}
export type Algorithm = 'ES256' | 'EdDSA' | 'RS256'

export interface Authenticator {
  register(options: RegistrationOptions, changes?: Changes): ReturnType<typeof credentialJson>
  /** Signs with the last passkey that it made for this domain. */
  signIn(options: SignInOptions, changes?: Changes): ReturnType<typeof credentialJson>
  /** Uses of the last passkey; undefined counts none, as synchronized passkeys do. */
  counter: number | undefined
}

interface Credential {
  readonly id: string
  readonly handle: string
  readonly privateKey: KeyObject
}

export function createAuthenticator(origin: string, algorithm: Algorithm = 'ES256'): Authenticator {
  const { publicKey, privateKey } = keyPairs[algorithm]()
  const credentials: Credential[] = []
  const count = (changes: Changes): number => {
    if (authenticator.counter !== undefined) authenticator.counter += 1
    return changes.counter ?? authenticator.counter ?? 0
  }
  const authenticator: Authenticator = {
    counter: 0,
    register({ challenge, rp, user }, changes = {}) {
      const credential = { id: changes.id ?? randomBytes(32).toString('base64url'), handle: user.id, privateKey }
      credentials.push(credential)
      const clientData = clientDataJson('webauthn.create', challenge, origin, changes)
      const id = Buffer.from(credential.id, 'base64url')
      const key = changes.key ?? ((each) => each)
      const attested = Buffer.concat([
        Buffer.alloc(16),
        uint16(id.length),
        id,
        cbor(key(coseKey(publicKey, algorithm))),
      ])
      const head = headOf(changes.domain ?? rp.id, changes.flags ?? 0x45, count(changes))
      const authData = Buffer.concat([head, attested, changes.tail ?? Buffer.alloc(0)])
      const attestation: Cbor = changes.attestation ?? { fmt: 'none', attStmt: {} }
      const attestationObject = cbor({ ...(attestation as Readonly<Record<string, Cbor>>), authData })
      return credentialJson(credential.id, { clientDataJSON: clientData, attestationObject })
    },
    signIn({ challenge, rpId }, changes = {}) {
      const credential = credentials.at(-1)!
      const clientData = clientDataJson('webauthn.get', challenge, origin, changes)
      const head = headOf(changes.domain ?? rpId, changes.flags ?? 0x05, count(changes))
      const authenticatorData = Buffer.concat([head, changes.tail ?? Buffer.alloc(0)])
      const hash = createHash('sha256').update(clientData).digest()
      const digest = algorithm === 'EdDSA' ? null : 'sha256'
      const signature = sign(digest, Buffer.concat([authenticatorData, hash]), credential.privateKey)
      return credentialJson(changes.id ?? credential.id, {
        clientDataJSON: clientData,
        authenticatorData,
        signature: changes.signature?.(signature) ?? signature,
        userHandle: Buffer.from(changes.userHandle ?? credential.handle, 'base64url'),
      })
    },
  }
  return authenticator
}

const keyPairs: Readonly<Record<Algorithm, () => { publicKey: KeyObject; privateKey: KeyObject }>> = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
}

function coseKey(publicKey: KeyObject, algorithm: Algorithm): ReadonlyMap<number, Cbor> {
  const jwk = publicKey.export({ format: 'jwk' })
  const bytes = (text: unknown) => Buffer.from(String(text), 'base64url')
  if (algorithm === 'ES256')
    return new Map<number, Cbor>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, bytes(jwk.x)],
      [-3, bytes(jwk.y)],
    ])
  if (algorithm === 'EdDSA')
    return new Map<number, Cbor>([
      [1, 1],
      [3, -8],
      [-1, 6],
      [-2, bytes(jwk.x)],
    ])
  return new Map<number, Cbor>([
    [1, 3],
    [3, -257],
    [-1, bytes(jwk.n)],
    [-2, bytes(jwk.e)],
  ])
}

/** As `PublicKeyCredential.toJSON()` in a browser. */
function credentialJson(id: string, response: Readonly<Record<string, Buffer>>) {
  const texts = Object.entries(response).map(([name, bytes]) => [name, bytes.toString('base64url')] as const)
  return {
    id,
    rawId: id,
    type: 'public-key',
    authenticatorAttachment: 'platform',
    clientExtensionResults: {},
    response: Object.fromEntries(texts) as Readonly<Record<string, string>>,
  }
}

function clientDataJson(type: string, challenge: string, origin: string, changes: Changes): Buffer {
  const { topOrigin, crossOrigin = false } = changes
  const members = {
    type: changes.type ?? type,
    challenge: changes.challenge ?? challenge,
    origin: changes.origin ?? origin,
    crossOrigin,
    ...(topOrigin === undefined ? {} : { topOrigin }),
  }
  return Buffer.from(JSON.stringify(members))
}

function headOf(domain: string, flags: number, counter: number): Buffer {
  const count = Buffer.alloc(4)
  count.writeUInt32BE(counter)
  return Buffer.concat([createHash('sha256').update(domain).digest(), Buffer.from([flags]), count])
}

/** What attestations are made of, besides keys with numbers as names. */
export type Cbor =
  | number
  | string
  | Buffer
  | readonly Cbor[]
  | ReadonlyMap<number, Cbor>
  | { readonly [name: string]: Cbor }

/** Of RFC 8949 what authenticators send. */
export function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)])
  const entries: readonly (readonly [string | number, Cbor])[] =
    value instanceof Map ? [...value] : Object.entries(value as Readonly<Record<string, Cbor>>)
  return Buffer.concat([head(5, entries.length), ...entries.flatMap(([name, each]) => [cbor(name), cbor(each)])])
}

function head(major: number, count: number): Buffer {
  if (count < 24) return Buffer.from([(major << 5) | count])
  if (count < 0x100) return Buffer.from([(major << 5) | 24, count])
  return Buffer.concat([Buffer.from([(major << 5) | 25]), uint16(count)])
}
function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}
