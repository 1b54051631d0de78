// What must hold of the example social, sentence by sentence, on both databases and through both faces.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { overhear } from '../support/check/statement-counter.ts'
import { codesOf } from '../support/client/subscriber.ts'
import { social, socialReactions } from '../support/domain/example.ts'
import { withService } from '../support/server/service.ts'
import { dataOf, storyOf, user } from '../support/server/story.ts'

withService(
  'examples/social',
  (running) => {
    const people = {
      ann: user(),
      ben: user(),
      cat: user(),
      hello: { Post: { author: '{ann}', text: 'Hello' } },
      other: { Post: { author: '{ann}', text: 'Other' } },
      said: { Comment: { post: '{hello}', author: '{ben}', text: 'one' } },
      answered: { Comment: { post: '{hello}', parent: '{said}', author: '{ann}', text: 'two' } },
      again: { Comment: { post: '{hello}', parent: '{answered}', author: '{ben}', text: 'three' } },
    }
    const begin = () => storyOf(running(), people)

    test('a reply belongs to the post of what it answers', async () => {
      const { ids, codes, voices } = await begin()
      const reply = (postId: string, parentId: string | null) =>
        codes('cat', (voice) => voice.create('Comment', { postId, parentId, text: 'hm' }))
      assert.equal(await reply(ids.hello, null), null)
      assert.equal(await reply(ids.hello, ids.said), null)
      assert.equal(await reply(ids.other, ids.said), 'BUSINESS_RULE_VIOLATION')
      for (const voice of voices('cat')) {
        const { message } = await voice.create('Comment', { postId: ids.other, parentId: ids.said, text: 'hm' })
        assert.equal(message, 'A reply belongs to the post of what it answers.')
      }
    })

    test('a thread is read by one query, three levels deep, in one statement a level', async () => {
      const { ids, graphql } = await begin()
      const query = `{ comment(id: "${ids.said}") { text replies { text replies { text } } } }`
      const read = () => graphql('cat', query)
      assert.deepEqual((await read()).comment, {
        text: 'one',
        replies: [{ text: 'two', replies: [{ text: 'three' }] }],
      })
      const { statements } = await overhear(running(), read)
      assert(statements.length <= 3, `${statements.length} statements`)
    })

    test('likes are counted exactly under 100 likers at once, and a second like is 409', async () => {
      const likers = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`liker-${index}`, user()]))
      const { ids, voices, get, graphql } = await storyOf(running(), { ...people, ...likers })
      const names = Object.keys(likers) as (keyof typeof likers & keyof typeof ids)[]
      for (const name of names) await running().token(ids[name]!)
      const codes = await Promise.all(
        names.map(async (name, index) => (await voices(name)[index % 2]!.create('Like', { postId: ids.hello })).code),
      )
      assert.deepEqual(new Set(codes), new Set([null]))
      for (const voice of voices(names[0]!))
        assert.equal((await voice.create('Like', { postId: ids.hello })).code, 'CONFLICT')
      assert.equal((await get('ann', `posts/${ids.hello}`)).data.likes_count, 100)
      assert.equal((await graphql('ann', `{ post(id: "${ids.hello}") { likesCount } }`)).post.likesCount, 100)
    })

    test('changing a post from EVERYONE to FOLLOWERS takes it from those who do not follow, on open sockets too', async () => {
      for (const face of [0, 1]) {
        const { ids, voices, socketOf, codes } = await begin()
        assert.equal((await voices('ben')[0]!.move('follow', 'User', ids.ann)).code, null)
        const [follower, stranger] = [await socketOf('ben'), await socketOf('cat')]
        for (const socket of [follower, stranger]) {
          socket.subscribe('1', `subscription { commented(postId: "${ids.hello}") { text } }`)
          await socket.settled()
        }
        await voices('ann')[face]!.change('Post', ids.hello, { audience: 'FOLLOWERS' })
        const frame = await stranger.next()
        assert.deepEqual([frame.type, codesOf(frame)], ['error', ['NOT_FOUND']])
        assert.equal(await codes('cat', (voice) => voice.read('Post', ids.hello)), 'NOT_FOUND')
        await voices('ann')[face]!.create('Comment', { postId: ids.hello, parentId: null, text: 'only us' })
        assert.deepEqual(dataOf(await follower.next()), { commented: { text: 'only us' } })
        for (const socket of [follower, stranger]) await socket.close()
      }
    })

    test('a subscription to notifications delivers only the own ones, and needs no id', async () => {
      const { ids, voices, socketOf } = await begin()
      const [author, liker] = [await socketOf('ann'), await socketOf('cat')]
      for (const socket of [author, liker]) {
        socket.subscribe('1', 'subscription { notified { kind post { id } to { id } } }')
        await socket.settled()
      }
      for (const [voice, post] of [
        [voices('cat')[0]!, ids.hello],
        [voices('cat')[1]!, ids.other],
      ] as const) {
        assert.equal((await voice.create('Like', { postId: post })).code, null)
        const notified = { kind: 'LIKED', post: { id: post }, to: { id: ids.ann } }
        assert.deepEqual(dataOf(await author.next()), { notified })
      }
      await liker.reached()
      for (const socket of [author, liker]) await socket.close()
    })
  },
  {
    definition: social,
    reactions: socialReactions,
    limits: { eventPollMs: 50, noticesMs: 2 ** 31 - 1, holderWatchMs: 50 },
  },
)
