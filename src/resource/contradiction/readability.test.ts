// Required relations to records that somebody who sees the holder may not see. (contract 5.12)

import { allOf, anyOf, anyone, may, own, readable, signedIn, when } from 'duet'
import { noteReads, refuses } from '../../../test/support/sound-service.ts'

refuses('who may read what is required', [
  [
    noteReads(signedIn, anyone),
    "Note.post: somebody who is not signed in may read a Note and not the Post that it requires; make it optional, let Note be read by allOf(…, readable('post')), or widen who may read a Post.",
  ],
  [
    noteReads(may('publish'), signedIn),
    "Note.post: MEMBER may read a Note and not the Post that it requires; make it optional, let Note be read by allOf(…, readable('post')), or widen who may read a Post.",
  ],
  [
    noteReads(own('author'), signedIn),
    "Note.post: MEMBER may read a Note and not the Post that it requires; make it optional, let Note be read by allOf(…, readable('post')), or widen who may read a Post.",
  ],
  [
    noteReads(when({ status: 'published' }), when({ rank: 1 })),
    "Note.post: somebody who is not signed in may read a Note and not the Post that it requires; make it optional, let Note be read by allOf(…, readable('post')), or widen who may read a Post.",
  ],
  [
    noteReads(anyOf(when({ status: 'published' }), own('author')), anyOf(when({ rank: 1 }), readable('post'))),
    "Note.post: somebody who is not signed in may read a Note and not the Post that it requires; make it optional, let Note be read by allOf(…, readable('post')), or widen who may read a Post.",
  ],
  [
    noteReads(allOf(when({ status: 'published' }), signedIn), readable('other')),
    "Note.post: MEMBER may read a Note and not the Post that it requires; make it optional, let Note be read by allOf(…, readable('post')), or widen who may read a Post.",
  ],
])
