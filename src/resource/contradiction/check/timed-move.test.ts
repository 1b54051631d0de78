// Due times that cannot be, and moves that the clock cannot make. (contract 5.4.3, 14.1.9)

import { field, nobody, own, timestamp } from 'duet-api'
import { post, postWith, refuses, reportsNextToAll } from '../../../../test/support/domain/valid-service.ts'

const at = (due: unknown, more: object = {}, others: object = {}) =>
  postWith({
    ...others,
    fields: { ...post.fields, dueAt: timestamp() },
    actions: {
      ...post.actions,
      create: { ...post.actions.create, accept: [...post.actions.create.accept, 'dueAt'] },
      lapse: { allow: nobody, at: due, set: { title: 'Late' }, ...more },
    },
  })

const revealed: Parameters<typeof refuses>[1][number] = [
  at('dueAt', {}, { protect: { dueAt: { read: own('author') } } }),
  "Post.lapse: the moment at which it is made would reveal its at to readers of Post who may not read that; write shown: 'to all' if it may.",
]

refuses('14.1.9 moves made by the clock', [
  [at('dueAt')],
  [at(field('dueAt').plus({ weeks: 1, seconds: 5 }))],
  [at('createdAt')],
  [
    at('dueDate'),
    'Post.lapse: its at is dueDate, which is no timestamp of Post; write at, dueAt or createdAt instead.',
  ],
  [
    at(field('dueAt').plus({ months: 1 } as never)),
    'Post.lapse: its at has an unknown unit; use weeks, days, hours, minutes and seconds.',
  ],
  [
    at(field('dueAt').plus({ days: 1.5 })),
    'Post.lapse: its at is shifted by something else than a whole number; shift it by less than 1,000 years.',
  ],
  revealed,
  [at('dueAt', { shown: 'to all' }, { protect: { dueAt: { read: own('author') } } })],
])

reportsNextToAll('moments that reveal hidden values', [revealed])
