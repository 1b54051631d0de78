import { on } from 'duet-api'
import { Notification } from './notification.ts'
import { Post } from './post.ts'
import { Comment, Like } from './reply.ts'

const tellOfLike = on(Like, 'liked', async ({ record, finish, asService }) => {
  if (record === null) return
  const { author } = await asService.records.get(Post, record.post)
  if (author === record.user) return
  await finish(async (records) => {
    await records.create(Notification, { to: author, kind: 'LIKED', post: record.post })
  })
})

const tellOfComment = on(Comment, 'commented', async ({ record, finish, asService }) => {
  if (record === null) return
  const { author } = await asService.records.get(Post, record.post)
  if (author === record.author) return
  await finish(async (records) => {
    await records.create(Notification, { to: author, kind: 'COMMENTED', post: record.post })
  })
})

/** The author of a post is notified of what others do with it. */
export const reactions = [tellOfLike, tellOfComment]
