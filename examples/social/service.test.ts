// Starts the service on a database in memory and asks it what clients would.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { demoPassword, type StartedService, start } from 'duet-api'
import { type Client, createClient } from 'duet-api/client'
import { fillDemo } from './demo.ts'
import { api } from './service.ts'

let service: StartedService
const people = {} as Record<'ann' | 'ben' | 'cat' | 'dan' | 'mod', Client<typeof api>>

before(async () => {
  service = await start(api, { environment: { PORT: '0', DATABASE_URL: 'sqlite::memory:' }, demo: fillDemo })
  for (const name of ['ann', 'ben', 'cat', 'dan', 'mod'] as const) {
    people[name] = createClient<typeof api>(service.url)
    await people[name].signIn({ email: `${name}@example.com`, password: demoPassword })
  }
})
after(() => service.stop())

const textsOf = async (client: Client<typeof api>) => (await client.posts.page()).data.map(({ text }) => text).sort()

test('followers see what is for them, and only the author a note to herself', async () => {
  const [everyone, followers, mine] = [
    'Hello, everyone.',
    'Only for those who follow me.',
    'A note to myself.',
  ] as const
  const others = ['Good morning.', 'Is there no answer?']
  assert.deepEqual(await textsOf(people.ann), [everyone, followers, mine, ...others].sort())
  assert.deepEqual(await textsOf(people.cat), [everyone, followers, ...others].sort())
  assert.deepEqual(await textsOf(createClient<typeof api>(service.url)), [everyone, ...others].sort())
})

test('a caller who is blocked finds no trace', async () => {
  assert.deepEqual(await textsOf(people.dan), ['Good morning.', 'Is there no answer?'])
  const { users, posts } = await people.dan.graphql<{
    users: { totalCount: number; nodes: { name: string }[] }
    posts: { totalCount: number }
  }>('{ users(first: 10) { totalCount nodes { name } } posts(first: 10) { totalCount } }')
  assert.equal(posts.totalCount, 2)
  assert.equal(users.totalCount, 4)
  assert.ok(users.nodes.every(({ name }) => name !== 'Ann'))
  const hers = (await people.ann.posts.page()).data.find(({ text }) => text === 'Hello, everyone.')
  await assert.rejects(people.dan.posts.get(hers!.id), { code: 'NOT_FOUND' })
  await assert.rejects(people.dan.comments.create({ postId: hers!.id, text: 'Hey' }), {
    code: 'BUSINESS_RULE_VIOLATION',
  })
})

test('following and blocking change at once what a user sees', async () => {
  const { id } = await people.cat.posts.create({ text: 'For my followers.', audience: 'FOLLOWERS' })
  await assert.rejects(people.ben.posts.get(id), { code: 'NOT_FOUND' })
  const me = (await people.cat.graphql<{ me: { id: string } }>('{ me { id } }')).me
  await people.ben.users.follow(me.id)
  assert.equal((await people.ben.posts.get(id)).text, 'For my followers.')
  const ben = (await people.ben.graphql<{ me: { id: string } }>('{ me { id } }')).me
  const block = await people.cat.blocks.create({ blockedId: ben.id })
  await assert.rejects(people.ben.posts.get(id), { code: 'NOT_FOUND' })
  await people.cat.blocks.delete(block.id)
  assert.equal((await people.ben.posts.get(id)).text, 'For my followers.')
})

test('the author of a post may delete comments under it, and a moderator hides posts', async () => {
  const { id: postId } = await people.ben.posts.create({ text: 'Say something.' })
  const { id } = await people.cat.comments.create({ postId, text: 'Something rude.' })
  await assert.rejects(people.ann.comments.delete(id), { code: 'FORBIDDEN' })
  await people.ben.comments.delete(id)
  await people.mod.posts.hide(postId)
  await assert.rejects(people.ann.posts.get(postId), { code: 'NOT_FOUND' })
  assert.equal((await people.ben.posts.get(postId)).status, 'hidden')
})

test('posts are sorted by their likes, which are counted once each', async () => {
  const { id: postId } = await people.ben.posts.create({ text: 'Like me more.' })
  const likes = await Promise.all([people.ann, people.cat, people.dan].map((each) => each.likes.create({ postId })))
  await assert.rejects(people.cat.likes.create({ postId }), { code: 'CONFLICT' })
  await people.cat.comments.create({ postId, text: 'I like it.' })
  const [first] = (await people.mod.posts.page({ sort: ['-likesCount'] })).data
  assert.deepEqual([first!.id, first!.likesCount, first!.commentsCount], [postId, 3, 1])
  await people.ann.likes.delete(likes[0]!.id)
  assert.equal((await people.mod.posts.get(postId)).likesCount, 2)
  assert.equal((await people.mod.posts.page({ filter: { minLikes: 3 } })).data.length, 0)
})

test('the author alone is notified of a like', async () => {
  const { id: postId } = await people.ann.posts.create({ text: 'Like me.' })
  await people.ben.likes.create({ postId })
  let notifications: readonly { readonly postId: string | null; readonly kind: string }[] = []
  while (notifications.length === 0)
    notifications = (await people.ann.notifications.page()).data.filter((each) => each.postId === postId)
  assert.deepEqual(
    notifications.map(({ kind }) => kind),
    ['LIKED'],
  )
  assert.ok((await people.ben.notifications.page()).data.every((each) => each.postId !== postId))
})
