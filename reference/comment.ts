import { actor, event, is, may, one, own, readable, resource, text } from 'duet-api'

/** A comment on a post, readable by readers of the post. (contract 2.7.4, 9.1.2) */
export const Comment = resource('Comment', {
  prefix: 'cmt',
  about: 'A comment on a post, readable by readers of the post.',

  fields: {
    post: one('Post', { cascade: 'regardless' }),
    author: one('User', { cascade: 'regardless', default: actor }),
    content: text({ max: 5_000 }),
  },

  formerly: { v1: { content: 'text' } },
  filter: { post: is, author: is },

  actions: {
    read: { allow: readable('post') },
    update: { allow: may('edit', own('author')), accept: ['content'] },
    delete: { allow: may('delete', own('author')) },
    create: {
      allow: may('create'),
      accept: ['post', 'content'],
      emit: event('commentAdded', { by: 'post' }),
    },
  },
})
