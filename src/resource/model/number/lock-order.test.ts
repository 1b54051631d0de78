// All transactions lock records in this order: what others require comes first.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { many, one, optional, resource, service, signedIn } from 'duet-api'
import { User } from '../../../../test/support/domain/sign-in.ts'
import { compileModel } from '../compile/compile-model.ts'
import { compareLocks } from './lock-order.ts'

const read = { allow: signedIn }
const actions = { read }
const model = compileModel(
  service({
    resources: {
      User,
      // By table alone, each of these would come before what it requires.
      Zone: resource('Zone', {
        prefix: 'zon',
        fields: { pages: many('Page', 'zone') },
        counts: { pages: 'pages' },
        actions,
      }),
      Page: resource('Page', { prefix: 'pag', fields: { zone: optional(one('Zone')) }, actions }),
      Note: resource('Note', { prefix: 'not', fields: { page: one('Page'), next: optional(one('Note')) }, actions }),
      Answer: resource('Answer', { prefix: 'ans', fields: { note: one('Note') }, actions }),
      // These require each other.
      Right: resource('Right', { prefix: 'rig', fields: { left: one('Left') }, actions }),
      Left: resource('Left', { prefix: 'lef', fields: { right: one('Right'), answer: one('Answer') }, actions }),
    },
    accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
    roles: { MEMBER: {}, ADMIN: 'everything', TREASURER: {} },
  }),
)

test('what others require, and holders of numbers, come before these; in a ring, tables decide', () => {
  const names = ['Right', 'Left', 'Answer', 'Note', 'Page', 'Zone']
  const sorted = names.map((name) => model.byName.get(name)!).sort(compareLocks)
  assert.deepEqual(
    sorted.map(({ name }) => name),
    ['Zone', 'Page', 'Note', 'Answer', 'Left', 'Right'],
  )
})
