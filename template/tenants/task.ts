import { atMost, event, is, may, one, optional, readable, resource, state, text, timestamp } from 'duet-api'

/** Something to do. It is in the organization of its project; deleting the project deletes it. */
export const Task = resource('Task', {
  prefix: 'tsk',
  within: 'project',

  fields: {
    project: one('Project'),
    title: text({ max: 200 }),
    notes: optional(text({ max: 5_000 })),
    dueAt: optional(timestamp()),
    status: state('open', 'done'),
    doneAt: optional(timestamp()),
  },

  filter: { project: is, status: is, dueBefore: atMost('dueAt') },
  sort: ['dueAt', 'title'],

  actions: {
    read: { allow: readable('project') },
    create: {
      allow: may('create'),
      accept: ['project', 'title', 'notes', 'dueAt'],
      check: ({ input, now }) => !input.dueAt || input.dueAt > now || 'A new task cannot be due already.',
      emit: event('taskAdded', { by: 'project' }),
    },
    update: { allow: may('edit'), accept: ['title', 'notes', 'dueAt'] },
    delete: { allow: may('edit') },
    finish: { allow: may('edit'), from: 'open', to: 'done', set: { doneAt: ({ now }) => now } },
    reopen: { allow: may('edit'), from: 'done', to: 'open', set: { doneAt: null } },
  },
})
