// What conditions cannot ask for stops the start, in a sentence that says what to do. (contract 12.1.19)

import { integer, json, list, many, may, object, one, optional, text } from 'duet-api'
import {
  post,
  postWith,
  refuses,
  serviceWith,
  title,
  user,
  userWith,
} from '../../../../test/support/domain/valid-service.ts'

const linked = (where: readonly string[]) =>
  serviceWith({
    resources: {
      User: user,
      Post: { ...post, fields: { ...post.fields, notes: many('Note', 'post') }, where },
      Note: {
        name: 'Note',
        prefix: 'not',
        fields: { post: one('Post'), and: optional(integer()), data: json({ maxBytes: 9 }), body: text({ max: 9 }) },
        actions: { read: { allow: { rule: 'anyone' } } },
      },
    },
  })

refuses('12.1.19 conditions', [
  [postWith({ where: ['title', 'title'] }), 'Post.where: it names title twice; strike one.'],
  [postWith({ where: ['titel'] }), 'Post.where: titel: Post has no stored field titel; write title instead.'],
  [
    postWith({ where: ['writer.email'] }),
    'Post.where: writer.email: Post has no relation writer; write author or likedBy instead.',
  ],
  [
    postWith({ where: ['author.mail'] }),
    'Post.where: author.mail: User has no stored field mail; write email instead.',
  ],
  [postWith({ where: ['parts'] }), 'Post.where: parts: a list cannot be compared; strike it.'],
  [userWith({ where: ['password'] }), 'User.where: password: a password is never shown; strike it.'],
  [postWith({ where: ['author.password'] }), 'Post.where: author.password: a password is never shown; strike it.'],
  [
    postWith({ where: ['likedBy'] }),
    'Post.where: likedBy: it ends at a list of records, which has no value; name a field of them, such as likedBy.createdAt.',
  ],
  [
    postWith({ where: ['likedBy.liked.likedBy.email'] }),
    'Post.where: likedBy.liked.likedBy.email: it leads through 3 lists; 2 are the most: shorten it.',
  ],
  [
    userWith({ where: ['role'], protect: { role: { write: may('manage'), filter: may('manage') } } }),
    'User.where: role: only some may filter by role, and conditions are for all who read; strike it, or protect its reading.',
  ],
  [
    postWith({
      fields: { home: optional(object({ tags: list(title, { max: 2 }), and: title })) },
      where: ['home.tags', 'home.and'],
    }),
    'Post.where: home.tags: home has no part tags that can be compared; name a text, a number, a time or a choice of it.',
    'Post.where: home.and: and is a word of conditions; call the part otherwise.',
  ],
  [linked(['notes.data']), 'Post.where: notes.data: a json cannot be compared; strike it.'],
  [linked(['notes.and']), 'Post.where: notes.and: and is a word of conditions; call the field otherwise.'],
])
