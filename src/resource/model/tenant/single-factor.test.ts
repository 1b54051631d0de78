// Callers without a second factor are a class of their own for what a reader may see. (contract 10.1.6, 10.2.23)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  boolean,
  choice,
  many,
  member,
  nobody,
  one,
  own,
  resource,
  SignInMethod,
  service,
  some,
  through,
} from 'duet-api'
import { User } from '../../../../test/support/domain/sign-in.ts'
import { compileModel } from '../compile/compile-model.ts'
import { singleFactorIn } from './single-factor.ts'

const cascade = { cascade: 'regardless' } as const
const Seat = resource('Seat', {
  prefix: 'sea',
  within: 'team',
  fields: { team: one('Team'), user: one('User', cascade), role: choice(['LEAD']) },
  actions: { read: { allow: member('team') }, create: { allow: nobody } },
})
/** Its readers are those in the list, whether or not they are members. */
const Bill = resource('Bill', {
  prefix: 'bil',
  fields: { team: one('Team') },
  actions: { read: { allow: through('team', some('seats', own('user'))) }, create: { allow: nobody } },
})
const modelOf = (secondFactorIf?: 'isStrict') => {
  const Team = resource('Team', {
    prefix: 'tea',
    fields: { seats: many('Seat', 'team'), isStrict: boolean({ default: false }) },
    members: { list: 'seats', account: 'user', role: 'role', ...(secondFactorIf && { secondFactorIf }) },
    actions: { read: { allow: member() }, create: { allow: nobody } },
  })
  return compileModel(
    service({
      resources: { User, SignInMethod, Team, Seat, Bill },
      accounts: {
        login: 'email',
        password: 'password',
        role: 'role',
        activeState: 'ACTIVE',
        methods: { totp: true },
      },
      roles: { MEMBER: {}, ADMIN: 'everything', TREASURER: {} },
      tenantRoles: { Team: { LEAD: {} } },
    }),
  )
}

for (const [secondFactorIf, hideable] of [
  [undefined, []],
  ['isStrict', ['team']],
] as const)
  test(`10.2.23 a tenant that ${hideable.length === 0 ? 'never' : 'perhaps'} requires a second factor is ${hideable.length === 0 ? 'shown' : 'perhaps null'}`, () => {
    const model = modelOf(secondFactorIf)
    assert.deepEqual(
      model.byName.get('Bill')!.hideable.map(({ field }) => field),
      hideable,
    )
    assert.equal(singleFactorIn(model) === undefined, hideable.length === 0)
  })
