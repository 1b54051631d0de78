import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Root } from '../read-plan/selection.ts'
import { createRootCache } from './root-cache.ts'

test('8.4.5 roots are held by their number, and by the length of their keys', () => {
  const roots = createRootCache({ plans: 1_000, planBytes: 1_000_000 })
  const make = () => ({}) as Root
  const first = roots.get('first', make)
  for (let at = 0; at < 50; at++) roots.get(`short ${at}`, make)
  assert.equal(roots.get('first', make), first)
  for (let at = 0; at < 50; at++) roots.get(`${at} ${'long '.repeat(200)}`, make)
  assert.notEqual(roots.get('first', make), first)
})
