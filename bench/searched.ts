// Posts that can be asked by conditions, searched and summarised: what questions are asked of beside platforms.

import {
  anyOf,
  anyone,
  boolean,
  choice,
  email,
  many,
  one,
  optional,
  own,
  password,
  present,
  resource,
  service,
  state,
  text,
  timestamp,
  when,
} from 'duet-api'

export const User = resource('User', {
  prefix: 'user',
  fields: {
    name: text({ max: 100 }),
    email: email({ unique: true }),
    password: password({ min: 8, max: 200 }),
    emailVerified: boolean({ default: false }),
    status: state('ACTIVE'),
    role: choice(['EDITOR'], { default: 'EDITOR' }),
    posts: many('Post', 'author'),
  },
  actions: { read: { allow: anyone } },
})

export const Post = resource('Post', {
  prefix: 'post',
  fields: {
    title: text({ max: 200 }),
    content: text({ max: 50_000 }),
    author: one('User'),
    publishedAt: optional(timestamp()),
  },
  sort: ['title'],
  where: ['title', 'author', 'author.name'],
  search: ['title', 'content'],
  summary: { by: ['createdAt'] },
  actions: { read: { allow: anyOf(when({ publishedAt: present }), own('author')) } },
})

export const api = service({
  resources: { User, Post },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  roles: { EDITOR: {} },
  versions: { v2: 'current' },
})
