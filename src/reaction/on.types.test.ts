// biome-ignore-all format: a promise and what breaks it stand on two lines, so that the compiler finds them
// What `on(…)` promises: what must follow does, and what must not compile does not. Checked by `npm run types`.
// It runs as well, for definitions are inert: no callback below is ever called.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, event, type Id, on, type RowOf, resource, text, token } from 'duet-api'
import { Article } from '../../reference/article.ts'
import { Comment } from '../../reference/comment.ts'
import { Post } from '../../reference/post.ts'
import { User } from '../../reference/user.ts'
import { Remark } from '../../test/support/domain/remarks.ts'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const expect = <_T extends true>() => {}
const react = async () => {}

// ── What follows ────────────────────────────────────────────────────────────────────────────────────────────────────

on(Post, 'postPublished', async ({ id, record, by, eventId, at, attempt, signal, now, records, asService, finish }) => {
  expect<Equal<typeof record, RowOf<typeof Post> | null>>()
  expect<Equal<typeof id, Id<'Post'>>>()
  expect<Equal<typeof by, null>>()
  expect<Equal<typeof eventId, string>>()
  expect<Equal<[typeof at, typeof now, typeof attempt, typeof signal], [Date, Date, number, AbortSignal]>>()
  const { records: comments } = await records.list(Comment, { filter: { post: id } })
  const user = await asService.records.get(User, record!.author)
  expect<Equal<typeof user.email, string>>()
  const seen = await records.get(User, record!.author)
  expect<Equal<typeof seen.email, string | undefined>>()
  await finish(async ({ lockExisting, change, create, run }) => {
    const [post] = await lockExisting(Post, [id])
    if (post?.publishedAt === null) await run(Post, id, 'publish')
    await change(Post, id, { title: `${comments.length}` })
    await create(Comment, { post: id, author: record!.author, content: 'Hear, hear.' })
  })
})
on(Comment, 'commentAdded', async ({ by }) => expect<Equal<typeof by, Id<'Post'>>>(), { name: 'x', attempts: 3 })
on(Remark, 'remarkCreated', async ({ by }) => expect<Equal<typeof by, Id<'Issue' | 'Page'>>>())

const Guest = resource('Guest', {
  prefix: 'guest',
  fields: { name: text({ max: 9 }), code: token({ prefix: 'g' }), other: token({ prefix: 'o' }) },
  actions: {
    read: { allow: anyone },
    create: { allow: anyone, accept: ['name'], emit: event('asked', { with: ['code'] }) },
    update: { allow: anyone, accept: ['name'], emit: event('renamed', { changed: ['name'] }) },
  },
})
on(Guest, 'asked', async ({ tokens }) => expect<Equal<typeof tokens, { readonly code: string | null }>>())
on(Guest, 'renamed', async ({ tokens }) => expect<Equal<keyof typeof tokens, never>>())
on(Guest, 'renamed', async ({ previous }) => expect<Equal<typeof previous, { readonly name: string | null }>>())
on(Guest, 'asked', async ({ previous }) => expect<Equal<keyof typeof previous, never>>())

// ── What must not compile ───────────────────────────────────────────────────────────────────────────────────────────

// @ts-expect-error a post emits no such event
on(Post, 'commentAdded', react)
// @ts-expect-error an article emits none at all
on(Article, 'published', react)
// @ts-expect-error what it does cannot be left out
on(Post, 'postCreated')
// @ts-expect-error the record may be gone
on(Post, 'postCreated', async ({ record }) => void record.title)
// @ts-expect-error its event does not hand it on
on(Guest, 'asked', async ({ tokens }) => void tokens.other)
// @ts-expect-error only tokens are handed on
resource('X', { prefix: 'x', fields: { name: text({ max: 9 }) }, actions: { read: { allow: anyone }, create: { allow: anyone, accept: ['name'], emit: event('made', { with: ['name'] }) } } })
// @ts-expect-error there is no such field
on(Post, 'postCreated', async ({ record }) => void record?.heading)
// @ts-expect-error a state, and whoever else the service is, moves by moves
on(Post, 'postCreated', ({ id, finish }) => finish((records) => records.run(Post, id, 'submit')))
// @ts-expect-error an article's state moves by its actions alone
on(Post, 'postCreated', ({ finish }) => finish((records) => records.change(Article, 'art_1', { status: 'published' })))
// @ts-expect-error creating a post accepts no author, and nobody is there to be it
on(Post, 'postCreated', async ({ records }) => void (await records.create(Post, { title: 'T', content: 'C', author: 'usr_1' })))
// @ts-expect-error the service is nobody, so it says who the author is
on(Post, 'postCreated', async ({ asService }) => void (await asService.records.create(Post, { title: 'T', content: 'C' })))
// @ts-expect-error create accepts no such field, whoever asks
on(Post, 'postCreated', async ({ asService }) => void (await asService.records.create(Post, { title: 'T', content: 'C', author: 'usr_1', views: 5 })))
// @ts-expect-error it is tried so many times
on(Post, 'postCreated', react, { tries: 3 })

test('a reaction is inert', () => {
  const { resource, event, name } = on(Post, 'postCreated', react)
  assert.deepEqual([resource, event, name], ['Post', 'postCreated', 'postCreated'])
})
