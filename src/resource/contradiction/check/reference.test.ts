// What relations may ask of the records that clients name. (contract 10.1.12, 10.1.13)

import { argument, list, may, object, one, optional, own, through, when } from 'duet-api'
import { field, note, refuses } from '../../../../test/support/domain/valid-service.ts'

refuses(
  'the conditions of a relation',
  [
    [
      field('before', optional(one('Post', { into: own('writer') }))),
      "Post.before: into Post: own('writer') names no account; name a relation to User.",
    ],
    [
      field('before', optional(one('Post', { into: when({ colour: 'red' }) }))),
      'Post.before: into Post: its when names colour, which is no readable field; write title, rank, tags, parts, status, at, author, before, createdAt or updatedAt instead.',
    ],
    [
      field('before', optional(one('Post', { into: may('burn') }))),
      "Post.before: into Post: may('burn') is about no action of Post; write read, create, edit, publish or manage instead.",
      'Post.before: into Post: it uses burn of Post, which no rule of that resource uses; write create, edit_own, edit_any or publish instead.',
    ],
    [
      field('parts', list(object({ product: one('Post', { into: through('product', own('author')) }) }), { max: 2 })),
      "Post.parts[].product: into Post: through('product') names no relation to one record; write author instead.",
    ],
    [
      field('before', optional(one('Post', { into: 'mine' as never }))),
      "Post.before: its into is no rule; write a rule such as own('…').",
    ],
    [
      field('before', optional(one('Post', { same: 'autor' }))),
      'Post.before: its same names autor, which is no relation of Post; write author instead.',
    ],
    [
      note({ post: one('Post', { same: 'author' }), author: one('Post') }),
      'Note.post: its same names author, by which Post does not lead to the same; strike it.',
    ],
    [
      field('before', argument(one('Post', { same: 'author' }))),
      'Post.before: no action accepts this argument; accept it or strike it.',
      'Post.before: its same compares with the record, and it is no relation of one; strike same.',
    ],
  ],
  '10.1.12',
)
