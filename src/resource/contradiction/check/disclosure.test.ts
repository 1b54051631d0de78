// Answers in shared caches, and orders of lists, that would tell of what is hidden. (contract 5.4.3, 10.1.6)

import { anyone, before, boolean, isPresent, now, own, readable, when } from 'duet-api'
import {
  changed,
  noteReads,
  post,
  postWith,
  refuses,
  reportsNextToAll,
} from '../../../../test/support/domain/valid-service.ts'

const noteWith = (changes: Readonly<Record<string, unknown>>, notes: unknown, posts: unknown = own('author')) => {
  const service = noteReads(posts, notes) as unknown as { resources: { Note: object } }
  const Note = changed(service.resources.Note, changes)
  return { ...service, resources: { ...service.resources, Note } } as never
}
const noteSorted = (notes: unknown) => noteWith({ sort: ['post'] }, notes)
const filterOther = { filter: { hasOther: isPresent('other') } }
const computeOther = { computed: { other1: { as: boolean(), from: ['other'], make: () => true } } }

const disclosures: Parameters<typeof refuses>[1] = [
  [
    postWith({
      protect: { rank: { read: when({ at: before(now) }) } },
      actions: { read: { ...post.actions.read, maxAgeSeconds: 60 } },
    }),
    'Post.protect.rank: who may read it depends on the time, and shared caches keep the answer; strike maxAgeSeconds of read.',
  ],
  [noteSorted(anyone)],
  [
    noteWith({ queries: { all: { allow: anyone, where: anyone, sort: ['post'] } } }, anyone),
    'Note.queries.all: its sort by post would reveal each Post that is hidden; sort by another field.',
  ],
  [noteWith({ queries: { all: { allow: anyone, where: anyone, sort: ['post'] } } }, readable('post'))],
  [
    noteWith(filterOther, anyone),
    'Note.filter.hasOther: whether other is there would reveal each Post that is hidden; strike it.',
  ],
  [noteWith(filterOther, anyone, anyone)],
  [
    noteWith(computeOther, anyone),
    'Note.other1: it is made from other, which would reveal each Post that is hidden; make it from other fields.',
  ],
  [noteWith(computeOther, anyone, anyone)],
]
refuses('what would tell of what is hidden', disclosures)
reportsNextToAll('what would reveal hidden values', disclosures)
