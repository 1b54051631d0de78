// Answers in shared caches, and orders of lists, that would tell of what is hidden. (contract 5.4.3, 10.1.6)

import { anyone, before, now, own, readable, when } from 'duet-api'
import { changed, noteReads, post, postWith, refuses } from '../../../test/support/domain/valid-service.ts'

const noteSorted = (notes: unknown, posts: unknown = own('author')) => {
  const service = noteReads(posts, notes) as unknown as { resources: { Note: object } }
  const Note = changed(service.resources.Note, { sort: ['post'] })
  return { ...service, resources: { ...service.resources, Note } } as never
}

refuses('what would tell of what is hidden', [
  [
    postWith({
      protect: { rank: { read: when({ at: before(now) }) } },
      actions: { read: { ...post.actions.read, maxAgeSeconds: 60 } },
    }),
    'Post.protect.rank: who may read it depends on the time, and shared caches keep the answer; strike maxAgeSeconds of read.',
  ],
  [noteSorted(anyone), 'Note: its sort by post would tell of each Post that is hidden; sort by another field.'],
  [noteSorted(readable('post'))],
])
