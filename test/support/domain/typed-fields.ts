// The resource that tests of types say something about: a field of each kind that its rules, actions and lists may name.

import { anyone, argument, choice, counter, integer, list, many, one, optional, state, text, timestamp } from 'duet-api'

export const fields = {
  title: text({ max: 9 }),
  author: one('User'),
  note: optional(text({ max: 9 })),
  at: optional(timestamp()),
  tags: list(text({ max: 9 }), { max: 9 }),
  reason: argument(text({ max: 9 })),
  rank: integer(),
  status: state('draft', 'published'),
  comments: many('Comment', 'post'),
  urgency: choice(['low', 'high'], { ordered: true, default: 'low' }),
  color: choice(['red', 'blue'], { default: 'red' }),
  serial: counter(),
}
export const prefix = 'x'
export const read = { allow: anyone }
export const actions = { read }
