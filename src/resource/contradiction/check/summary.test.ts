// What a summary may not name, and what may not be named as it is. (contract 12.2.20, 12.2.30)

import { anyone, atLeast, when } from 'duet-api'
import { postWith, refuses } from '../../../../test/support/domain/valid-service.ts'

refuses('12.2.30 what contradicts a summary', [
  [postWith({ summary: { by: ['status', 'author.email', 'createdAt'], of: ['rank'], distinct: ['author'] } })],
  [postWith({ summary: { by: [] } }), 'Post.summary.by: it names nothing; name what records are grouped by.'],
  [postWith({ summary: { by: ['status', 'status'] } }), 'Post.summary.by: it names status twice; strike one.'],
  [postWith({ summary: { by: ['tags'] } }), 'Post.summary.by: tags is a list, and no two are alike; strike it.'],
  [
    postWith({ summary: { by: ['status'], of: ['title'] } }),
    'Post.summary.of: title is a text, which does not add up exactly; name exact numbers.',
  ],
  [
    postWith({ summary: { by: ['statu'] } }),
    'Post.summary.by: it names statu, which is no stored field; write status instead.',
  ],
  [
    postWith({ summary: { by: ['status'], groups: ['rank'] } }),
    'Post.summary: it has groups, which means nothing here; write by, of or distinct instead.',
  ],
  [
    postWith({
      summary: { by: ['status'] },
      queries: { summary: { allow: anyone, where: when({ status: 'draft' }) } },
    }),
    'Post.queries.summary: it has a summary of this name; choose another name.',
  ],
  [
    postWith({ summary: { by: ['status'] }, filter: { timeZone: atLeast('rank') } }),
    'Post.filter.timeZone: time_zone is a parameter of summaries; choose another name.',
  ],
])
