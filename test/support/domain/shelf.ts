// Pages in folders, shared with others; whoever could read a page is told when it goes.

import { actor, anyOf, event, many, one, own, resource, service, signedIn, some, text, through } from 'duet-api'
import { Comment } from '../../../reference/comment.ts'
import { Post } from '../../../reference/post.ts'
import { User } from '../../../reference/user.ts'

const Folder = resource('Folder', {
  prefix: 'fol',
  fields: {
    name: text({ max: 40 }),
    owner: one('User', { cascade: 'regardless', default: actor }),
    pages: many('Page', 'folder'),
  },
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['name'] },
    empty: {
      allow: own('owner'),
      effect: async ({ record, records }) => {
        for await (const page of records.each(Page, { where: { folderId: { eq: record.id } } }))
          await records.remove(Page, page.id)
      },
    },
    delete: { allow: own('owner') },
  },
})
export const Page = resource('Page', {
  prefix: 'pag',
  fields: {
    folder: one('Folder', { cascade: 'regardless' }),
    author: one('User', { cascade: 'regardless', default: actor }),
    title: text({ max: 40 }),
    note: text({ max: 40, default: 'for me' }),
    shares: many('Share', 'page'),
  },
  protect: { note: { read: own('author') } },
  where: ['folder'],
  actions: {
    read: { allow: anyOf(own('author'), some('shares', own('user'))) },
    create: { allow: signedIn, accept: ['folder', 'title'], emit: event('pageAdded', { by: 'folder' }) },
    delete: { allow: own('author'), emit: event('pageDeleted', { by: 'folder' }) },
  },
})
const Share = resource('Share', {
  prefix: 'shr',
  fields: { page: one('Page', { cascade: 'regardless' }), user: one('User', { cascade: 'regardless' }) },
  actions: {
    read: { allow: through('page', own('author')) },
    create: { allow: through('page', own('author')), accept: ['page', 'user'] },
    delete: { allow: through('page', own('author')) },
  },
})

export const shelf = service({
  resources: { User, Post, Comment, Folder, Page, Share },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  versions: { v1: { deprecated: '2026-11-20', sunset: '2027-11-20' }, v2: 'current' },
  roles: { VIEWER: {}, EDITOR: { posts: ['create', 'publish'] }, ADMIN: 'everything' },
})
