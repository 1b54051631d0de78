// What lists are said to be searched by and cannot be. (contract 5.4.6, 12.2.10, 12.2.41)

import { atMost, may, optional } from 'duet-api'
import { postWith, refuses, title, userWith } from '../../../../test/support/domain/valid-service.ts'

const nine = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`text${at}`, optional(title)]))

refuses('searches', [
  [
    postWith({ search: ['titel'] }),
    'Post.search: it names titel, which is no stored field of Post; write title instead.',
  ],
  [
    postWith({ search: ['rank'] }),
    'Post.search: it names rank, which is an integer, and only texts hold words; strike it.',
  ],
  [postWith({ anywhere: ['title', 'title'] }), 'Post.anywhere: it names title twice; strike one.'],
  [
    postWith({ search: ['author.email'] }),
    'Post.search: it names author.email, and author is no list of records; write likedBy instead.',
  ],
  [
    userWith({ search: ['posts.author.email'] }),
    'User.search: it names posts.author.email, which leads further than to a list; name a field of a list.',
  ],
  [
    userWith({ search: ['posts.name'] }),
    'User.search: it names posts.name, which is no stored field of Post; write title instead.',
  ],
  [
    postWith({ fields: nine, search: Object.keys(nine) }),
    'Post.search: it looks into more than 8 fields of one record; strike some.',
  ],
  [
    postWith({ fields: { relevance: optional(title) }, search: ['title'], sort: ['relevance'] }),
    'Post.sort: relevance is how well a record answers a search; give the field another name.',
  ],
  [postWith({ filter: { q: atMost('rank') } }), 'Post.filter.q: q is the parameter of q already; choose another name.'],
  [postWith({ search: 'title' }), 'Post: its search is something else than it must be; make it a list of texts.'],
])

refuses(
  'searches of what some readers may not read',
  [
    [
      postWith({ search: ['title'], protect: { title: { read: may('manage') } } }),
      'Post.search: it names title, which some readers of a Post may not read, and a match would reveal it; strike it.',
    ],
  ],
  '12.2.41',
)
