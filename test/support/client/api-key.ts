// API keys for tests: made by their owner, as everybody makes them.

import assert from 'node:assert/strict'
import type { Question, TestService } from '../server/service.ts'

export interface MadeKey {
  readonly id: string
  /** The secret, which was shown once. */
  readonly key: string
  readonly headers: { readonly 'X-API-Key': string }
}

export async function makeKey(
  service: TestService,
  owner: Pick<Question, 'as' | 'fixtures'>,
  scopes: readonly string[],
  expiresAt: Date | null = null,
): Promise<MadeKey> {
  const body = { name: 'A key', scopes, expires_at: expiresAt?.toISOString() ?? null }
  const answer = await service.send('POST /api/v2/api-keys', { ...owner, body })
  assert.equal(answer.status, 201, answer.text)
  const { id, key } = answer.body.data
  return { id, key, headers: { 'X-API-Key': key } }
}
