// What gets past the compiler by JavaScript, casts or typos is told before anything is made of it. (contract 5.4.3)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyOf, anyone, atLeast, atLeastOne, list, many, nobody, object, one, own, text } from 'duet-api'
import {
  action,
  field,
  move,
  note,
  postWith,
  refuses,
  reportsTogether,
  rule,
  serviceWith,
  title,
} from '../../../../test/support/domain/valid-service.ts'
import { contradictions } from '../contradiction.ts'

refuses('the form of what was written', [
  [serviceWith({ rolls: {} }), 'The service: it has rolls, which means nothing here; write roles instead.'],
  [
    serviceWith({ resources: { Post: undefined, User: undefined } }),
    'The service: its resources is something else than it must be; make it an object of resources.',
  ],
  [serviceWith({ resources: { Note: 'Note' } }), "Note: it is no resource; make it with resource('Note', …)."],
  [serviceWith({ accounts: { login: undefined } }), 'accounts: it has no login; give it the name of a field.'],
  [
    serviceWith({ accounts: { active: 'ON' } }),
    'accounts: it has active, which means nothing here; write activeState instead.',
  ],
  [
    serviceWith({ roles: { ADMIN: 'all' } }),
    "The service: its roles is something else than it must be; make it grants by role, or 'everything'.",
  ],
  [
    serviceWith({ roles: { ADMIN: { posts: 'create' } } }),
    "The service: its roles is something else than it must be; make it grants by role, or 'everything'.",
  ],
  [
    serviceWith({ versions: { v1: 'old', v2: 'current' } }),
    "The service: its versions is something else than it must be; make it 'current', or dates of deprecation and sunset, by version.",
  ],
  [postWith({ prefix: undefined }), "Post: it has no prefix; give it a text to begin its ids with, such as 'post'."],
  [postWith({ filters: {} }), 'Post: it has filters, which means nothing here; write filter instead.'],
  ...[{ sort: 'title' }, { sort: { title: true } }, { sort: { title: { inside: 'author' } } }].map(
    (part) =>
      [
        postWith(part),
        "Post: its sort is something else than it must be; make it a list of texts, or an object such as { dueAt: { within: 'company' }, title: {} }.",
      ] as const,
  ),
  [postWith({ batch: true }), 'Post: its batch is something else than it must be; make it false, or leave it out.'],
  [
    postWith({ resultUnion: 'yes' }),
    'Post: its resultUnion is something else than it must be; make it true, or leave it out.',
  ],
  [
    postWith({ notFound: 'postNotFound' }),
    "Post: its notFound is something else than it must be; make it a code, such as 'COURSE_NOT_FOUND', or leave it out.",
  ],
  [
    postWith({ notFound: 'POST_NOT_FOUND_' }),
    "Post: its notFound is something else than it must be; make it a code, such as 'COURSE_NOT_FOUND', or leave it out.",
  ],
  [
    postWith({ versions: { v1: { title: 'text' } } }),
    'Post: it has versions, which means nothing here; write formerly instead.',
  ],
  [
    postWith({ formerly: { v1: 'text' } }),
    'Post: its formerly is something else than it must be; make it names by version and field.',
  ],
  [
    postWith({ invariants: [{ rank: 1 }] }),
    'Post: its invariants is something else than it must be; make it a list of atLeastOne(…).',
  ],
  [field('title', 'text'), 'Post.title: it is no field; make it with text(…), one(…) or another kind of field.'],
  [field('title', text), 'Post.title: it is no field; make it with text(…), one(…) or another kind of field.'],
  [
    field('title', text({ max: 9, mx: 3 } as never)),
    'Post.title: it has mx, which is no option of text; write max instead.',
  ],
  [
    field('tags', list('text' as never, { max: 9 })),
    'Post.tags: it is no field; make it with text(…), one(…) or another kind of field.',
  ],
  [
    field('parts', object({ count: 5 } as never)),
    'Post.parts.count: it is no field; make it with text(…), one(…) or another kind of field.',
  ],
  [field('author', one(5 as never)), 'Post.author: its target is no name; make it a text.'],
  [field('title', text({ max: 9, was: 5 } as never)), 'Post.title: its was is no name; make it a text.'],
  [
    field('title', text({ max: 9, was: { to: 'value' } } as never)),
    "Post.title: its was names no column and conversions; write was: { column: '…', to: '…', back: '…' }.",
  ],
  [
    field('title', text({ max: 9, was: { column: 'name', form: 'value' } } as never)),
    'Post.title: its was has form, which it does not know; write column, to or back instead.',
  ],
  [
    action('publish', { from: 'draft', to: 'published' }),
    "Post.publish: it has no allow; give it a rule, such as signedIn or own('author').",
  ],
  [
    action('publish', 'published'),
    'Post.publish: it is no object; give it allow, at, past, shown, partly, on, maxAgeSeconds, accept, mayFollow, from, check, to, set, link, unlink, effect, emit, deprecated, about as they apply.',
  ],
  [move({ acept: ['title'] }), 'Post.publish: it has acept, which means nothing here; write accept instead.'],
  [
    move({ accept: 'title' }),
    "Post.publish: its accept is something else than it must be; make it a list of fields, or of { list: 'tags', min: 1, into: own('owner') }.",
  ],
  [
    move({ from: 5 }),
    'Post.publish: its from is something else than it must be; make it a state, a list of states or an object.',
  ],
  [move({ check: 'never' }), 'Post.publish: its check is something else than it must be; make it a function.'],
  [
    move({ set: { title: async () => 'x' } }),
    'Post.publish: its set is something else than it must be; make it an object of values, or of functions that are not async.',
  ],
  [move({ effect: 'ship' }), 'Post.publish: its effect is something else than it must be; make it a function.'],
  [
    move({ emit: 'published' }),
    "Post.publish: its emit is something else than it must be; make it an event, such as event('published').",
  ],
  [
    rule('anyone'),
    "Post.publish: its allow is something else than it must be; make it a rule, such as signedIn or own('author').",
  ],
  [
    rule(own),
    "Post.publish: its allow is something else than it must be; make it a rule, such as signedIn or own('author').",
  ],
  [
    rule(anyOf()),
    "Post.publish: its allow is something else than it must be; make it a rule, such as signedIn or own('author').",
  ],
  [
    rule(anyOf(own('author'), 'anyone' as never)),
    "Post.publish: its allow is something else than it must be; make it a rule, such as signedIn or own('author').",
  ],
  [
    action('read', { allow: anyone, maxAgeSeconds: '60' }),
    'Post.read: its maxAgeSeconds is something else than it must be; make it a number of seconds.',
  ],
  [
    postWith({ protect: { title: { reed: nobody } } }),
    'Post.protect.title: it has reed, which means nothing here; write read instead.',
  ],
  [
    postWith({ protect: { title: { read: 'nobody' } } }),
    "Post.protect.title: its read is something else than it must be; make it a rule, such as signedIn or own('author').",
  ],
  [
    postWith({ filter: { min: atLeast } }),
    'Post.filter.min: it is no object; give it test, on, deprecated as they apply.',
  ],
  [
    postWith({ filter: { min: 'rank' } }),
    'Post.filter.min: it is no object; give it test, on, deprecated as they apply.',
  ],
  [
    postWith({ computed: { shout: { as: title, from: 'title', make: () => '' } } }),
    'Post.shout: its from is something else than it must be; make it a list of fields.',
  ],
  [
    postWith({ computed: { shout: { as: 'text', from: ['title'], make: async () => '' } } }),
    'Post.shout: its as is something else than it must be; make it a field, such as text({ max: 400 }).',
    'Post.shout: its make is something else than it must be; make it a function that is not async.',
  ],
])

