// A service before and after a deploy that adds a field: what two releases share of one database.

import { anyone, integer, resource, service, text } from 'duet-api'
import { Comment } from '../../../reference/comment.ts'
import { Post } from '../../../reference/post.ts'
import { User } from '../../../reference/user.ts'

const fields = { title: text({ max: 50 }) }
const actions = {
  read: { allow: anyone },
  create: { allow: anyone, accept: ['title'] },
  update: { allow: anyone, accept: ['title'] },
} as const
const rest = {
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  versions: { v1: { deprecated: '2026-11-20', sunset: '2027-11-20' }, v2: 'current' },
  roles: { VIEWER: {}, EDITOR: {}, ADMIN: 'everything' },
} as const

export const beforeDeploy = service({
  ...rest,
  resources: { User, Post, Comment, Memo: resource('Memo', { prefix: 'mem', fields, actions }) },
})
export const afterDeploy = service({
  ...rest,
  resources: {
    User,
    Post,
    Comment,
    Memo: resource('Memo', { prefix: 'mem', fields: { ...fields, stars: integer({ min: 0, default: 3 }) }, actions }),
  },
})
