// The two ceremonies of WebAuthn: what a browser gets, and whether its answer fits. (contract 5.15.2)

import type { AttestationObject } from '@simplewebauthn/server/helpers'
import { requireOptional } from '../../dependency/optional-package.ts'
import { isOpaqueToken } from '../opaque-token.ts'
import type { SentAssertion, SentRegistration } from './read-passkey.ts'
import type { RelyingParty } from './relying-party.ts'

export interface Ceremony {
  /** `PublicKeyCredentialCreationOptionsJSON` of WebAuthn. */
  registrationOptions(challenge: string, account: PasskeyHolder): object
  /** `PublicKeyCredentialRequestOptionsJSON` of WebAuthn; names no account. */
  signInOptions(challenge: string): object
  challengeIn(clientDataJSON: string): string | null
  verifyRegistration(sent: SentRegistration, challenge: string): Promise<Verdict<NewCredential>>
  verifyAssertion(sent: SentAssertion, challenge: string, publicKey: string): Promise<Verdict<number>>
}
export interface PasskeyHolder {
  /** Random, in base64url: what an authenticator stores of the account. */
  readonly handle: string
  readonly login: string
  readonly credentialIds: readonly string[]
}
export interface NewCredential {
  readonly id: string
  readonly publicKey: string
  readonly counter: number
}
/** For the log: it may quote what was sent. */
export type Verdict<T> = { readonly value: T } | { readonly problem: string }

/** ES256, EdDSA and RS256 (RFC 9053): what authenticators have. */
const algorithms = [-7, -8, -257]
const timeoutMs = 300_000
/** An RSA key of 8,192 bits has 1,039 bytes. */
const publicKeyBytesMax = 1_100

/** The library is loaded with the first answer of a browser: it takes 10 MB. Throws MissingPackage. */
export function createCeremony({ domain, origins }: RelyingParty): Ceremony {
  requireOptional('@simplewebauthn/server', 'accounts.methods has passkeys')
  const expected = { expectedOrigin: [...origins], expectedRPID: domain, requireUserVerification: true }
  const clientExtensionResults = {}

  /** The library would fetch revocation lists that a certificate names. */
  function requireNoCertificates(attestation: AttestationObject): void {
    const [format, statement] = [attestation.get('fmt'), attestation.get('attStmt')]
    if (format !== 'none' && (format !== 'packed' || statement.get('x5c') !== undefined))
      throw new Error(`It is attested as ${format}, with certificates.`)
  }
  function requireTopLevel(clientDataJSON: string): void {
    if (clientDataOf(clientDataJSON).crossOrigin === true) throw new Error('It was made in a frame of another origin.')
  }

  return {
    registrationOptions: (challenge, { handle, login, credentialIds }) => ({
      challenge,
      rp: { id: domain, name: domain },
      user: { id: handle, name: login, displayName: login },
      pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
      excludeCredentials: credentialIds.map((id) => ({ type: 'public-key', id })),
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      attestation: 'none',
      timeout: timeoutMs,
    }),
    signInOptions: (challenge) => ({
      challenge,
      rpId: domain,
      allowCredentials: [],
      userVerification: 'required',
      timeout: timeoutMs,
    }),
    challengeIn(clientDataJSON) {
      const { challenge } = clientDataOf(clientDataJSON)
      return typeof challenge === 'string' && isOpaqueToken('', challenge) ? challenge : null
    },
    async verifyRegistration({ id, ...response }, expectedChallenge) {
      const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
      const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
      return verdictOf(async () => {
        requireTopLevel(response.clientDataJSON)
        requireNoCertificates(decodeAttestationObject(Buffer.from(response.attestationObject, 'base64url')))
        const sent = { id, rawId: id, type: 'public-key', clientExtensionResults, response } as const
        const { verified, registrationInfo } = await verifyRegistrationResponse({
          ...expected,
          response: sent,
          expectedChallenge,
          supportedAlgorithmIDs: algorithms,
        })
        if (!verified) throw new Error('Its signature does not fit.')
        const { credential } = registrationInfo
        if (credential.id !== id) throw new Error('Its id is not that of its credential.')
        if (credential.publicKey.length > publicKeyBytesMax) throw new Error('Its public key is too long.')
        return { id, publicKey: Buffer.from(credential.publicKey).toString('base64url'), counter: credential.counter }
      })
    },
    async verifyAssertion({ id, ...response }, expectedChallenge, publicKey) {
      const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
      return verdictOf(async () => {
        requireTopLevel(response.clientDataJSON)
        const sent = { id, rawId: id, type: 'public-key', clientExtensionResults, response } as const
        // When it is stored: the library compares it before the signature.
        const credential = { id, publicKey: Buffer.from(publicKey, 'base64url'), counter: 0 }
        const { verified, authenticationInfo } = await verifyAuthenticationResponse({
          ...expected,
          response: sent,
          expectedChallenge,
          credential,
        })
        if (!verified) throw new Error('Its signature does not fit.')
        return authenticationInfo.newCounter
      })
    },
  }
}

function clientDataOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(Buffer.from(text, 'base64url').toString()))
  } catch {
    return {}
  }
}

/** The library throws errors of any kind for what does not fit. */
async function verdictOf<T>(verify: () => Promise<T>): Promise<Verdict<T>> {
  try {
    return { value: await verify() }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}
