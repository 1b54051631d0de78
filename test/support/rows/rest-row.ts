// Rows about REST by their address.

import type { Clause } from '../../contract/contract.ts'
import type { Expected, Row } from './clauses.ts'

export const row = (clause: Clause, it: string, more: Omit<Row, 'clause' | 'it'>): Row => ({ clause, it, ...more })
export const get = (clause: Clause, it: string, path: string, answer: Expected, more: Partial<Row> = {}): Row => ({
  clause,
  it,
  send: `GET /api/v2/${path}`,
  answer,
  ...more,
})
