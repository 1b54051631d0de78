// Rules that speak of what is not there, or not there yet. (contract 5.4.3)

import {
  absent,
  allOf,
  anyOf,
  anyone,
  atLeast,
  is,
  may,
  one,
  optional,
  own,
  readable,
  self,
  signedIn,
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
} from '../../../test/support/domain/valid-service.ts'

refuses('rules', [
  [rule(self), "Post.publish: self asks for the actor's own account, and Post is none; say own('…') of a relation."],
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
  [rule(when({})), 'Post.publish: its when says nothing; name a field and its value.'],
  [rule(when({ rnak: 1 })), 'Post.publish: its when speaks of rnak, which is no readable field; write rank instead.'],
  [
    rule(when({ likedBy: 'usr_1' })),
    'Post.publish: its when speaks of likedBy, which is no readable field; write title, rank, tags, parts, status, at or author instead.',
  ],
  [rule(when({ rank: 10 })), 'Post.publish: its when asks for a rank that is 10; name a value that rank can have.'],
  [
    rule(when({ status: 'gone' })),
    "Post.publish: its when asks for a status that is 'gone'; name a value that status can have.",
  ],
  [
    rule(when({ rank: absent })),
    'Post.publish: its when asks whether there is a rank, and there always is; make rank optional or ask for a value.',
  ],
  [
    rule(when({ tags: ['a'] })),
    'Post.publish: its when compares tags, which is a list; ask for present or absent, or of another field.',
  ],
  [
    rule(when({ at: '2026-01-01' })),
    "Post.publish: its when asks for an at that is '2026-01-01'; name a value that at can have.",
  ],
  [
    userWith({ actions: { leave: { allow: when({ password: 'x' }), from: 'ON', to: 'OFF' } } }),
    'User.leave: its when speaks of password, which is no readable field; write email, role or status instead.',
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
    "Post.publish: may('publish', …) holds another may; say both beside each other by anyOf.",
  ],
  [
    rule(may('publish', when({ rank: 1 }) as never)),
    "Post.publish: may('publish', …) lets in somebody who is not signed in; give it a rule such as own('author').",
  ],
  [
    rule(may('publish', anyOf(own('author'), when({ rank: 1 })) as never)),
    "Post.publish: may('publish', …) lets in somebody who is not signed in; give it a rule such as own('author').",
  ],
  [
    rule(may('publish', anyone as never)),
    "Post.publish: may('publish', …) lets in somebody who is not signed in; give it a rule such as own('author').",
  ],
  [
    create({ allow: own('author') }),
    'Post.create: its allow asks own of a record that is not there yet; ask only what is known of the actor.',
    'roles.MEMBER: no rule asks for create of posts; write edit_own, edit_any or publish instead.',
  ],
  [
    create({ allow: may('create', own('author')) }),
    'Post.create: its allow asks own of a record that is not there yet; ask only what is known of the actor.',
    'roles.MEMBER: no rule asks for create of posts; write create_own, create_any, edit_own, edit_any or publish instead.',
  ],
  [
    create({ allow: anyOf(may('create'), when({ rank: 1 })) }),
    'Post.create: its allow asks when of a record that is not there yet; ask only what is known of the actor.',
  ],
  [
    userWith({ actions: { create: { ...user.actions.create, allow: anyOf(may('manage'), self) } } }),
    'User.create: its allow asks self of a record that is not there yet; ask only what is known of the actor.',
  ],
  [
    postWith({ filter: { rank: is }, protect: { rank: { filter: own('author') } } }),
    'Post.protect.rank: its filter asks own before there is a record; ask only what is known of the actor.',
  ],
  [
    postWith({ protect: { title: { write: own('author') } } }),
    'Post.protect.title: its write asks own of a record that create has yet to make; ask only what is known of the actor.',
  ],
  [
    postWith({ filter: { rank: is }, protect: { rank: { read: own('author') } } }),
    'Post.protect.rank: lists filtered by it would tell what read hides; say who may filter by it.',
  ],
  [
    postWith({ filter: { minRank: atLeast('rank') }, protect: { rank: { read: signedIn } } }),
    'Post.protect.rank: lists filtered by it would tell what read hides; say who may filter by it.',
  ],
  [
    postWith({ protect: { title: { read: own('writer') } } }),
    "Post.protect.title: own('writer') names no account; name a relation to User.",
  ],
  [
    note({ parent: optional(one('Note')) }, { actions: { read: { allow: anyOf(signedIn, readable('parent')) } } }),
    'Note.read: it is as readable as something that is as readable as itself; say who may read one of them.',
  ],
  [
    serviceWith({
      resources: {
        A: { name: 'A', prefix: 'a', fields: { b: optional(one('B')) }, actions: { read: { allow: readable('b') } } },
        B: { name: 'B', prefix: 'b', fields: { a: optional(one('A')) }, actions: { read: { allow: readable('a') } } },
      },
    }),
    'A.read: it is as readable as something that is as readable as itself; say who may read one of them.',
    'B.read: it is as readable as something that is as readable as itself; say who may read one of them.',
  ],
])
