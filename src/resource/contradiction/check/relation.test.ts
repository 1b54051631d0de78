// Relations that lead nowhere, or that no first record could have. (contract 5.4.3)

import { anyone, list, many, manyToMany, object, one, optional } from 'duet-api'
import { field, note, refuses, serviceWith, title, userWith } from '../../../../test/support/domain/valid-service.ts'

/** Albums can be deleted; songs and verses only with others. */
const ended = (album: unknown, song: unknown = one('Song', { onDelete: 'restrict' })) =>
  serviceWith({
    resources: {
      Album: {
        name: 'Album',
        prefix: 'alb',
        fields: {},
        actions: { read: { allow: anyone }, delete: { allow: anyone } },
      },
      Song: { name: 'Song', prefix: 'sng', fields: { album }, actions: { read: { allow: anyone } } },
      Verse: { name: 'Verse', prefix: 'vrs', fields: { song }, actions: { read: { allow: anyone } } },
    },
  })

refuses('relations', [
  [
    field('editor', optional(one('Usr'))),
    'Post.editor: it leads to Usr, which is not in this service; write User instead.',
  ],
  [
    field('editor', optional(one(undefined as never))),
    'Post.editor: it leads to undefined, which is not in this service; write User or Post instead.',
  ],
  [
    field('parts', list(object({ product: one('Product') }), { max: 2 })),
    'Post.parts[].product: it leads to Product, which is not in this service; write User or Post instead.',
  ],
  [
    note({ title, posts: many('Post', 'author') }),
    "Note.posts: Post.author does not lead back; add author: one('Note') there or name another field.",
  ],
  [
    note({ title, posts: many('Post', 'note') }),
    "Note.posts: Post.note does not lead back; add note: one('Note') there or name another field.",
  ],
  [
    userWith({ fields: { liked: undefined } }),
    "Post.likedBy: User.liked does not lead back; say liked: manyToMany('Post', 'likedBy') there.",
  ],
  [
    userWith({ fields: { fans: manyToMany('Post', 'likedBy') } }),
    "User.fans: Post.likedBy does not lead back; say likedBy: manyToMany('User', 'fans') there.",
  ],
  [
    userWith({ fields: { friends: manyToMany('User', 'friends') } }),
    'User.friends: it is its own other end; name a second relation for the way back.',
  ],
  [
    note({ title, related: manyToMany('Note', 'relatedBy'), relatedBy: manyToMany('Note', 'related') }),
    "Note.related: nothing could ever write it: `link` puts accounts into relations, and Note is none; make a resource of each pair, with one('Note') and another.",
  ],
  [
    serviceWith({
      resources: {
        Tag: {
          name: 'Tag',
          prefix: 'tag',
          fields: { labels: manyToMany('Label', 'tags') },
          actions: { read: { allow: anyone } },
        },
        Label: {
          name: 'Label',
          prefix: 'lab',
          fields: { tags: manyToMany('Tag', 'labels') },
          actions: { read: { allow: anyone } },
        },
      },
    }),
    "Label.tags: nothing could ever write it: `link` puts accounts into relations, and neither Label nor Tag is one; make a resource of each pair, with one('Label') and one('Tag').",
  ],
  [
    field('above', optional(one('User', { tree: true }))),
    'Post.above: it is a tree, and leads to User; lead it to Post, or strike tree.',
  ],
  [
    note({ parent: one('Note', { tree: true }) }),
    'Note.parent: it is a tree, and its first record has none above it; make it optional.',
    'Note.parent: there is no first Note: each requires another; make it optional.',
  ],
  [note({ parent: one('Note') }), 'Note.parent: there is no first Note: each requires another; make it optional.'],
  [
    serviceWith({
      resources: {
        A: { name: 'A', prefix: 'a', fields: { b: one('B') }, actions: { read: { allow: anyone } } },
        B: { name: 'B', prefix: 'b', fields: { a: one('A') }, actions: { read: { allow: anyone } } },
      },
    }),
    'A.b: there is no first A: each requires another; make it optional.',
    'B.a: there is no first B: each requires another; make it optional.',
  ],
])

refuses(
  'relations that do not decide about deletes',
  [
    [
      ended(one('Album')),
      "Song.album: Album can be deleted, and no option decides about Song then; write onDelete: 'restrict'; onDelete: 'cascade', which needs the right to delete both; or cascade: 'regardless'.",
    ],
    [
      ended(one('Album', { onDelete: 'cascade' })),
      "Song.album: clients delete Song only with its Album, for which they need the right to delete both; write cascade: 'regardless' in place of onDelete, or give Song a delete.",
    ],
    [
      ended(one('Album', { onDelete: 'restrict', cascade: 'regardless' })),
      'Song.album: it restricts deletes and cascades at once; strike onDelete or cascade.',
    ],
    [
      ended(one('Album', { cascade: 'always' as never })),
      "Song.album: there is no cascade always; write cascade: 'regardless'.",
    ],
    [
      ended(one('Album', { cascade: 'regardless' }), one('Song')),
      "Verse.song: Song can be deleted, and no option decides about Verse then; write onDelete: 'restrict'; onDelete: 'cascade', which needs the right to delete both; or cascade: 'regardless'.",
    ],
    [
      field('editor', optional(one('User', { cascade: 'regardless' }))),
      'Post.editor: an optional relation is cleared when its target goes; strike cascade or optional.',
    ],
  ],
  '2.5.8',
)
