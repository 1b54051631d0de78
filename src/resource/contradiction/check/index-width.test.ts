// Texts that are found by and do not fit into an index. (contract 5.4.3)

import { anyone, is, optional, text, url, when } from 'duet-api'
import { field, postWith, refuses } from '../../../../test/support/domain/valid-service.ts'

const remedy = 'let it be at most 650 characters, or strike that.'
const long = 'may be longer than an index can hold'
const upTo = (max: number) => optional(text({ max }))
const fields = { long: upTo(651), fits: upTo(650), half: upTo(326), other: upTo(325) }
const where = when({ rank: 1 })

refuses('texts that an index cannot hold', [
  [field('long', optional(text({ max: 651, unique: true }))), `Post.long: it is unique and ${long}; ${remedy}`],
  [postWith({ fields, sort: ['fits', 'long'] }), `Post.long: it is sorted by and ${long}; ${remedy}`],
  [postWith({ fields, filter: { long: is, fits: is } }), `Post.long: it is filtered by and ${long}; ${remedy}`],
  [
    postWith({ fields: { home: optional(url()) }, filter: { home: is } }),
    `Post.home: it is filtered by and ${long}; ${remedy}`,
  ],
  [
    postWith({
      fields,
      queries: {
        top: { allow: anyone, where, sort: ['half', '-other'] },
        low: { allow: anyone, where, sort: ['fits'] },
      },
    }),
    `Post.queries.top: it sorts by half and other, which ${long}; let them be at most 650 characters together.`,
  ],
])
