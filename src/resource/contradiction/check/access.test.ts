// Accounts nobody can sign in with, roles that grant nothing, versions out of order. (contract 5.4.3)

import { anyOf, boolean, email, may, optional, password, signedIn, text } from 'duet-api'
import { changed, refuses, serviceWith, userWith, versions } from '../../../../test/support/domain/valid-service.ts'

refuses('accounts, roles and versions', [
  [
    serviceWith({ accounts: { resource: 'Member' } }),
    'accounts: there is no resource Member; list it among resources, or name the one with accounts.resource.',
  ],
  [
    serviceWith({ accounts: { login: 'role' } }),
    'accounts: its login is role, which is no email of User; write email instead.',
  ],
  [
    serviceWith({ accounts: { login: 'mail' } }),
    'accounts: its login is mail, which is no email of User; write email instead.',
  ],
  [
    serviceWith({ accounts: { password: 'email' } }),
    'accounts: its password is email, which is no password of User; write password instead.',
  ],
  [
    serviceWith({ accounts: { role: 'status' } }),
    'accounts: its role is status, which is no choice of User; write role instead.',
  ],
  [
    serviceWith({ accounts: { activeState: 'ONN' } }),
    'accounts: its activeState is ONN, which is no state of User; write ON instead.',
  ],
  [userWith({ fields: { email: email() } }), 'User.email: two accounts could sign in with the same; make it unique.'],
  [
    userWith({ fields: { email: optional(email({ unique: true })) } }),
    'User: its email, password and role are needed to sign in; strike optional.',
  ],
  [
    serviceWith({ accounts: { secondFactorFor: ['ADMIN'] } }),
    'accounts: its secondFactorFor needs a second factor, or these roles could not sign in; switch on totp or passkeys.',
  ],
  [
    userWith({ fields: { password: optional(password({ min: 8, max: 200 })) } }),
    'User: its email, password and role are needed to sign in; strike optional, or switch on another method.',
  ],
  [
    userWith({ protect: { role: undefined } }),
    'User.update: it lets people choose their own role; protect role with a write.',
  ],
  [
    userWith({
      protect: { role: undefined },
      actions: { update: { allow: anyOf(may('manage'), signedIn), accept: ['role'] } },
    }),
    'User.update: it lets people choose their own role; protect role with a write.',
  ],
  [serviceWith({ roles: { MEMBER: undefined } }), 'roles: MEMBER is not among them; list what it may do.'],
  [
    serviceWith({ roles: { GUEST: {} } }),
    'roles.GUEST: no account can have the role GUEST; write MEMBER or ADMIN instead.',
  ],
  [serviceWith({ roles: { MEMBER: { post: ['create'] } } }), 'roles.MEMBER: there are no post; write posts instead.'],
  [
    serviceWith({ roles: { MEMBER: { posts: ['creat'] } } }),
    'roles.MEMBER: no rule uses creat of posts; write create instead.',
  ],
  [
    serviceWith({ roles: { MEMBER: { posts: ['edit'] } } }),
    'roles.MEMBER: no rule uses edit of posts; write create, edit_own, edit_any or publish instead.',
  ],
  [
    serviceWith({ roles: { MEMBER: { posts: ['create', 'create'] } } }),
    'roles.MEMBER: it grants create of posts twice; strike one.',
  ],
  [
    serviceWith({ roles: { MEMBER: { includes: 'GUEST' } } }),
    'roles.MEMBER: it includes GUEST, which is no role; write MEMBER or ADMIN instead.',
  ],
  [
    serviceWith({ roles: { MEMBER: { includes: 'MEMBER' } } }),
    'roles.MEMBER: it includes itself; strike one of the includes between.',
  ],
  [
    serviceWith({ roles: { MEMBER: { includes: 'ADMIN' }, ADMIN: { includes: 'MEMBER' } } }),
    'roles.MEMBER: it includes itself; strike one of the includes between.',
    'roles.ADMIN: it includes itself; strike one of the includes between.',
  ],
  [serviceWith({ versions: {} }), 'versions: 0 of them are current; let exactly one be current.'],
  [
    serviceWith({ versions: { v1: 'current', v2: 'current' } }),
    'versions: 2 of them are current; let exactly one be current.',
  ],
  [
    serviceWith({ versions: { v1: 'current', v2: versions.v1 } }),
    'versions: v1 is current, and not the last; list the oldest first.',
  ],
  [
    serviceWith({ versions: { v2: versions.v1, v1: 'current' } }),
    'versions.v1: it stands after v2; list the oldest first.',
  ],
  [
    serviceWith({ versions: { one: versions.v1, v2: 'current' } }),
    'versions.one: its name is not of the form v2; count versions from v1.',
  ],
  [
    serviceWith({ versions: { v1: { deprecated: '2026-02-30', sunset: '2027-01-01' }, v2: 'current' } }),
    'versions.v1: its deprecated 2026-02-30 is no day; write it as 2026-11-20.',
  ],
  [
    serviceWith({ versions: { v1: { deprecated: '2026-01-01', sunset: 'soon' }, v2: 'current' } }),
    'versions.v1: its sunset soon is no day; write it as 2026-11-20.',
  ],
  [
    serviceWith({ versions: { v1: { deprecated: '2026-01-01', sunset: '2026-01-01' }, v2: 'current' } }),
    'versions.v1: its sunset is not after its deprecation; correct one of them.',
  ],
  [
    serviceWith({
      versions: {
        v1: { deprecated: '2026-01-02', sunset: '2027-01-01' },
        v2: { deprecated: '2026-01-01', sunset: '2028-01-01' },
        v3: 'current',
      },
    }),
    'versions.v2: its deprecated is before that of an older version; correct one of them.',
  ],
  [
    serviceWith({
      versions: {
        v1: { deprecated: '2026-01-01', sunset: '2027-01-02' },
        v2: { deprecated: '2026-01-01', sunset: '2027-01-01' },
        v3: 'current',
      },
    }),
    'versions.v2: its sunset is before that of an older version; correct one of them.',
  ],
])

refuses(
  'a login that is no address',
  [
    [
      userWith({ fields: { email: text({ max: 99, unique: true }) } }),
      'accounts: its login is email, which is no email of User; declare it with email.',
    ],
  ],
  '4.13.6',
)

refuses(
  'a flag that every new account would have',
  [
    [
      changed(userWith({ fields: { sure: boolean({ default: true }) } }), {
        accounts: { verified: 'sure' },
      }),
      'User.sure: every new account would be verified; let its default be false.',
    ],
  ],
  '5.9.1',
)
