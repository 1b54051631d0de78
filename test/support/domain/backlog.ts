// A backlog whose tasks are written many at once: by changes, deletes, and moves with and without input, whose rules, checks and kept
// numbers tell one record from another.

import {
  actor,
  anyOf,
  anyone,
  choice,
  decimal,
  event,
  integer,
  many,
  manyToMany,
  may,
  one,
  optional,
  own,
  resource,
  service,
  signedIn,
  state,
  text,
  timestamp,
  when,
} from 'duet-api'
import { accountFields, accounts } from './account.ts'

export const User = resource('User', {
  prefix: 'usr',
  fields: {
    ...accountFields,
    name: optional(text({ max: 40 })),
    role: choice(['VIEWER', 'EDITOR', 'ADMIN'], { default: 'VIEWER' }),
  },
  actions: { read: { allow: anyone } },
})

export const Project = resource('Project', {
  prefix: 'prj',
  fields: { name: text({ max: 40 }), tasks: many('Task', 'project') },
  counts: { tasks: { of: 'tasks', shown: 'to all' }, open: { of: 'tasks', where: when({ status: 'open' }) } },
  sums: { points: { of: 'tasks.points', shown: 'to all' } },
  actions: { read: { allow: anyone } },
})

export const Task = resource('Task', {
  prefix: 'tsk',
  fields: {
    title: text({ max: 40 }),
    project: optional(one('Project')),
    owner: one('User', { cascade: 'regardless', default: actor }),
    status: state('open', 'doing', 'done'),
    points: integer({ default: 0, min: 0, max: 1_000 }),
    price: optional(decimal({ precision: 8, scale: 2 })),
    result: optional(text({ max: 40 })),
    doneAt: optional(timestamp()),
    comments: many('Comment', 'task'),
    tags: manyToMany('Tag', 'tasks'),
  },
  counts: { comments: 'comments' },
  formerly: { v1: { points: 'effort' } },
  where: ['id', 'title', 'status', 'points', 'owner', 'project', 'project.name', 'result', 'comments.body'],
  sort: ['title', 'points'],
  actions: {
    read: { allow: anyOf(own('owner'), when({ status: 'open' }), when({ status: 'done' }), may('edit')) },
    create: { allow: signedIn, accept: ['title', 'project', 'points', 'price', 'tags'] },
    update: {
      allow: anyOf(own('owner'), may('edit')),
      accept: ['title', 'project', 'points', 'price', 'tags'],
      check: ({ record, input }) =>
        record.title !== 'fixed' || input.points === undefined || 'What is fixed keeps its points.',
      emit: event('taskChanged', { about: 'A task is changed.' }),
    },
    delete: { allow: anyOf(own('owner'), may('edit')) },
    start: {
      allow: anyOf(own('owner'), may('edit')),
      from: 'open',
      to: 'doing',
      emit: event('taskStarted', { about: 'Work begins.' }),
    },
    finish: {
      allow: anyOf(own('owner'), may('edit')),
      from: 'doing',
      to: 'done',
      accept: ['result'],
      set: { doneAt: ({ now }) => now },
    },
    discuss: {
      allow: anyOf(own('owner'), may('edit')),
      accept: ['result'],
      effect: async ({ record, input, records }) => {
        await records.create(Comment, { task: record.id, author: record.owner, body: input.result ?? record.title })
      },
    },
  },
})

export const Comment = resource('Comment', {
  prefix: 'cmt',
  fields: {
    task: one('Task', { cascade: 'regardless' }),
    author: one('User', { cascade: 'regardless', default: actor }),
    body: text({ max: 40 }),
  },
  where: ['body', 'task', 'task.title', 'author'],
  actions: {
    read: { allow: anyone },
    create: { allow: signedIn, accept: ['task', 'body'] },
    delete: { allow: own('author') },
  },
})

export const Tag = resource('Tag', {
  prefix: 'tag',
  fields: { name: text({ max: 20 }), tasks: manyToMany('Task', 'tags') },
  actions: { read: { allow: anyone } },
})

export const backlog = service({
  resources: { User, Project, Task, Comment, Tag },
  accounts,
  versions: { v1: { deprecated: '2026-11-20', sunset: '2027-11-20' }, v2: 'current' },
  roles: { VIEWER: {}, EDITOR: { tasks: ['edit'] }, ADMIN: 'everything' },
})