test('whatever a definition needs is requested by name', () => {
  const computed = { shout: { as: title, from: ['title'], make: () => '' } }
  const service = postWith({ computed, invariants: [atLeastOne({ rank: 1 }, 'One must stay.')] })
  const places: readonly (readonly [where: string, ...path: string[]])[] = [
    ...['resources', 'accounts', 'roles'].map((key) => ['The service', key] as const),
    ...['login', 'password', 'role', 'activeState'].map((key) => ['accounts', 'accounts', key] as const),
    ...['name', 'prefix', 'fields', 'actions'].map((key) => ['Post', 'resources', 'Post', key] as const),
    ['Post.publish', 'resources', 'Post', 'actions', 'publish', 'allow'],
    ['Post.filter.tag', 'resources', 'Post', 'filter', 'tag', 'test'],
    ...['as', 'from', 'make'].map((key) => ['Post.shout', 'resources', 'Post', 'computed', 'shout', key] as const),
  ]
  const drop = (tree: object, [key, ...rest]: readonly string[]): object => {
    const { [key!]: value, ...others } = tree as Readonly<Record<string, object>>
    return rest.length === 0 ? others : { ...others, [key!]: drop(value!, rest) }
  }
  for (const [where, ...path] of places) {
    const [sentence] = contradictions(drop(service, path) as never)
    assert.ok(sentence?.startsWith(`${where}: it has no ${path.at(-1)}; give it `), `${path.join('.')}: ${sentence}`)
  }
})

reportsTogether('malformed definitions', [
  [field('old', 3), 'Post.old: it is no field; make it with text(…), one(…) or another kind of field.'],
  [
    action('publish', { allow: { rule: 'anyone' }, from: 'draft', to: 'published', deprecated: { since: 'now' } }),
    'Post.publish: its deprecated is something else than it must be; make it the dates `since` and `sunset`, and what to `use` instead.',
  ],
])

reportsTogether('members and `within` that lead nowhere', [
  [
    note({ posts: many('Post', 'note') }, { members: { list: 'seats', account: 'user', role: 'role' } }),
    "Note.members: its list seats is no list of records; name a field that is many('…', '…').",
  ],
  [
    note({ title }, { within: 'post' }),
    "Note.within: post is no relation that every record has; name a field that is one('…').",
  ],
])
