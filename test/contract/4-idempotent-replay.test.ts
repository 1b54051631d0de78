// Keys that make a POST repeatable, sent again by whoever may see less than at first, or more.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiKey } from 'duet-api'
import { makeKey } from '../support/client/api-key.ts'
import { billing } from '../support/domain/billing.ts'
import { withService } from '../support/server/service.ts'

const post = { title: 'T', content: 'C' }

withService('4.7 Idempotency, by callers who may see less', (service) => {
  const owner = { as: 'editor' } as const
  /** Sends the same again and again, by a key of its owner's that has just these scopes. */
  async function sender(line: string, body: object | undefined, ...scopes: readonly string[]) {
    const { headers } = await makeKey(service(), owner, scopes)
    const fixtures = service().fixtures()
    const word = await fixtures.fill('{unique}')
    const question = { headers: { ...headers, 'X-Idempotency-Key': word }, fixtures }
    const send = () => service().send(line, { ...question, ...(body === undefined ? {} : { body }) })
    return { fixtures, send, first: await send() }
  }
  const patch = (path: string, body: object, as: 'editor' | 'viewer' = 'editor', fixtures = service().fixtures()) =>
    service().send(`PATCH /api/v2/${path}`, { as, body, fixtures })
  const refused = (message: string) => [403, 'INSUFFICIENT_SCOPE', message]
  const changed = 'This was done before; what has changed since needs the scope read:'

  test('4.7.6 a key that may not read sees the same again, and nothing that changed since', async () => {
    const { send, first } = await sender('POST /api/v2/posts', post, 'create:posts')
    assert.equal(first.status, 201)
    const again = await send()
    assert.deepEqual([again.status, again.text, again.headers.etag], [200, first.text, first.headers.etag])
    assert.equal((await patch(`posts/${first.body.data.id}`, { content: 'Secret' })).status, 200)
    const { status, body, text } = await send()
    assert.deepEqual([status, body.error.code, body.error.message], refused(`${changed}posts.`))
    assert(!text.includes('Secret'))
  })

  test('4.7.6 a key that may read sees what changed since', async () => {
    const { send, first } = await sender('POST /api/v2/posts', post, 'create:posts', 'read:posts')
    await patch(`posts/${first.body.data.id}`, { content: 'Changed' })
    const { status, body } = await send()
    assert.deepEqual([status, body.data.content], [200, 'Changed'])
  })

  test('4.7.6 of a batch, each record that changed since is named', async () => {
    const body = { posts: [post, post, post] }
    const { send, first } = await sender('POST /api/v2/posts/batch', body, 'create:posts')
    assert.equal((await send()).text, first.text)
    for (const index of [0, 2]) await patch(`posts/${first.body.data[index].id}`, { content: 'Secret' })
    const again = await send()
    assert.deepEqual([again.status, again.body.error.code], refused('').slice(0, 2))
    assert.deepEqual(
      again.body.error.details.map(({ field }: { field: string }) => field),
      ['posts[0]', 'posts[2]'],
    )
  })

  test('4.7.6 of a move the same, also of one that leaves its record as it is', async () => {
    const { fixtures, send, first } = await sender('POST /api/v2/users/{viewer}/follow', undefined, 'follow:users')
    assert.equal(first.status, 200)
    assert.equal((await send()).text, first.text)
    await patch('users/{viewer}', { bio: 'Secret' }, 'viewer', fixtures)
    const { status, body } = await send()
    assert.deepEqual([status, body.error.code, body.error.message], refused(`${changed}users.`))
  })

  test('4.7.6 a caller who may see less since is shown less', async () => {
    const fixtures = service().fixtures({ boss: { User: { name: 'B', role: 'ADMIN' } } })
    const key = await makeKey(service(), { as: '{boss}', fixtures }, ['create:users'])
    const word = await fixtures.fill('{unique}')
    const send = () =>
      service().send('POST /api/v2/users', {
        headers: { ...key.headers, 'X-Idempotency-Key': word },
        body: { name: 'N', email: `${word}@example.com`, password: 'long enough' },
      })
    const first = await send()
    assert.deepEqual([first.status, first.body.data.email], [201, `${word}@example.com`])
    const boss = await fixtures.idOf('boss')
    await service().send(`PATCH /api/v2/users/${boss}`, { as: 'admin', body: { role: 'VIEWER' } })
    const { status, body } = await send()
    assert.deepEqual([status, body.data.id, body.data.email], [200, first.body.data.id, undefined])
    await service().send(`PATCH /api/v2/users/${boss}`, { as: 'admin', body: { role: 'ADMIN' } })
    assert.equal((await send()).body.data.email, `${word}@example.com`, 'as much as at first')
  })

  test('4.7.6 a caller who may see more since is shown no more without the scope', async () => {
    const { fixtures, send, first } = await sender('POST /api/v2/users/{viewer}/follow', undefined, 'follow:users')
    assert.equal(first.body.data.email, undefined)
    const promote = (role: string) =>
      service().send('PATCH /api/v2/users/{editor}', { as: 'admin', body: { role }, fixtures })
    await promote('ADMIN')
    try {
      const { status, body } = await send()
      assert.deepEqual([status, body.error.message], [403, `${changed}users.`])
    } finally {
      await promote('EDITOR')
    }
    assert.equal((await send()).status, 200)
  })
})

const billingWithKeys = { ...billing, resources: { ...billing.resources, ApiKey } } as typeof billing

withService(
  '4.7 Idempotency, where others link what was made',
  (service) => {
    test('4.7.6 a key that may not read sees no links that others made since', async () => {
      const { headers } = await makeKey(service(), { as: 'viewer' }, ['create:invoices', 'read:labels'])
      const label = async (name: string, invoices: readonly string[]): Promise<string> => {
        const { status, text, body } = await service().send('POST /api/v2/labels', {
          as: 'viewer',
          body: { name, invoice_ids: invoices },
        })
        assert.equal(status, 201, text)
        return body.data.id
      }
      const own = await label('own', [])
      const word = await service().fixtures().fill('{unique}')
      const send = () =>
        service().send('POST /api/v2/invoices', {
          headers: { ...headers, 'X-Idempotency-Key': word },
          body: { title: 'Linked', label_ids: [own] },
        })
      const first = await send()
      assert.deepEqual([first.status, first.body.data.label_ids], [201, [own]])
      const again = await send()
      assert.deepEqual([again.status, again.text], [200, first.text])
      const late = await label('late', [first.body.data.id])
      const { status, body, text } = await send()
      assert.deepEqual([status, body.error.code], [403, 'INSUFFICIENT_SCOPE'])
      assert(!text.includes(late))
      service().assertLog()
    })
  },
  { definition: billingWithKeys },
)
