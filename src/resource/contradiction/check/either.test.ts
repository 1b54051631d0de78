// References to one of several resources that contradict something. (contract 11.6)

import { anyone, either, is, nobody, one, optional, text } from 'duet-api'
import { changed, note, post, refuses, serviceWith, user } from '../../../../test/support/domain/valid-service.ts'

const ends = { user: optional(one('User')), post: optional(one('Post')) }
const of = (...names: readonly string[]) => either(names as never)

refuses('either', [
  [note({ ...ends, end: of('user') }), 'Note.end: it needs two relations or more; name another, or strike it.'],
  [
    note({ ...ends, end: of('user', 'posts') }),
    'Note.end: it names posts, which is no relation to one record; write post instead.',
  ],
  [
    note({ ...ends, title: text({ max: 9 }), end: of('user', 'title') }),
    'Note.end: it names title, which is no relation to one record; write user or post instead.',
  ],
  [
    note({ user: ends.user, post: one('Post'), end: of('user', 'post') }),
    'Note.end: post is always there, and the others never; make post optional.',
  ],
  [
    note({ ...ends, other: optional(one('Post')), end: of('post', 'other') }),
    'Note.end: post and other both lead to Post; name one of them: the type must identify the relation.',
  ],
  [note({ ...ends, end: of('user', 'post', 'user') }), 'Note.end: it names a relation twice; strike one.'],
  [
    note({ ...ends, end: of('user', 'post'), top: of('user', 'post') }),
    'Note.top: end has one of its relations as well; let each relation be in one either.',
  ],
  [
    note({ ...ends, end: either('user' as never) }),
    "Note.end: its relations are no list of names; write either(['…', '…']).",
  ],
  [
    note(
      { ...ends, end: either(['user', 'post']) },
      { actions: { read: { allow: anyone }, create: { allow: anyone, accept: ['user', 'post'] } } },
    ),
    'Note.create: it accepts user, which is part of end; accept end.',
  ],
  [
    note(
      { ...ends, end: optional(either(['user', 'post'])) },
      { actions: { read: { allow: anyone }, clear: { allow: anyone, set: { user: null } } } },
    ),
    'Note.clear: it sets user, which is part of end; write end in an effect.',
  ],
  [
    note({ ...ends, end: optional(either(['user', 'post'])), endType: text({ max: 9 }) }),
    'Note.endType: it is end_type as end is; choose another name.',
  ],
  [
    note(
      { ...ends, end: optional(either(['user', 'post'])) },
      { filter: { end: is }, protect: { user: { filter: nobody } } },
    ),
    'Note.filter.end: only some may filter by user, and this is for all who read; strike it, or protect its reading.',
  ],
  // What is deleted with its target declares it; what may be without one cannot.
  [
    serviceWith({
      resources: {
        User: user,
        Post: changed(post, { actions: { delete: { allow: anyone } } }),
        Note: {
          name: 'Note',
          prefix: 'note',
          fields: { ...ends, end: either(['user', 'post']) },
          actions: { read: { allow: anyone } },
        },
      },
    }),
    "Note.post: Post can be deleted, and no option decides about Note then; write onDelete: 'restrict'; onDelete: 'cascade', which needs the right to delete both; or cascade: 'regardless'.",
  ],
  [
    note({
      user: ends.user,
      post: optional(one('Post', { cascade: 'regardless' })),
      end: optional(either(['user', 'post'])),
    }),
    'Note.post: an optional relation is cleared when its target goes; strike cascade or optional.',
  ],
])
