// Who may write what: fields that are somebody else's to set, and names that nobody knows.

import { clauses, type Row } from '../support/rows/clauses.ts'
import { answering, camel, camelled, createTwin, updateTwin } from '../support/rows/graphql-question.ts'

const own = { name: 'New name', bio: 'B', avatar_url: 'https://example.com/a', preferences: { a: 1 } }
const signUp = { name: 'New', email: '{unique}@example.com', password: 'long enough' }
/** A write that was refused has changed nothing. */
const untouched = (path: string) =>
  [{ as: 'admin', send: `GET /api/v2/${path}`, answer: { status: 200, headers: { ETag: /^"1\./ } } }] as const

const protectedFields = [
  ['role', 'ADMIN'],
  ['email_verified', true],
] as const
const unwritable: readonly (readonly [string, unknown])[] = [
  ['status', 'SUSPENDED'],
  ['email', 'other@example.com'],
  ['password', 'another password'],
  ['password_hash', 'x'],
  ['is_active', true],
  ['id', 'usr_00000000000000000000000000'],
  ['user_id', '{admin}'],
  ['created_at', '2020-01-01T00:00:00.000Z'],
  ['updated_at', '2020-01-01T00:00:00.000Z'],
  ['deleted_at', null],
  ['version', 7],
  ['permissions', ['users:manage']],
  ['posts', []],
  ['followers', ['{admin}']],
  ['role ', 'ADMIN'],
  ['Role', 'ADMIN'],
  ['emailVerified', true],
  ['constructor', {}],
]

clauses('2.8 Writing users', [
  {
    clause: '2.8.1',
    it: 'a user writes the own name, bio, avatar_url and preferences',
    as: '{me}',
    given: { me: { User: { name: 'Me' } } },
    send: 'PATCH /api/v2/users/{me}',
    body: own,
    also: updateTwin('User', '{me}', own, 'name bio avatarUrl preferences'),
    answer: { status: 200, data: own },
  },
  {
    clause: '2.8.2',
    it: 'an admin writes role and email_verified of others',
    as: 'admin',
    send: 'PATCH /api/v2/users/{suspended}',
    body: { role: 'EDITOR', email_verified: false },
    also: updateTwin('User', '{suspended}', { role: 'EDITOR', email_verified: false }, 'role emailVerified'),
    answer: { status: 200, data: { role: 'EDITOR', email_verified: false } },
  },
  {
    clause: '2.8.2',
    it: 'an admin makes a user of any role',
    as: 'admin',
    send: 'POST /api/v2/users',
    body: { ...signUp, role: 'EDITOR', email_verified: true },
    also: createTwin('User', { ...signUp, role: 'EDITOR', email_verified: true }, 'role emailVerified'),
    answer: { status: 201, data: { role: 'EDITOR', email_verified: true } },
  },
  ...protectedFields.flatMap(([field, value]): Row[] => [
    {
      clause: '2.8.5',
      it: `${field} of oneself is 403`,
      as: 'viewer',
      send: 'PATCH /api/v2/users/{viewer}',
      body: { name: 'Changed', [field]: value },
      also: answering(updateTwin('User', '{viewer}', { name: 'Changed', [field]: value }), {
        message: `You may not write ${camel(field)}.`,
      }),
      answer: { status: 403, code: 'FORBIDDEN', message: `You may not write ${field}.` },
      then: untouched('users/{viewer}'),
    },
    {
      clause: '2.8.5',
      it: `${field} of oneself by PUT is 403`,
      as: 'editor',
      send: 'PUT /api/v2/users/me',
      body: { name: 'Changed', [field]: value },
      answer: { status: 403, code: 'FORBIDDEN' },
      then: untouched('users/{editor}'),
    },
    {
      clause: '2.8.5',
      it: `${field} is 403 even where it is as it was`,
      as: 'viewer',
      send: 'PATCH /api/v2/users/me',
      body: { [field]: field === 'role' ? 'VIEWER' : false },
      answer: { status: 403, code: 'FORBIDDEN' },
    },
    {
      clause: '2.8.5',
      it: `${field} at sign-up is 401`,
      send: 'POST /api/v2/users',
      body: { ...signUp, [field]: value },
      also: createTwin('User', { ...signUp, [field]: value }),
      answer: { status: 401, code: 'UNAUTHENTICATED' },
    },
    {
      clause: '2.8.5',
      it: `${field} of a new user is 403 to a viewer`,
      as: 'viewer',
      send: 'POST /api/v2/users',
      body: { ...signUp, [field]: value },
      also: createTwin('User', { ...signUp, [field]: value }),
      answer: { status: 403, code: 'FORBIDDEN' },
    },
  ]),
  ...unwritable.map(([field, value]): Row => {
    const camelCased = camel(field)
    const isName = /^[a-z_]+$/.test(field)
    const also = answering(updateTwin('User', '{viewer}', {}), {})
    return {
      clause: field === 'status' ? '2.8.3' : /email$|^password$/.test(field) ? '2.8.4' : '2.8.6',
      it: `a user's ${JSON.stringify(field)} is 400`,
      as: 'viewer',
      send: 'PATCH /api/v2/users/{viewer}',
      body: { name: 'Changed', [field]: value },
      ...(isName
        ? {
            also: { ...also, variables: { id: '{viewer}', input: { name: 'Changed', [camelCased]: camelled(value) } } },
          }
        : {}),
      answer: { status: 400, code: 'VALIDATION_ERROR', fields: [field] },
      then: untouched('users/{viewer}'),
    }
  }),
  ...['status', 'id', 'created_at', 'user_id'].map(
    (field): Row => ({
      clause: '2.8.6',
      it: `${field} at sign-up is 400`,
      send: 'POST /api/v2/users',
      body: { ...signUp, [field]: 'x' },
      also: createTwin('User', { ...signUp, [field]: 'x' }),
      answer: { status: 400, code: 'VALIDATION_ERROR', field },
    }),
  ),
  ...['__proto__', 'constructor', 'toString'].map(
    (field): Row => ({
      clause: '2.8.6',
      it: `${field} is a name like any other`,
      as: 'viewer',
      send: 'PATCH /api/v2/users/{viewer}',
      body: `{"name":"Changed","${field}":{"role":"ADMIN"}}`,
      answer: { status: 400, code: 'VALIDATION_ERROR', field },
      then: untouched('users/{viewer}'),
    }),
  ),
  ...(
    [
      ['role', 'ADMIN', 403, 'FORBIDDEN'],
      ['status', 'SUSPENDED', 400, 'VALIDATION_ERROR'],
    ] as const
  ).map(
    ([field, value, status, code]): Row => ({
      clause: field === 'role' ? '2.8.5' : '2.8.3',
      it: `${field} behind a nested object of the same name is ${status}`,
      as: 'viewer',
      send: 'PATCH /api/v2/users/{viewer}',
      body: { preferences: { [field]: { [field]: [value] } }, [field]: value },
      also: updateTwin('User', '{viewer}', { preferences: { [field]: { [field]: [value] } }, [field]: value }),
      answer: { status, code },
      then: untouched('users/{viewer}'),
    }),
  ),
  ...['false', '', 0, [], {}, null].map(
    (value): Row => ({
      clause: '2.8.2',
      it: `${JSON.stringify(value)} is no boolean`,
      as: 'admin',
      send: 'PATCH /api/v2/users/{suspended}',
      body: { email_verified: value },
      also: updateTwin('User', '{suspended}', { email_verified: value }),
      answer: { status: 400, code: 'VALIDATION_ERROR', field: 'email_verified' },
      then: untouched('users/{suspended}'),
    }),
  ),
  {
    clause: '2.8.3',
    it: 'status is 400 for an admin, too',
    as: 'admin',
    send: 'PATCH /api/v2/users/{suspended}',
    body: { status: 'ACTIVE' },
    also: updateTwin('User', '{suspended}', { status: 'ACTIVE' }),
    answer: { status: 400, code: 'VALIDATION_ERROR', field: 'status' },
  },
  {
    clause: '2.8.4',
    it: 'an email cannot be changed',
    as: 'admin',
    send: 'PUT /api/v2/users/{suspended}',
    body: { name: 'N', email: 'new@example.com' },
    answer: { status: 400, code: 'VALIDATION_ERROR', field: 'email' },
  },
])

const create = { title: 'T', content: 'C' }
const stolen: readonly (readonly [string, unknown])[] = [
  ['id', 'post_00000000000000000000000000'],
  ['author_id', '{admin}'],
  ['author', '{admin}'],
  ['user_id', '{admin}'],
  ['created_at', '2020-01-01T00:00:00.000Z'],
  ['createdAt', '2020-01-01T00:00:00.000Z'],
  ['published_at', '2020-01-01T00:00:00.000Z'],
  ['deleted_at', '2020-01-01T00:00:00.000Z'],
  ['comments', []],
  ['colour', 'red'],
  ['author.role', 'ADMIN'],
  ['author[role]', 'ADMIN'],
]

clauses('2.8 Writing posts', [
  ...stolen.flatMap(([field, value]): Row[] => {
    const input = { [camel(field)]: value }
    const isName = /^[A-Za-z_]\w*$/.test(field)
    const refused = { status: 400, code: 'VALIDATION_ERROR', field } as const
    return [
      {
        clause: '2.8.6',
        it: `POST with ${field}`,
        as: 'editor',
        send: 'POST /api/v2/posts',
        body: { ...create, [field]: value },
        ...(isName
          ? { also: answering(createTwin('Post', { ...create, ...input }), { field: camelToRest(field) }) }
          : {}),
        answer: refused,
      },
      {
        clause: '2.8.6',
        it: `PATCH with ${field}`,
        as: 'editor',
        send: 'PATCH /api/v2/posts/{post}',
        body: { title: 'New', [field]: value },
        answer: refused,
        then: untouched('posts/{post}'),
      },
      {
        clause: '2.8.6',
        it: `PUT with ${field}`,
        as: 'admin',
        send: 'PUT /api/v2/posts/{post}',
        body: { ...create, [field]: value },
        answer: refused,
        then: untouched('posts/{post}'),
      },
      {
        clause: '2.8.6',
        it: `batch create with ${field}`,
        as: 'editor',
        send: 'POST /api/v2/posts/batch',
        body: { posts: [create, { ...create, [field]: value }] },
        answer: { ...refused, field: `posts[1].${field}` },
      },
      {
        clause: '2.8.6',
        it: `update many with ${field}`,
        as: 'editor',
        send: 'PATCH /api/v2/posts',
        body: { ids: ['{post}'], title: 'New', [field]: value },
        answer: refused,
        then: untouched('posts/{post}'),
      },
    ]
  }),
  {
    clause: '2.8.6',
    it: 'a key that is written with an escape is that key',
    as: 'viewer',
    send: 'PATCH /api/v2/users/{viewer}',
    body: '{"\\u0072ole":"ADMIN"}',
    answer: { status: 403, code: 'FORBIDDEN' },
  },
  {
    clause: '2.8.6',
    it: 'an object in the place of a reference is 400',
    as: 'viewer',
    send: 'POST /api/v2/comments',
    body: { post_id: { id: '{post}' }, content: 'C' },
    also: createTwin('Comment', { post_id: { id: '{post}' }, content: 'C' }),
    answer: { status: 400, code: 'VALIDATION_ERROR', field: 'post_id' },
  },
  {
    clause: '2.8.6',
    it: 'the author of a new post is who is signed in',
    as: 'editor',
    send: 'POST /api/v2/posts',
    body: create,
    also: createTwin('Post', create, 'author { id }'),
    answer: { status: 201, data: { author_id: '{editor}' } },
  },
  {
    clause: '2.8.6',
    it: 'a comment does not move to another post',
    as: 'viewer',
    send: 'PATCH /api/v2/comments/{comment}',
    body: { post_id: '{other post}' },
    also: updateTwin('Comment', '{comment}', { post_id: '{other post}' }),
    answer: { status: 400, code: 'VALIDATION_ERROR', field: 'post_id' },
  },
])

/** What GraphQL's name of a field is in the names of REST. */
function camelToRest(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
