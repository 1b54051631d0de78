import {
  absent,
  actor,
  anyOf,
  contains,
  event,
  is,
  isPresent,
  list,
  many,
  may,
  one,
  optional,
  own,
  present,
  resource,
  text,
  timestamp,
  when,
} from 'duet-api'

/** A piece of writing. A draft is its author's and the editors'; once published it is everyone's. (contract 2.7.3) */
export const Post = resource('Post', {
  prefix: 'post',
  about: 'A text by a user. Once published, anyone can read it.',

  fields: {
    title: text({ max: 200 }),
    content: text({ max: 50_000 }),
    tags: list(text({ max: 30 }), { max: 10 }),
    author: one('User', { cascade: 'regardless', default: actor }),
    comments: many('Comment', 'post'),
    // A moment in place of a state: readers see and sort by when a post was published, and there is no third state.
    publishedAt: optional(timestamp({ about: 'When it was published; null before, and after it was taken back.' })),
  },

  filter: { author: is, tag: contains('tags'), published: isPresent('publishedAt') },
  sort: ['publishedAt', 'title', 'author.name'],
  where: ['title', 'tags', 'publishedAt', 'createdAt', 'author', 'author.name', 'comments.createdAt'],
  summary: { by: ['author', 'author.name', 'publishedAt', 'createdAt'] },

  actions: {
    read: { allow: anyOf(when({ publishedAt: present }), own('author'), may('publish')) },
    update: { allow: may('edit', own('author')), accept: ['title', 'content', 'tags'] },
    delete: { allow: may('delete', own('author')) },
    create: {
      allow: may('create'),
      accept: ['title', 'content', 'tags'],
      mayFollow: ['publish'],
      emit: event('postCreated'),
    },
    publish: {
      allow: may('publish'),
      from: { publishedAt: absent },
      set: { publishedAt: ({ now }) => now },
      emit: event('postPublished'),
    },
    unpublish: {
      allow: may('publish'),
      from: { publishedAt: present },
      set: { publishedAt: null },
    },
  },
})
