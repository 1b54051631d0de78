// The cookie that binds a flow to its browser, and the secrets that follow from it, so that none is stored. (contract 5.16.3)

import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { hashOpaqueToken, isOpaqueToken } from '../opaque-token.ts'

const name = 'duet_flow'

/** `Set-Cookie` for a flow; null deletes it. `Lax`, as an issuer sends the browser back from another site. */
export function flowCookie(token: string | null, basePath: string, seconds: number): string {
  const maxAge = token === null ? 0 : seconds
  return `${name}=${token ?? ''}; HttpOnly; Secure; SameSite=Lax; Path=${basePath}/auth; Max-Age=${maxAge}`
}

/** Null without a cookie, or with two: a sibling host may have set one of them. */
export function readFlowCookie({ cookie = '' }: IncomingHttpHeaders): string | null {
  const values = cookie
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
  const [value = ''] = values
  return values.length === 1 && isOpaqueToken('flw_', value) ? value : null
}

export interface FlowSecrets {
  /** The key of the stored flow. */
  readonly hash: string
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

export function secretsOf(cookie: string): FlowSecrets {
  const derive = (name: string) => createHmac('sha256', cookie).update(name).digest('base64url')
  return { hash: hashOpaqueToken(cookie), state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') }
}
