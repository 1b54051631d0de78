// Creating, replacing, changing and deleting one record, and the conditions that come with it.

import { clauses, type Expected, type Row } from '../support/rows/clauses.ts'
import { actionTwin, answering, createTwin, updateTwin } from '../support/rows/graphql-question.ts'
import type { Clause } from './contract.ts'

const invalid = (field: string): Expected => ({ status: 400, code: 'VALIDATION_ERROR', field })
const missing = 'post_00000000000000000000000000'
const post = { title: 'Title', content: 'Content', tags: ['a', 'b'] }
const tagged = { tagged: { Post: { title: 'T', content: 'C', tags: ['x'], author: '{editor}' } } }
const person = {
  person: { User: { name: 'Person', bio: 'Bio', avatarUrl: 'https://example.com/a', preferences: { a: 1 } } },
}
const editor = { person: { User: { ...person.person.User, role: 'EDITOR' } } }
const write = (clause: Clause, it: string, row: Omit<Row, 'clause' | 'it'>): Row => ({
  clause,
  it,
  as: 'editor',
  ...row,
})

clauses('4.5 Writes: one record', [
  write('4.5.1', 'POST is 201 with Location', {
    send: 'POST /api/v2/posts',
    body: post,
    also: createTwin('Post', post, 'title content tags author { id } publishedAt'),
    answer: { status: 201, data: { ...post, author_id: '{editor}', published_at: null } },
  }),
  write('4.5.1', 'what was made is at its Location', {
    first: [{ as: 'editor', send: 'POST /api/v2/posts', body: post, keep: { location: 'headers.location' } }],
    send: 'GET {location}',
    answer: { status: 200, data: post },
  }),
  write('4.5.1', 'POST with publish makes a post public at once', {
    send: 'POST /api/v2/posts',
    body: { ...post, publish: true },
    also: createTwin('Post', { ...post, publish: true }, 'publishedAt'),
    answer: { status: 201, data: { published_at: /^2026-/ } },
  }),
  write('4.5.1', 'POST with publish: false does not', {
    send: 'POST /api/v2/posts',
    body: { ...post, publish: false },
    also: createTwin('Post', { ...post, publish: false }, 'publishedAt'),
    answer: { status: 201, data: { published_at: null } },
  }),
  write('4.5.1', 'publish is true or false', {
    send: 'POST /api/v2/posts',
    body: { ...post, publish: 'yes' },
    also: createTwin('Post', { ...post, publish: 'yes' }),
    answer: invalid('publish'),
  }),
  ...(
    [
      ['a list', '[]'],
      ['null', 'null'],
      ['text', '"x"'],
      ['a number', '1'],
    ] as const
  ).map(([what, body]) =>
    write('4.5.1', `a body that is ${what} is 400`, {
      send: 'POST /api/v2/posts',
      body,
      answer: { status: 400, code: 'VALIDATION_ERROR' },
    }),
  ),
  write('4.5.1', 'no body at all is a body without fields', {
    send: 'POST /api/v2/posts',
    answer: { status: 400, code: 'VALIDATION_ERROR', fields: ['title', 'content'] },
  }),
  write('7.2.4', 'all problems of one body are told at once', {
    send: 'POST /api/v2/posts',
    body: { title: '', content: 5, tags: ['', 'x'.repeat(31), 1], colour: 'red', size: 1 },
    answer: {
      status: 400,
      code: 'VALIDATION_ERROR',
      fields: ['title', 'content', 'tags[0]', 'tags[1]', 'tags[2]', 'colour', 'size'],
    },
  }),

  write('4.5.2', 'PUT replaces what it says, and the rest by its default', {
    given: tagged,
    send: 'PUT /api/v2/posts/{tagged}',
    body: { title: 'New', content: 'New' },
    answer: {
      status: 200,
      data: { id: '{tagged}', title: 'New', content: 'New', tags: [] },
      headers: { ETag: /^"2\./ },
    },
  }),
  write('4.5.2', 'PUT without a required field is 400', {
    send: 'PUT /api/v2/posts/{draft}',
    body: { title: 'New' },
    answer: invalid('content'),
  }),
  write('4.5.2', 'PUT of nothing is 400', {
    send: 'PUT /api/v2/posts/{draft}',
    body: {},
    answer: { status: 400, code: 'VALIDATION_ERROR', fields: ['title', 'content'] },
  }),
  write('4.5.2', 'PUT leaves alone what only actions write', {
    send: 'PUT /api/v2/posts/{post}',
    body: { title: 'New', content: 'New' },
    answer: { status: 200, data: { published_at: '2026-11-01T12:00:00.000Z', author_id: '{editor}' } },
  }),
  write('4.5.2', 'PUT of oneself clears the optional fields, and leaves role and email_verified', {
    as: '{person}',
    given: person,
    send: 'PUT /api/v2/users/{person}',
    body: { name: 'New' },
    answer: {
      status: 200,
      data: {
        name: 'New',
        bio: null,
        avatar_url: null,
        preferences: (value: object) => Object.keys(value).length === 0,
        role: 'VIEWER',
        email_verified: true,
      },
    },
  }),
  write('4.5.2', 'PUT by an admin leaves role and email_verified alone, too', {
    as: 'admin',
    given: editor,
    send: 'PUT /api/v2/users/{person}',
    body: { name: 'New' },
    answer: { status: 200, data: { name: 'New', bio: null, role: 'EDITOR', email_verified: true } },
  }),
  write('4.5.2', 'unless they are sent', {
    as: 'admin',
    given: editor,
    send: 'PUT /api/v2/users/{person}',
    body: { name: 'New', role: 'VIEWER' },
    answer: { status: 200, data: { role: 'VIEWER', email_verified: true } },
  }),
  write('4.5.2', 'PUT does not take publish', {
    send: 'PUT /api/v2/posts/{draft}',
    body: { ...post, publish: true },
    answer: invalid('publish'),
  }),
  write('4.5.3', 'PUT of a missing id is 404, and makes nothing', {
    send: `PUT /api/v2/posts/${missing}`,
    body: post,
    answer: { status: 404, code: 'NOT_FOUND' },
    then: [{ as: 'editor', send: `GET /api/v2/posts/${missing}`, answer: { status: 404, code: 'NOT_FOUND' } }],
  }),

  write('4.5.4', 'PATCH changes what is named', {
    given: tagged,
    send: 'PATCH /api/v2/posts/{tagged}',
    body: { title: 'New' },
    also: updateTwin('Post', '{tagged}', { title: 'New' }, 'title content tags'),
    answer: { status: 200, data: { title: 'New', content: 'C', tags: ['x'] } },
  }),
  write('4.5.4', 'PATCH of a list replaces it whole', {
    given: tagged,
    send: 'PATCH /api/v2/posts/{tagged}',
    body: { tags: ['y'] },
    also: updateTwin('Post', '{tagged}', { tags: ['y'] }, 'tags'),
    answer: { status: 200, data: { tags: ['y'] } },
  }),
  write('4.5.4', 'PATCH does not take publish', {
    send: 'PATCH /api/v2/posts/{draft}',
    body: { publish: true },
    also: updateTwin('Post', '{draft}', { publish: true }),
    answer: invalid('publish'),
  }),
  ...['bio', 'avatar_url'].map((field) =>
    write('4.5.5', `null clears ${field}`, {
      as: '{person}',
      given: person,
      send: 'PATCH /api/v2/users/{person}',
      body: { [field]: null },
      also: updateTwin('User', '{person}', { [field]: null }, 'name bio avatarUrl'),
      answer: { status: 200, data: { name: 'Person', [field]: null } },
    }),
  ),
  ...['name', 'preferences'].map((field) =>
    write('4.5.5', `null is 400 for ${field}`, {
      as: '{person}',
      given: person,
      send: 'PATCH /api/v2/users/{person}',
      body: { [field]: null },
      also: updateTwin('User', '{person}', { [field]: null }),
      answer: invalid(field),
    }),
  ),
  write('4.5.6', 'a JSON value is replaced whole', {
    as: '{person}',
    given: person,
    send: 'PATCH /api/v2/users/{person}',
    body: { preferences: { b: { c: 2 } } },
    also: updateTwin('User', '{person}', { preferences: { b: { c: 2 } } }, 'preferences'),
    answer: { status: 200, data: { preferences: (value: unknown) => JSON.stringify(value) === '{"b":{"c":2}}' } },
  }),
  write('4.5.6', 'the names in a JSON value stay as they are', {
    as: '{person}',
    given: person,
    send: 'PATCH /api/v2/users/{person}',
    body: { preferences: { camelCase: 1, snake_case: 2, é: '', '': null } },
    answer: {
      status: 200,
      data: { preferences: (value: object) => Object.keys(value).sort().join() === ',camelCase,snake_case,é' },
    },
  }),
  write('4.5.7', 'an empty PATCH is 400', {
    send: 'PATCH /api/v2/posts/{draft}',
    body: {},
    also: updateTwin('Post', '{draft}', {}),
    answer: { status: 400, code: 'VALIDATION_ERROR', fields: [], message: 'Send at least one field.' },
  }),
  write('4.5.7', 'a PATCH without a body is 400', {
    send: 'PATCH /api/v2/posts/{draft}',
    answer: { status: 400, code: 'VALIDATION_ERROR' },
  }),
  write('4.5.4', 'a PATCH that changes nothing raises the version all the same', {
    send: 'PATCH /api/v2/posts/{draft}',
    body: { title: 'Draft' },
    answer: { status: 200, headers: { ETag: /^"2\./ } },
  }),

  write('4.5.9', 'DELETE is 204', {
    send: 'DELETE /api/v2/posts/{draft}',
    also: answering(actionTwin('delete', 'Post', '{draft}'), { body: { data: { deletePost: true } } }),
    answer: { status: 204 },
  }),
  write('4.5.9', 'DELETE again is 404', {
    first: [{ as: 'editor', send: 'DELETE /api/v2/posts/{draft}' }],
    send: 'DELETE /api/v2/posts/{draft}',
    also: answering(actionTwin('delete', 'Post', '{draft}'), { path: ['deletePost'] }),
    answer: { status: 404, code: 'NOT_FOUND' },
  }),
  write('4.5.9', 'DELETE with a body that says something is 400', {
    send: 'DELETE /api/v2/posts/{draft}',
    body: { title: 'x' },
    answer: invalid('title'),
  }),

  write('4.5.10', 'a move with a field that there is not is 400', {
    send: 'POST /api/v2/posts/{draft}/publish',
    body: { published_at: '2020-01-01T00:00:00.000Z' },
    answer: invalid('published_at'),
  }),
  write('4.5.10', 'a move with a body that is no object is 400', {
    send: 'POST /api/v2/posts/{draft}/publish',
    body: [],
    answer: { status: 400, code: 'VALIDATION_ERROR' },
  }),
  ...[missing, '{draft}', 'x', 'usr_00000000000000000000000000'].map((id) =>
    write('4.5.11', `a comment on ${id} is 422 with post_id`, {
      as: 'viewer',
      send: 'POST /api/v2/comments',
      body: { post_id: id, content: 'C' },
      also: createTwin('Comment', { post_id: id, content: 'C' }),
      answer: { status: 422, code: 'BUSINESS_RULE_VIOLATION', field: 'post_id' },
    }),
  ),
  write('4.5.11', 'the author of a draft comments it', {
    send: 'POST /api/v2/comments',
    body: { post_id: '{draft}', content: 'C' },
    also: createTwin('Comment', { post_id: '{draft}', content: 'C' }, 'post { id } author { id }'),
    answer: { status: 201, data: { post_id: '{draft}', author_id: '{editor}' } },
  }),
  write('4.5.11', 'every record that is missing is named', {
    as: 'viewer',
    send: 'POST /api/v2/orders',
    body: { items: ['x', '{product}', 'y'].map((product_id) => ({ product_id, quantity: 1 })) },
    also: createTwin('Order', { items: ['x', '{product}', 'y'].map((product_id) => ({ product_id, quantity: 1 })) }),
    answer: { status: 422, code: 'BUSINESS_RULE_VIOLATION', fields: ['items[0].product_id', 'items[2].product_id'] },
  }),
])
