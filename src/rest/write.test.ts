import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  anyone,
  boolean,
  choice,
  email,
  optional,
  password,
  resource,
  type Service,
  service,
  signedIn,
  state,
  text,
  token,
  when,
} from 'duet-api'
import { api } from '../../reference/service.ts'
import { versionIn } from '../../test/support/check/version-in.ts'
import { forEachEngineAtOnce } from '../../test/support/server/databases.ts'
import { startRest } from '../../test/support/server/rest-face.ts'

const User = resource('User', {
  prefix: 'usr',
  fields: {
    name: optional(text({ max: 9 })),
    email: email({ unique: true }),
    password: password({ min: 8, max: 200 }),
    role: choice(['VIEWER'], { default: 'VIEWER' }),
    status: state('ACTIVE'),
  },
  actions: { read: { allow: anyone }, create: { allow: anyone, accept: ['name', 'email', 'password', 'role'] } },
})
const Badge = resource('Badge', {
  prefix: 'bdg',
  fields: { name: text({ max: 9 }), secretCode: token({ prefix: 'duet_' }) },
  actions: { read: { allow: anyone }, create: { allow: anyone, accept: ['name'] } },
})
const letters = Array.from({ length: 33 }, (_, place) => `letter${place}`)
const Cipher = resource('Cipher', {
  prefix: 'cph',
  fields: { isOpen: boolean(), ...Object.fromEntries(letters.map((letter) => [letter, text({ max: 9 })])) },
  // As many parts as one number has no bits for: the last two are told apart by nobody who counts to 32.
  protect: Object.fromEntries(
    letters.map((letter, place) => [letter, { read: place < 31 ? when({ isOpen: true }) : signedIn }]),
  ),
  actions: {
    read: { allow: anyone },
    create: { allow: anyone, accept: ['isOpen', ...letters] },
    update: { allow: signedIn, accept: ['isOpen'] },
  },
} as never)
const badges: Service<unknown> = service({
  resources: { User, Badge, Cipher },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  roles: { VIEWER: {} },
  versions: { v2: 'current' },
} as never)

const details = ({ body }: { body: { error: { details?: readonly { field: string; message: string }[] } } }) =>
  (body.error.details ?? []).map(({ field, message }) => `${field}: ${message}`)

