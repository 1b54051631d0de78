// Deprecations that cannot be: dates, what to use instead, what must be sent. (contract 9.2.1)

import { choice, deprecated, is, list, object, optional, text } from 'duet-api'
import { action, create, field, postWith, refuses } from '../../../../test/support/domain/valid-service.ts'

const dates = { since: '2026-08-01', sunset: '2027-08-01' } as const

refuses('deprecations', [
  [
    field('old', deprecated(optional(text({ max: 9 })), { ...dates, since: '2026-02-30' })),
    'Post.old: its since 2026-02-30 is no day; write it as 2026-11-20.',
  ],
  [
    field('old', deprecated(optional(text({ max: 9 })), { ...dates, sunset: '2026-08-01' })),
    'Post.old: its sunset is not after its deprecation; correct one of them.',
  ],
  [
    field('old', deprecated(optional(text({ max: 9 })), { ...dates, use: 'titel' })),
    'Post.old: titel, to be used instead, is not there; write title instead.',
  ],
  [
    field('old', deprecated(optional(text({ max: 9 })), { ...dates, use: 'old' })),
    'Post.old: it is to be used instead of itself; name something else.',
  ],
  [
    create({ accept: ['title', 'tags', 'old'] }, { fields: { old: deprecated(text({ max: 9 }), dates) } }),
    'Post.old: it is deprecated, and create demands it; make it optional, or give it a default.',
  ],
  [
    field('kind', choice(['a', 'b'], { default: 'a', deprecatedValues: { c: dates } as never })),
    'Post.kind.deprecatedValues.c: it is none of the values; write a instead.',
  ],
  [
    field('kinds', list(choice(['a', 'b'], { deprecatedValues: { c: dates } as never }), { max: 3 })),
    'Post.kinds[].deprecatedValues.c: it is none of the values; write a instead.',
  ],
  [
    field('kinds', list(deprecated(text({ max: 9 }), dates), { max: 3 })),
    'Post.kinds[]: it is deprecated and has no name of its own; write deprecated(list(…), …).',
  ],
  [
    field('cover', optional(object({ paper: deprecated(optional(text({ max: 9 })), { ...dates, use: 'ink' }) }))),
    'Post.cover.paper: ink, to be used instead, is not there; strike it.',
  ],
  [
    field('cover', optional(object({ paper: deprecated(text({ max: 9 }), dates) }))),
    'Post.cover.paper: it is deprecated, and clients must send it; make it optional, or give it a default.',
  ],
  [
    postWith({ filter: { author: deprecated(is, { ...dates, use: 'writer' }) } }),
    'Post.filter.author: writer, to be used instead, is not there; write tag instead.',
  ],
  [
    action('publish', { allow: { rule: 'anyone' }, from: 'draft', to: 'published', deprecated: { since: 'now' } }),
    'Post.publish: its deprecated is something else than it must be; make it the dates `since` and `sunset`, and what to `use` instead.',
  ],
  [
    field('old', { ...(text({ max: 9 }) as object), deprecated: true }),
    'Post.old: its deprecated is something else than it must be; make it the dates `since` and `sunset`, and what to `use` instead.',
  ],
])
