// Codes of authenticator apps: six digits, for 30 seconds. (RFC 6238)

import { loadOptional } from '../../../dependency/optional-package.ts'

export interface TotpCodes {
  /** 160 random bits in base32. */
  makeSecret(): string
  /** The address that an app reads as a QR code. */
  urlOf(secret: string, label: string): string
  /** The step of the code, which is at most one off; null for a wrong one. */
  stepOf(secret: string, code: string, now: Date): number | null
}

const periodSeconds = 30

/** `issuer` is what apps show. */
export async function loadTotpCodes(issuer: string): Promise<TotpCodes> {
  const load = () => import('otpauth')
  const { Secret, TOTP } = await loadOptional('otpauth', 'accounts.methods has totp', load)
  const totpOf = (secret: string, label = '') =>
    new TOTP({ issuer, label, secret: Secret.fromBase32(secret), digits: 6, period: periodSeconds })
  return {
    makeSecret: () => new Secret({ size: 20 }).base32,
    urlOf: (secret, label) => totpOf(secret, label).toString(),
    stepOf(secret, code, now) {
      if (!isTotpCode(code)) return null
      const timestamp = now.getTime()
      const delta = totpOf(secret).validate({ token: code, timestamp, window: 1 })
      return delta === null ? null : Math.floor(timestamp / 1000 / periodSeconds) + delta
    },
  }
}

export const isTotpCode = (code: string): boolean => /^[0-9]{6}$/.test(code)
