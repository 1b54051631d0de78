// What is unique together, where that cannot be, would change by itself, or is said twice.

import { before, counter, date, me, now, optional, own, signedIn, text, timestamp, when } from 'duet-api'
import {
  changed,
  post,
  postWith,
  refuses,
  serviceWith,
  userWith,
} from '../../../../test/support/domain/valid-service.ts'

const where = (rule: unknown) => postWith({ unique: [{ fields: ['title'], where: rule }] })
const at = 'Post.unique [title]: '

refuses(
  'what is unique together',
  [
    [
      postWith({ unique: ['title'] }),
      "Post: its unique is something else than it must be; make it a list such as [['invoice', 'position']].",
    ],
    [
      postWith({ unique: [{ fields: ['title'], always: true }] }),
      "Post: its unique is something else than it must be; make it a list such as [['invoice', 'position']].",
    ],
    [postWith({ unique: [[]] }), 'Post.unique []: it names no field; name one, or strike it.'],
    [
      postWith({ unique: [['titel', 'title']] }),
      'Post.unique [titel, title]: titel is no stored field; write title instead.',
    ],
    [
      postWith({ unique: [['title', 'tags']] }),
      'Post.unique [title, tags]: it compares tags, which is a list; name a field of one plain value.',
    ],
    [postWith({ unique: [['title', 'title']] }), 'Post.unique [title, title]: it names title twice; strike one.'],
    [userWith({ unique: [['email']] }), 'User.unique [email]: email is unique already; strike one of the two.'],
    [
      postWith({ unique: [['rank']] }),
      'Post.unique [rank]: its default could stand in one record only; strike default or unique.',
    ],
    [
      postWith({
        unique: [
          ['title', 'rank'],
          ['rank', 'title'],
        ],
      }),
      'Post.unique [rank, title]: that rank and title are unique is written twice; write it once.',
    ],
    [
      postWith({ unique: [{ fields: ['rank', 'author'], caseless: true }] }),
      'Post.unique [rank, author]: it is caseless, and none of its fields is a text; strike caseless.',
    ],
    [where(own('author')), `${at}its where has own, which is no value of the record; use when(…) of its own fields.`],
    [
      where(when({ at: before(now) })),
      `${at}its where compares with now, and would change while the record does not; compare with a value, or with another field.`,
    ],
    [
      where(when({ title: me('email') })),
      `${at}it trusts me('email'), an address that anyone can sign up with; name by accounts.verified the field that is true once it is known to be theirs.`,
      `${at}its where compares with me, and would change while the record does not; compare with a value, or with another field.`,
    ],
    [
      where(when({ tags: { test: 'contains', on: 'a' } })),
      `${at}its where looks into a list, which no index can; compare a plain value.`,
    ],
    [where(when({ rank: 12 })), `${at}its when compares rank with 12; name a value that rank can have.`],
    [
      postWith({
        fields: { long: optional(text({ max: 400 })), wide: optional(text({ max: 300 })) },
        unique: [['long', 'wide']],
      }),
      'Post.unique [long, wide]: long and wide may be longer than an index can hold; let them be at most 650 characters together.',
    ],
  ],
  '11.2.7',
)

refuses(
  'keys',
  [
    [
      postWith({ keys: ['title'] }),
      "Post: its keys is something else than it must be; make it a list such as [['externalId']].",
    ],
    [
      postWith({ fields: { number: counter({ within: 'author' }) }, keys: [['number', 'author']] }),
      'Post.keys [number, author]: number counts within each author; begin the key with author.',
    ],
    [
      postWith({ fields: { number: counter({ within: 'author' }) }, keys: [['number']] }),
      'Post.keys [number]: number counts within each author; begin the key with author.',
    ],
    [
      postWith({ keys: [{ fields: ['title'], where: own('author') }] }),
      'Post.keys [title]: its where has own, which is no value of the record; use when(…) of its own fields.',
    ],
    [
      postWith({ keys: [['title'], { fields: ['title'], where: when({ rank: 1 }) }] }),
      "Post: GraphQL's query postByTitle is that of Post; choose another name or plural.",
      'Post.keys [title]: it is written twice; write it once.',
    ],
    [
      postWith({
        keys: [{ fields: ['title'], where: when({ rank: 1 }) }],
        unique: [{ fields: ['title'], where: when({ rank: 1 }) }],
      }),
      'Post.unique [title]: title are a key, which is unique; strike it.',
    ],
    [
      postWith({ keys: [['tags', 'title']] }),
      'Post.keys [tags, title]: it compares tags, which is a list; name a field of one plain value.',
      'Post.keys [tags, title]: a list cannot stand in a path; name another field.',
    ],
    [
      postWith({
        keys: [
          ['title', 'rank'],
          ['rank', 'title'],
        ],
      }),
      'Post.keys [rank, title]: it is written twice; write it once.',
    ],
    [
      postWith({ keys: [['title', 'rank']], unique: [['rank', 'title']] }),
      'Post.unique [title, rank]: title and rank are a key, which is unique; strike it.',
    ],
    [
      postWith({ keys: [['title']], protect: { title: { read: own('author') } } }),
      'Post.keys [title]: an address would reveal title, which is protected; name another field.',
    ],
    [
      serviceWith({
        resources: {
          Post: changed(post, { keys: [['title']], queries: {} }),
          PostByTitle: { name: 'PostByTitle', prefix: 'pbt', fields: {}, actions: { read: { allow: signedIn } } },
        },
      }),
      "PostByTitle: GraphQL's query postByTitle is that of Post; choose another name or plural.",
    ],
    [
      postWith({
        keys: [['title']],
        actions: { upsert: { allow: own('author'), from: 'draft', to: 'published' } },
      }),
      "Post.upsert: GraphQL's mutation upsertPost is that of Post; choose another name.",
    ],
  ],
  '11.2.8',
)

const excluding = (exclusion: object) =>
  postWith({
    fields: { from: timestamp(), until: optional(timestamp()), day: date() },
    actions: { create: { ...post.actions.create, accept: ['title', 'tags', 'from', 'day'] } },
    exclude: [{ fields: ['title'], overlap: ['from', 'until'], ...exclusion }],
  })
const excluded = 'Post.exclude [title]: '

refuses(
  'what must not overlap',
  [
    [
      excluding({ overlap: ['from'] }),
      "Post: its exclude is something else than it must be; make it a list such as [{ fields: ['host'], overlap: ['startsAt', 'endsAt'] }].",
    ],
    [excluding({ fields: [] }), 'Post.exclude []: it names no field; name one, or strike it.'],
    [excluding({ overlap: ['until', 'from'] }), `${excluded}until may be absent; make the start required.`],
    [
      excluding({ overlap: ['from', 'day'] }),
      `${excluded}from and day are of two kinds; name two timestamps, two dates or two integers.`,
    ],
    [excluding({ overlap: ['from', 'from'] }), `${excluded}from is its start and its end; name two fields.`],
    [excluding({ fields: ['from'] }), 'Post.exclude [from]: from is compared and ends the interval; name it once.'],
    [
      excluding({ overlap: ['from', 'tags'] }),
      `${excluded}tags is a list, which ends no interval; name a timestamp, a date or an integer.`,
      `${excluded}from and tags are of two kinds; name two timestamps, two dates or two integers.`,
    ],
    [
      excluding({ where: when({ from: before(now) }) }),
      `${excluded}its where compares with now, and would change while the record does not; compare with a value, or with another field.`,
    ],
    [
      excluding({ per: 'Team' }),
      `${excluded}it is unique in Team, and no Post is within one; write everywhere instead.`,
    ],
  ],
  '11.5.7',
)
