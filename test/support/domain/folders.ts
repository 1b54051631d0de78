// Folders within folders, with rights that reach down; and topics, some of which are hidden between others.

import {
  above,
  absent,
  actor,
  allOf,
  anyOf,
  boolean,
  event,
  is,
  many,
  one,
  optional,
  own,
  readable,
  resource,
  service,
  signedIn,
  some,
  text,
  through,
  when,
} from 'duet-api'
import { accounts, User } from './account.ts'

const isManager = above('parent', own('owner'))

export const Folder = resource('Folder', {
  prefix: 'fld',
  fields: {
    name: text({ max: 50 }),
    parent: optional(one('Folder', { tree: true })),
    owner: one('User', { cascade: 'regardless', default: actor }),
    children: many('Folder', 'parent'),
    documents: many('Document', 'folder'),
    grants: many('Grant', 'folder'),
  },
  filter: { parent: is },
  where: ['name', 'parent', 'createdAt'],
  sort: ['name'],
  actions: {
    read: { allow: anyOf(isManager, above('parent', some('grants', own('user')))) },
    create: {
      allow: allOf(signedIn, anyOf(when({ parent: absent }), through('parent', isManager))),
      accept: ['name', 'parent'],
      emit: event('folderCreated'),
    },
    update: { allow: isManager, accept: ['name', 'parent'] },
    lift: { allow: isManager, set: { parent: () => null } },
    fill: {
      allow: isManager,
      effect: async ({ id, actor, records }) => {
        const inner = await records.create(Folder, { name: 'inner', parent: id, owner: actor.id })
        await records.create(Folder, { name: 'innermost', parent: inner.id, owner: actor.id })
      },
    },
    delete: { allow: isManager },
  },
})
/** Opens a folder, and all below it, to a user. */
const Grant = resource('Grant', {
  prefix: 'grt',
  fields: { folder: one('Folder', { cascade: 'regardless' }), user: one('User', { cascade: 'regardless' }) },
  actions: { read: { allow: own('user') }, delete: { allow: own('user') } },
})
const Document = resource('Document', {
  prefix: 'doc',
  fields: { title: text({ max: 50 }), folder: one('Folder', { cascade: 'regardless' }) },
  where: ['title', 'folder.parent'],
  sort: ['title'],
  actions: {
    read: { allow: readable('folder') },
    create: { allow: through('folder', isManager), accept: ['title', 'folder'] },
  },
})
const Topic = resource('Topic', {
  prefix: 'tpc',
  fields: {
    name: text({ max: 50 }),
    parent: optional(one('Topic', { tree: true, onDelete: 'restrict' })),
    isHidden: boolean({ default: false }),
    owner: one('User', { cascade: 'regardless', default: actor }),
  },
  where: ['id', 'parent', 'parent.name'],
  sort: ['name'],
  actions: {
    read: { allow: anyOf(own('owner'), when({ isHidden: false })) },
    create: { allow: signedIn, accept: ['name', 'parent', 'isHidden'] },
    update: { allow: signedIn, accept: ['parent'] },
    delete: { allow: own('owner') },
  },
})

export const folders = service({ resources: { User, Folder, Grant, Document, Topic }, accounts, roles: { ANY: {} } })
