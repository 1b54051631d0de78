// Rules that speak of what is not there, or not there yet. (contract 5.4.3)

import {
  above,
  absent,
  after,
  allOf,
  anyOf,
  anyone,
  arg,
  atLeast,
  before,
  boolean,
  contains,
  date,
  field,
  fresh,
  hasToken,
  is,
  may,
  me,
  not,
  now,
  one,
  oneOf,
  optional,
  own,
  readable,
  self,
  signedIn,
  some,
  startOf,
  through,
  when,
} from 'duet-api'
import {
  create,
  note,
  postWith,
  refuses,
  rule,
  serviceWith,
  user,
  userWith,
} from '../../../../test/support/domain/valid-service.ts'

refuses('rules', [
  [rule(fresh({ minutes: 0 })), 'Post.publish: its fresh has 0 minutes; write a whole number from 1 to 1,440.'],
  [rule(fresh({ minutes: 1.5 })), 'Post.publish: its fresh has 1.5 minutes; write a whole number from 1 to 1,440.'],
  [rule(fresh({ minutes: 1441 })), 'Post.publish: its fresh has 1441 minutes; write a whole number from 1 to 1,440.'],
  ...[anyOf(fresh({ minutes: 5 }), signedIn), not(fresh({ minutes: 5 })), through('author', fresh({ minutes: 5 }))].map(
    (each) => [rule(each), misplacedFresh('Post.publish')] as const,
  ),
  [note({}, { actions: { read: { allow: fresh({ minutes: 5 }) } } }), misplacedFresh('Note.read')],
  [rule(self), "Post.publish: self means the actor's own account, and Post is none; write own('…') with a relation."],
  [
    note(
      { parent: optional(one('Note', { tree: true })), other: optional(one('Note')) },
      { actions: { read: { allow: above('other', signedIn) } } },
    ),
    "Note.read: through other: above('other') names no tree of Note; write parent instead.",
  ],
  [rule(own('title')), "Post.publish: own('title') names no account; name a relation to User."],
  [rule(own('writer')), "Post.publish: own('writer') names no account; name a relation to User."],
  [
    rule(anyOf(signedIn, allOf(own('writer'), signedIn))),
    "Post.publish: own('writer') names no account; name a relation to User.",
  ],
  [
    note(
      { post: one('Post') },
      { actions: { read: { allow: anyone }, move: { allow: own('post'), accept: ['post'] } } },
    ),
    "Note.move: own('post') names no account; name a relation to User.",
  ],
  [rule(readable('title')), "Post.publish: readable('title') names no relation; write author instead."],
  [rule(readable('autor')), "Post.publish: readable('autor') names no relation; write author instead."],
  [rule(when({})), 'Post.publish: its when is empty; name a field and its value.'],
  [rule(when({ rnak: 1 })), 'Post.publish: its when names rnak, which is no readable field; write rank instead.'],
  [
    rule(when({ likedBy: 'usr_1' })),
    'Post.publish: its when names likedBy, which is no readable field; write title, rank, tags, parts, status, at, author, createdAt or updatedAt instead.',
  ],
  [rule(when({ rank: 10 })), 'Post.publish: its when compares rank with 10; name a value that rank can have.'],
  [
    rule(when({ status: 'gone' })),
    "Post.publish: its when compares status with 'gone'; name a value that status can have.",
  ],
  [
    rule(when({ rank: absent })),
    'Post.publish: its when tests for a rank, and there always is one; make rank optional or compare with a value.',
  ],
  [
    rule(when({ tags: ['a'] })),
    'Post.publish: its when compares tags, which is a list; compare with present or absent, or compare another field.',
  ],
  [
    rule(when({ at: '2026-01-01' })),
    "Post.publish: its when compares at with '2026-01-01'; name a value that at can have.",
  ],
  [
    userWith({ actions: { leave: { allow: when({ password: 'x' }), from: 'ON', to: 'OFF' } } }),
    'User.leave: its when names password, which is no readable field; write email, role, status, createdAt or updatedAt instead.',
  ],
  [rule(may('publich')), "Post.publish: may('publich') is about no action of Post; write publish instead."],
  [
    rule(may('update')),
    "Post.publish: may('update') is about no action of Post; write read, create, edit, publish or manage instead.",
  ],
  [
    rule(may('edit_own', own('author'))),
    "Post.publish: may('edit_own') is about no action of Post; write read, create, edit, publish or manage instead.",
  ],
  [
    rule(may('publish', may('edit') as never)),
    "Post.publish: may('publish', …) holds another may; put both into anyOf.",
  ],
  [
    rule(may('publish', when({ rank: 1 }) as never)),
    "Post.publish: may('publish', …) lets in anonymous callers; give it a rule such as own('author').",
  ],
  [
    rule(may('publish', anyOf(own('author'), when({ rank: 1 })) as never)),
    "Post.publish: may('publish', …) lets in anonymous callers; give it a rule such as own('author').",
  ],
  [
    rule(may('publish', anyone as never)),
    "Post.publish: may('publish', …) lets in anonymous callers; give it a rule such as own('author').",
  ],
  [
    create({ allow: anyOf(may('create'), own('author')) }),
    'Post.create: its allow compares author, which its set works out afterwards; let it be sent or have a default, or compare another field.',
  ],
  [
    create({ allow: anyOf(may('create'), some('likedBy', self)) }),
    'Post.create: its allow has some, a rule about a record that does not exist yet; compare its values, the records that it names, or the actor.',
  ],
  [
    userWith({ actions: { create: { ...user.actions.create, allow: anyOf(may('manage'), self) } } }),
    'User.create: its allow has self, a rule about a record that does not exist yet; compare its values, the records that it names, or the actor.',
  ],
  [
    postWith({ filter: { rank: is }, protect: { rank: { filter: own('author') } } }),
    'Post.protect.rank: its filter has own, a rule about a record, and there is none yet; use only rules about the actor.',
  ],
  [
    postWith({ protect: { title: { write: own('author') } } }),
    'Post.protect.title: its write compares author, which its set works out afterwards; let it be sent or have a default, or compare another field.',
  ],
  [
    postWith({ filter: { rank: is }, protect: { rank: { read: own('author') } } }),
    "Post.protect.rank: lists filtered by it would reveal what read hides; give it a filter, such as protect: { rank: { filter: may('manage') } }.",
  ],
  [
    postWith({ filter: { minRank: atLeast('rank') }, protect: { rank: { read: signedIn } } }),
    "Post.protect.rank: lists filtered by it would reveal what read hides; give it a filter, such as protect: { rank: { filter: may('manage') } }.",
  ],
  [
    postWith({ protect: { title: { read: own('writer') } } }),
    "Post.protect.title: own('writer') names no account; name a relation to User.",
  ],
  [
    note({ parent: optional(one('Note')) }, { actions: { read: { allow: anyOf(signedIn, readable('parent')) } } }),
    'Note.read: it is as readable as something that is as readable as itself; give one of them an allow.',
  ],
  [
    serviceWith({
      resources: {
        A: { name: 'A', prefix: 'a', fields: { b: optional(one('B')) }, actions: { read: { allow: readable('b') } } },
        B: { name: 'B', prefix: 'b', fields: { a: optional(one('A')) }, actions: { read: { allow: readable('a') } } },
      },
    }),
    'A.read: it is as readable as something that is as readable as itself; give one of them an allow.',
    'B.read: it is as readable as something that is as readable as itself; give one of them an allow.',
  ],
  [
    rule(through('likedBy' as never, signedIn)),
    "Post.publish: through('likedBy') names no relation to one record; write author instead.",
  ],
  [rule(some('author', signedIn)), "Post.publish: some('author') names no list of records; write likedBy instead."],
  [
    rule(through('author', some('liked', own('writer')))),
    "Post.publish: through author: some liked: own('writer') names no account; name a relation to User.",
  ],
  [
    rule(not(through('author', when({ rank: 1 })))),
    'Post.publish: through author: its when names rank, which is no readable field; write email, role, status, createdAt or updatedAt instead.',
  ],
  [
    rule(through('author', may('publish'))),
    "Post.publish: through author: may('publish') is about no action of User; write read, create, edit, leave or manage instead.",
    'Post.publish: through author: it uses publish of User, which no rule of that resource uses; write edit_own, edit_any or manage instead.',
  ],
  [
    rule(when({ at: before(startOf('decade' as 'day')) })),
    "Post.publish: startOf('decade') is no calendar unit; use hour, day, week, month, quarter, year.",
  ],
  [
    rule(when({ at: before(startOf('day', { timeZone: 'Mars' })) })),
    "Post.publish: startOf('day') names 'Mars', which is no time zone; name one such as 'Europe/Vienna'.",
  ],
  [rule(when({ rank: startOf('day') })), 'Post.publish: it compares rank with a moment; compare it with an integer.'],
  [rule(when({ title: before(now) })), 'Post.publish: title is no moment; use atLeast or atMost for numbers.'],
  [rule(when({ title: atLeast('a') })), 'Post.publish: title has no least and no most; compare it as it is.'],
  [rule(when({ rank: atLeast(now) })), 'Post.publish: it compares rank with a moment; compare it with an integer.'],
  [
    postWith({
      fields: { due: optional(date()) },
      actions: { expire: { allow: allOf(may('expire'), when({ due: before(now) })), from: 'draft', to: 'published' } },
    }),
    'Post.expire: it compares due with a moment; compare it with a date.',
  ],
  [rule(when({ rank: oneOf() })), 'Post.publish: its list of values of rank is empty; name some.'],
  [rule(when({ rank: oneOf(1, 'a') })), "Post.publish: it compares rank with 'a'; compare it with an integer."],
  [
    rule(when({ rank: field('title') })),
    'Post.publish: it compares rank with title, which is a text; compare it with an integer.',
  ],
  [rule(when({ rank: field('rank') })), 'Post.publish: it compares rank with itself; name another field.'],
  [
    rule(when({ rank: field('ramk') })),
    "Post.publish: it compares rank with field('ramk'), which there is not; write rank instead.",
  ],
  [
    rule(when({ title: me('emial') })),
    "Post.publish: it compares title with me('emial'), which User lacks; write email instead.",
  ],
  [
    rule(when({ title: me('email') })),
    "Post.publish: it trusts me('email'), an address that anyone can sign up with; name by accounts.verified the field that is true once it is known to be theirs.",
  ],
  [
    rule(when({ rank: me('role') })),
    "Post.publish: it compares rank with me('role'), which is a choice; compare it with an integer.",
  ],
  [
    rule(when({ at: after(arg('since') as never) })),
    "Post.publish: it compares with arg('…') where no request brings one; arguments stand in the where of a query, about its own records.",
  ],
  [rule(hasToken('title') as never), "Post.publish: hasToken('title') names no token; strike it."],
  [rule(when({ tags: contains(1 as never) })), 'Post.publish: it compares tags with 1; compare it with a text.'],
  [
    rule(
      through(
        'author',
        some('posts', through('author', some('posts', through('author', some('posts', own('author')))))),
      ),
    ),
  ],
  [
    rule(
      through(
        'author',
        some('posts', through('author', some('posts', through('author', some('liked', through('author', self)))))),
      ),
    ),
    'Post.publish: it leads 7 records deep (through author, some posts, through author, some posts, through author, some liked, through author); 6 are the most: shorten it.',
  ],
  [
    serviceWith({
      resources: {
        A: {
          name: 'A',
          prefix: 'a',
          fields: { b: optional(one('B')) },
          actions: { read: { allow: through('b', readable('a')) } },
        },
        B: { name: 'B', prefix: 'b', fields: { a: optional(one('A')) }, actions: { read: { allow: anyone } } },
      },
    }),
    'A.read: it is as readable as something that is as readable as itself; give one of them an allow.',
  ],
  [
    userWith({
      fields: { isSure: boolean() },
      actions: { create: { ...user.actions.create, accept: ['email', 'password', 'isSure'] } },
    }),
  ],
])

function misplacedFresh(where: string): string {
  return `${where}: it has fresh, which tests the sign-in and no record; write it in allow of an action other than read, alone or in allOf.`
}
