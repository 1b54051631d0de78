// Rows about API keys: how one is made, and sent.

import type { Preparation, Row } from './clauses.ts'

export const row = (it: string, more: Omit<Row, 'clause' | 'it'>, clause: Row['clause'] = '5.3.1'): Row => ({
  clause,
  it,
  ...more,
})
export const make = (body: object): Pick<Row, 'as' | 'send' | 'body'> => ({
  as: 'editor',
  send: 'POST /api/v2/api-keys',
  body: { name: 'A key', scopes: ['read:posts'], ...body },
})
export const made = (scopes: readonly string[]): Preparation => ({
  ...make({ scopes }),
  keep: { key: 'body.data.key', id: 'body.data.id' },
})
export const withKey = { 'X-API-Key': '{key}' }
