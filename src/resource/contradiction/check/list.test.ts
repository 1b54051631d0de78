// Filters, orders, protections and older names of what is not there. (contract 5.4.3)

import { atLeast, atLeastOne, atMost, contains, is, isPresent, one, optional, signedIn } from 'duet-api'
import { postWith, refuses, title, userWith } from '../../../../test/support/domain/valid-service.ts'

refuses('lists and older names', [
  [
    postWith({ filter: { writer: is } }),
    'Post.filter.writer: it names writer, which is no stored field; write title, rank, tags, parts, status, at or author instead.',
  ],
  [
    postWith({ filter: { tags: is } }),
    'Post.filter.tags: tags is a list, which has no one value; use contains for the values of a list.',
  ],
  [
    postWith({ filter: { likedBy: is } }),
    'Post.filter.likedBy: it names likedBy, which is no stored field; write title, rank, tags, parts, status, at or author instead.',
  ],
  [
    userWith({ filter: { password: is } }),
    'User.filter.password: it names password, which is no stored field; write email, role or status instead.',
  ],
  [
    postWith({ filter: { ranked: isPresent('rank') } }),
    'Post.filter.ranked: rank is always present; make rank optional or strike the filter.',
  ],
  [postWith({ filter: { min: atLeast('title') } }), 'Post.filter.min: title has no least and no most; use is.'],
  [
    postWith({ filter: { max: atMost('ranc') } }),
    'Post.filter.max: it names ranc, which is no stored field; write rank instead.',
  ],
  [postWith({ filter: { tag: contains('title') } }), 'Post.filter.tag: title is no list; use is.'],
  [
    postWith({ filter: { tag: contains('parts') } }),
    'Post.filter.tag: parts holds objects; name a part, such as parts.product.',
  ],
  [
    postWith({ filter: { tag: contains('parts.produkt') } }),
    'Post.filter.tag: what parts holds has no part produkt; write product instead.',
  ],
  [
    postWith({ filter: { tag: contains('tags.name') } }),
    'Post.filter.tag: what tags holds has no part name; strike it.',
  ],
  [
    postWith({ filter: { tag: contains('parts.count') } }),
    'Post.filter.tag: an integer cannot be looked for in a list; look for a text, a choice or an id.',
  ],
  [
    postWith({ filter: { limit: atMost('rank') } }),
    'Post.filter.limit: limit is the parameter of limit already; choose another name.',
  ],
  [
    postWith({ filter: { per_page: atMost('rank') } }),
    'Post.filter.per_page: its name is not of the form minPrice; use letters and digits.',
    'Post.filter.per_page: per_page is the parameter of perPage already; choose another name.',
  ],
  [
    postWith({ filter: { authorId: contains('tags') } }),
    'Post.filter.authorId: author_id is the parameter of author already; choose another name.',
  ],
  [postWith({ sort: ['titel'] }), 'Post.sort: it names titel, which is no stored field; write title instead.'],
  [
    postWith({ sort: ['likedBy'] }),
    'Post.sort: it names likedBy, which is no stored field; write title, rank, tags, parts, status, at or author instead.',
  ],
  [
    userWith({ sort: ['password'] }),
    'User.sort: it names password, which is no stored field; write email, role or status instead.',
  ],
  [postWith({ sort: ['tags'] }), 'Post.sort: tags is a list, which has no order; strike it.'],
  [postWith({ sort: ['title', 'title'] }), 'Post.sort: it names title twice; strike one.'],
  [
    postWith({ fields: { editor: optional(one('User')) }, sort: { title: { within: 'editor' } } }),
    'Post.sort: title is within editor, and no filter names one of these; write filter: { editor: is }.',
  ],
  [
    postWith({ sort: { title: { within: 'status' } } }),
    'Post.sort: title is within status, and no filter names one of these; write author instead.',
  ],
  [postWith({ filter: { author: is }, sort: { title: { within: 'author' }, rank: {} } })],
  [postWith({ sort: ['createdAt'] }), 'Post.sort: it names createdAt twice; strike one.'],
  [postWith({ sort: ['updatedAt', 'author.email', 'author.updatedAt'] })],
  [
    postWith({ sort: ['auther.email'] }),
    'Post.sort: it names auther.email, and auther refers to no one record; write author instead.',
  ],
  [
    postWith({ sort: ['author.emial'] }),
    'Post.sort: it names author.emial, which is no stored field of User; write email instead.',
  ],
  [
    postWith({ sort: ['author.password'] }),
    'Post.sort: it names author.password, which is no stored field of User; write email, role or status instead.',
  ],
  [
    postWith({ sort: ['likedBy.email'] }),
    'Post.sort: it names likedBy.email, and likedBy refers to no one record; write author instead.',
  ],
  [
    postWith({ sort: ['author.a.b.c.d'] }),
    'Post.sort: it names author.a.b.c.d, which follows 4 references; follow 3 at most.',
  ],
  [
    postWith({ protect: { titel: { read: signedIn } } }),
    'Post.protect.titel: it protects titel, which is no stored field; write title instead.',
  ],
  [
    userWith({ protect: { password: { read: signedIn } } }),
    'User.protect.password: it protects password, which is no stored field; write email, role or status instead.',
  ],
  [
    postWith({
      computed: { shout: { as: title, from: ['title'], make: () => '' } },
      protect: { shout: { write: signedIn } },
    }),
    'Post.protect.shout: what is computed is only read; strike write and filter.',
  ],
  [postWith({ formerly: { v0: { title: 'name' } } }), 'Post.formerly.v0: the service has no v0; write v1 instead.'],
  [
    postWith({ formerly: { v2: { title: 'name' } } }),
    'Post.formerly.v2: it is current, and older names belong to older versions; rename the field itself.',
  ],
  [
    postWith({ formerly: { v1: { titel: 'name' } } }),
    'Post.formerly.v1: it renames titel, which is no stored field; write title instead.',
  ],
  [
    postWith({ formerly: { v1: { title: 'the_name' } } }),
    'Post.formerly.v1: the name the_name is not of the form publishedAt; use letters and digits.',
  ],
  [
    postWith({ formerly: { v1: { title: 'rank' } } }),
    'Post.formerly: title was called rank, which is another field; choose another older name.',
  ],
  [
    postWith({ formerly: { v1: { title: 'can' } } }),
    'Post.formerly: title was called can, which is another field; choose another older name.',
  ],
  [
    postWith({ formerly: { v1: { title: 'id' } } }),
    'Post.formerly: title was called id, which is another field; choose another older name.',
  ],
  [
    postWith({ formerly: { v1: { title: 'name', rank: 'name' } } }),
    'Post.formerly: rank was called name, which is another field; choose another older name.',
  ],
  [
    postWith({ invariants: [atLeastOne({ status: 'gone' }, 'One must stay.')] }),
    "Post: its invariant compares status with 'gone'; name a value that status can have.",
  ],
  [
    postWith({ invariants: [atLeastOne({ titel: 'x' }, 'One must stay.')] }),
    'Post: its invariant names titel, which is no readable field; write title instead.',
  ],
  [
    postWith({ invariants: [atLeastOne({}, 'One must stay.')] }),
    'Post: its invariant is empty; name a field and its value.',
  ],
])