forEachEngineAtOnce((engine) => {
  test('one record is created, replaced, changed and deleted (contract 4.5)', async (t) => {
    const { send, signUp } = await startRest(t, engine, api)
    const editor = await signUp('EDITOR')
    const created = await send('POST /api/v1/posts', { as: editor, body: { title: 'A', content: 'B', tags: ['x'] } })
    const { id } = created.body.data
    const path = `/api/v2/posts/${id}`
    assert.equal(created.status, 201)
    assert.equal(created.headers.get('Location'), `/api/v1/posts/${id}`)
    assert.equal(versionIn(created.headers.get('ETag')), 1)
    assert.equal(created.headers.get('Cache-Control'), 'no-store')
    assert.deepEqual(Object.keys(created.body.data), [
      'id',
      'title',
      'content',
      'tags',
      'author_id',
      'published_at',
      'created_at',
      'updated_at',
    ])

    const put = await send(`PUT ${path}`, { as: editor, body: { title: 'C', content: 'D' } })
    assert.deepEqual([put.status, versionIn(put.headers.get('ETag')), put.body.data.tags], [200, 2, []])
    assert.deepEqual(details(await send(`PUT ${path}`, { as: editor, body: { title: 'C' } })), [
      'content: Is required.',
    ])

    const patch = await send(`PATCH ${path}`, { as: editor, body: { title: 'E' } })
    assert.deepEqual([patch.status, versionIn(patch.headers.get('ETag'))], [200, 3])
    assert.deepEqual([patch.body.data.title, patch.body.data.content], ['E', 'D'])
    const empty = await send(`PATCH ${path}`, { as: editor, body: {} })
    assert.deepEqual([empty.status, empty.body.error.message], [400, 'Send at least one field.'])
    assert.deepEqual(details(await send(`PATCH ${path}`, { as: editor, body: { title: null } })), [
      'title: Must not be null.',
    ])

    const published = await send(`POST ${path}/publish`, { as: editor, body: {} })
    assert.deepEqual([published.status, versionIn(published.headers.get('ETag'))], [200, 4])
    assert.deepEqual(details(await send(`POST ${path}/unpublish`, { as: editor, body: { x: 1 } })), [
      'x: There is no such field.',
    ])
    assert.deepEqual(details(await send(`DELETE ${path}`, { as: editor, body: { x: 1 } })), [
      'x: There is no such field.',
    ])
    const deleted = await send(`DELETE ${path}`, { as: editor })
    assert.deepEqual([deleted.status, deleted.body, deleted.headers.get('Cache-Control')], [204, null, 'no-store'])
    for (const method of ['DELETE', 'GET']) {
      assert.equal((await send(`${method} ${path}`, { as: editor })).status, 404)
    }
    assert.equal((await send(`PUT ${path}`, { as: editor, body: { title: 'C', content: 'D' } })).status, 404)
  })

  test('a body that is no object is reported, and nothing else (contract 4.5)', async (t) => {
    const { send, signUp } = await startRest(t, engine, api)
    const editor = await signUp('EDITOR')
    for (const body of ['[]', 'null', '1', '"x"', 'true']) {
      const answer = await send('POST /api/v2/posts', { as: editor, body })
      assert.deepEqual(answer.body.error, { code: 'VALIDATION_ERROR', message: 'The body must be a JSON object.' })
    }
  })

  test('all problems of a request are reported at once, by their names in its version (contract 7.2.4)', async (t) => {
    const { send, signUp } = await startRest(t, engine, api)
    const editor = await signUp('EDITOR')
    const answer = await send('POST /api/v1/comments?a=1', {
      as: editor,
      body: { content: 'x', text: 5, author_id: editor.id },
      headers: { 'X-Idempotency-Key': 'a', 'Idempotency-Key': 'b' },
    })
    assert.deepEqual(details(answer), [
      'a: There is no such parameter here.',
      'X-Idempotency-Key: Differs from Idempotency-Key.',
      'content: There is no such field.',
      'author_id: There is no such field.',
      'post_id: Is required.',
      'text: Must be text.',
    ])
  })

  test('If-Match compares the version alone (contract 4.11.10)', async (t) => {
    const { send, signUp } = await startRest(t, engine, api)
    const editor = await signUp('EDITOR')
    const { body } = await send('POST /api/v2/posts', { as: editor, body: { title: 'A', content: 'B' } })
    const path = `/api/v2/posts/${body.data.id}`
    const change = async (line: string, etag: string) =>
      (
        await send(`${line.split(' ')[0]} ${path}`, {
          as: editor,
          ...(line.startsWith('DELETE') ? {} : { body: { title: 'C', content: 'D' } }),
          headers: { 'If-Match': etag },
        })
      ).status
    assert.equal(await change('PATCH', '"0.0"'), 409)
    assert.equal(await change('PATCH', 'nonsense'), 409)
    assert.equal(await change('PATCH', '"1.7"'), 200)
    assert.equal(await change('PUT', '"1.0"'), 409)
    assert.equal(await change('PUT', '"1.0", W/"2.0"'), 200)
    assert.equal(await change('PATCH', '*'), 200)
    assert.equal(await change('DELETE', '"3.0"'), 409)
    assert.equal(await change('DELETE', '"4.0"'), 204)
    assert.equal(await change('DELETE', '"4.0"'), 404)
  })

  test('an ETag distinguishes what is seen of more than 31 parts that may be hidden (contract 4.11.4)', async (t) => {
    const { send, signUp } = await startRest(t, engine, badges)
    const viewer = await signUp('VIEWER')
    const values = Object.fromEntries(letters.map((_, place) => [`letter${place}`, 'x']))
    const created = await send('POST /api/v2/ciphers', { as: viewer, body: { is_open: true, ...values } })
    const path = `/api/v2/ciphers/${created.body.data.id}`
    const [whole, part] = [await send(`GET ${path}`, { as: viewer }), await send(`GET ${path}`)]
    assert.equal(whole.headers.get('ETag'), created.headers.get('ETag'))
    assert.notEqual(whole.headers.get('ETag'), part.headers.get('ETag'))
    const again = async (etag: string | null, options: object) =>
      (await send(`GET ${path}`, { ...options, headers: { 'If-None-Match': etag! } })).status
    assert.equal(await again(whole.headers.get('ETag'), { as: viewer }), 304)
    assert.equal(await again(whole.headers.get('ETag'), {}), 200)
    assert.equal(await again(part.headers.get('ETag'), {}), 304)
    const change = async (etag: string | null) =>
      (await send(`PATCH ${path}`, { as: viewer, body: { is_open: false }, headers: { 'If-Match': etag! } })).status
    assert.equal(await change(part.headers.get('ETag')), 200)
    assert.equal(await change(whole.headers.get('ETag')), 409)
  })

  test('many records are created, all or none (contract 4.6)', async (t) => {
    const { send, signUp } = await startRest(t, engine, api)
    const editor = await signUp('EDITOR')
    const create = (body: unknown) => send('POST /api/v2/posts/batch', { as: editor, body })
    const good = { title: 'A', content: 'B' }
    const created = await create({ posts: [good, { ...good, title: 'C' }] })
    assert.equal(created.status, 201)
    assert.deepEqual(created.body.meta, { created: 2 })
    assert.deepEqual(
      created.body.data.map(({ title }: { title: string }) => title),
      ['A', 'C'],
    )
    assert.equal((await create({ posts: Array(100).fill(good) })).status, 201)
    const refused: readonly (readonly [body: unknown, details: readonly string[]])[] = [
      [{}, ['posts: Is required.']],
      [{ posts: good }, ['posts: Must be a list.']],
      [{ posts: [] }, ['posts: At least 1 in the list.']],
      [{ posts: Array(101).fill(good) }, ['posts: At most 100 in the list.']],
      [{ posts: [good], tag: 1 }, ['tag: There is no such field.']],
      [
        { posts: [good, { title: '', tags: ['a', 5], id: 'x' }, null, [], 5], Posts: [] },
        [
          'Posts: There is no such field.',
          'posts[1].id: There is no such field.',
          'posts[1].title: Must not be empty.',
          'posts[1].content: Is required.',
          'posts[1].tags[1]: Must be text.',
          'posts[2]: Must be an object.',
          'posts[3]: Must be an object.',
          'posts[4]: Must be an object.',
        ],
      ],
    ]
    for (const [body, expected] of refused) {
      const answer = await create(body)
      assert.equal(answer.status, 400)
      assert.deepEqual(details(answer), expected)
    }
    const { total } = (await send('GET /api/v2/posts', { as: editor })).body.meta
    assert.equal(total, 102)
    const missing = await send('POST /api/v2/comments/batch', {
      as: editor,
      body: {
        comments: [
          { post_id: created.body.data[0].id, content: 'x' },
          { post_id: 'nope', content: 'x' },
        ],
      },
    })
    assert.equal(missing.status, 422)
    assert.deepEqual(details(missing), ['comments[1].post_id: There is no such record.'])
  })

  test('many records are changed alike, all or none (contract 4.6)', async (t) => {
    const { send, signUp } = await startRest(t, engine, api)
    const [editor, other] = [await signUp('EDITOR'), await signUp('EDITOR')]
    const posts = Array.from('1234', (title) => ({ title, content: 'x', publish: true }))
    const created = await send('POST /api/v2/posts/batch', { as: editor, body: { posts } })
    const ids: readonly string[] = created.body.data.map(({ id }: { id: string }) => id)
    const change = (body: unknown, headers = {}) => send('PATCH /api/v2/posts', { as: editor, body, headers })
    const changed = await change({ ids: [ids[2], ids[0]], title: 'Same', tags: ['x'] })
    assert.equal(changed.status, 200)
    assert.deepEqual(changed.body.meta, { updated: 2 })
    assert.deepEqual(
      changed.body.data.map(({ id, title }: { id: string; title: string }) => [id, title]),
      [
        [ids[2], 'Same'],
        [ids[0], 'Same'],
      ],
    )
    const refused: readonly (readonly [body: unknown, status: number, details: readonly string[]])[] = [
      [{ title: 'x' }, 400, ['ids: Is required.']],
      [{ ids: ids[0], title: 'x' }, 400, ['ids: Must be a list.']],
      [{ ids: [], title: '' }, 400, ['ids: At least 1 in the list.', 'title: Must not be empty.']],
      [
        { ids: Array.from({ length: 101 }, (_, index) => `${index}`), title: 'x' },
        400,
        ['ids: At most 100 in the list.'],
      ],
      [
        { ids: [ids[0], 5, ids[0], ids[1]], title: 7, nope: 1 },
        400,
        ['ids[1]: Must be an id.', 'ids[2]: Is ids[0] again.', 'nope: There is no such field.', 'title: Must be text.'],
      ],
      [{ ids, title: '' }, 400, ['title: Must not be empty.']],
      [
        { ids: [ids[0], 'post_x', ids[1], 'y'], title: 'x' },
        404,
        ['ids[1]: There is no such resource.', 'ids[3]: There is no such resource.'],
      ],
    ]
    for (const [body, status, expected] of refused) {
      const answer = await change(body)
      assert.equal(answer.status, status)
      assert.deepEqual(details(answer), expected)
    }
    assert.equal((await change({ ids })).body.error.message, 'Send at least one field.')
    assert.deepEqual(details(await change({ ids, title: 'x' }, { 'If-Match': '*' })), [
      'If-Match: Is for a single record.',
    ])
    const theirs = await send('POST /api/v2/posts', { as: other, body: posts[0] })
    const forbidden = await change({ ids: [ids[0], theirs.body.data.id], title: 'Mine' })
    assert.equal(forbidden.status, 403)
    assert.deepEqual(details(forbidden), ['ids[1]: You may not do this.'])
    assert.equal((await send(`GET /api/v2/posts/${ids[0]}`)).body.data.title, 'Same')
  })

  test('a key makes any POST repeatable (contract 4.7)', async (t) => {
    const { send, signUp } = await startRest(t, engine, api)
    const [editor, other] = [await signUp('EDITOR'), await signUp('EDITOR')]
    const body = { title: 'A', content: 'B' }
    const post = (line: string, key: string, sent: unknown, as = editor, name = 'X-Idempotency-Key') =>
      send(line, { as, body: sent, headers: { [name]: key } })
    const first = await post('POST /api/v2/posts', 'k', body)
    assert.deepEqual([first.status, first.headers.get('Idempotent-Replayed')], [201, null])
    const again = await post('POST /api/v2/posts', 'k', { content: 'B', title: 'A' }, editor, 'Idempotency-Key')
    assert.deepEqual([again.status, again.headers.get('Idempotent-Replayed')], [200, 'true'])
    assert.deepEqual(
      [
        again.body,
        versionIn(again.headers.get('ETag')),
        again.headers.get('Cache-Control'),
        again.headers.get('Location'),
      ],
      [first.body, 1, 'no-store', null],
    )
    const differing = await post('POST /api/v2/posts', 'k', { ...body, title: 'C' })
    assert.deepEqual([differing.status, differing.body.error.code], [422, 'IDEMPOTENCY_KEY_REUSED'])
    for (const line of ['POST /api/v1/posts', 'POST /api/v2/posts']) {
      const scoped = await post(line, 'k', body, line.includes('v1') ? editor : other)
      assert.equal(scoped.status, 201)
    }

    const batch = { posts: [body, body] }
    const many = await post('POST /api/v2/posts/batch', 'k', batch)
    const manyAgain = await post('POST /api/v2/posts/batch', 'k', batch)
    assert.deepEqual([many.status, manyAgain.status, manyAgain.body], [201, 200, many.body])

    const publish = `POST /api/v2/posts/${first.body.data.id}/publish`
    const moved = await post(publish, 'k', {})
    const movedAgain = await post(publish, 'k', {})
    assert.deepEqual([moved.status, movedAgain.status], [200, 200])
    assert.equal(movedAgain.headers.get('Idempotent-Replayed'), 'true')

    const bad = ['', ' ', 'a b', 'é', 'x'.repeat(256)]
    for (const key of bad) {
      const answer = await post('POST /api/v2/posts', key, body)
      assert.deepEqual(
        [answer.status, details(answer)],
        [400, ['X-Idempotency-Key: Must be 1 to 255 visible ASCII characters.']],
      )
    }
    assert.equal((await post('POST /api/v2/posts', 'x'.repeat(255), body)).status, 201)
    const path = `/api/v2/posts/${first.body.data.id}`
    const headers = { 'X-Idempotency-Key': 'a b' }
    assert.equal((await send(`PATCH ${path}`, { as: editor, body, headers })).status, 200)

    await send(`DELETE ${path}`, { as: editor })
    assert.equal((await post('POST /api/v2/posts', 'k', body)).status, 404)
  })

  test('a token is shown in the answer to create, and never again (contract 5.3.1)', async (t) => {
    const { send, signUp } = await startRest(t, engine, badges)
    const viewer = await signUp('VIEWER')
    const body = { name: 'Mine' }
    const headers = { 'X-Idempotency-Key': 'k' }
    const created = await send('POST /api/v2/badges', { as: viewer, body, headers })
    assert.match(created.body.data.secret_code, /^duet_[\w-]{43}$/)
    const again = await send('POST /api/v2/badges', { as: viewer, body, headers })
    assert.deepEqual([again.status, again.body.data.secret_code, again.body.data.name], [200, undefined, 'Mine'])
    const read = await send(`GET /api/v2/badges/${created.body.data.id}`, { as: viewer })
    assert.deepEqual(Object.keys(read.body.data), ['id', 'name', 'created_at', 'updated_at'])
    const many = await send('POST /api/v2/badges/batch', { as: viewer, body: { badges: [body, body] } })
    const [one, two] = many.body.data
    assert.notEqual(one.secret_code, two.secret_code)
    assert.match(two.secret_code, /^duet_/)
  })
})
