import { atMost, event, is, one, optional, readable, resource, signedIn, state, text, timestamp } from 'duet-api'

/** Something to do. Callers who can read its project can work on it; deleting the project deletes it. */
export const Task = resource('Task', {
  prefix: 'tsk',

  fields: {
    project: one('Project', { cascade: 'regardless' }),
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
      allow: signedIn,
      accept: ['project', 'title', 'notes', 'dueAt'],
      check: ({ input, now }) => !input.dueAt || input.dueAt > now || 'A new task cannot be due already.',
      emit: event('taskAdded', { by: 'project' }),
    },
    update: { allow: readable('project'), accept: ['title', 'notes', 'dueAt'] },
    delete: { allow: readable('project') },
    finish: { allow: readable('project'), from: 'open', to: 'done', set: { doneAt: ({ now }) => now } },
    reopen: { allow: readable('project'), from: 'done', to: 'open', set: { doneAt: null } },
  },
})
