// Fields whose options contradict each other, or that stand where they cannot. (contract 5.4.3)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  argument,
  choice,
  event,
  integer,
  json,
  list,
  manyToMany,
  object,
  one,
  optional,
  password,
  readOnly,
  secret,
  signedIn,
  state,
  text,
  token,
  when,
} from 'duet-api'
import { field, post, postWith, refuses, title, userWith } from '../../../../test/support/domain/valid-service.ts'
import { contradictions } from '../contradiction.ts'

const loud = { shout: { as: title, from: ['title'], stored: true, make: () => 'A' } }
test('13.2.15 nothing that a write reads may be a stored value', () => {
  const uses = {
    unique: { unique: [['shout']] },
    keys: { keys: [['shout']] },
    invariants: { invariants: [{ invariant: 'One.', like: { shout: 'A' } }] },
    exclude: { exclude: [{ fields: ['shout'], overlap: ['rank', 'rank'] }] },
    read: { actions: { read: { allow: when({ shout: 'A' } as never) } } },
    move: { actions: { read: { allow: signedIn }, go: { allow: signedIn, at: 'shout', set: { rank: 1 } } } },
    event: {
      actions: {
        read: { allow: signedIn },
        go: { allow: signedIn, emit: event('gone', { changed: ['shout'] as never }) },
      },
    },
  }
  for (const [name, use] of Object.entries(uses)) {
    const sentences = contradictions(postWith({ computed: loud, ...use })).join()
    assert.match(sentences, /shout/, name)
  }
  assert.deepEqual(contradictions(postWith({ computed: loud, sort: ['shout'], where: ['shout'] })), [])
})

refuses('fields', [
  [
    field('title', choice(['a', 'b'], { ordered: 1 as never })),
    'Post.title: its ordered 1 is neither true nor false; write ordered: true or omit it.',
  ],
  [field('title', text({} as never)), 'Post.title: it has no max; set the largest length.'],
  [field('title', text({ max: -1 })), 'Post.title: its max -1 is no length; use a whole number, 1 or more.'],
  [field('title', text({ max: 0 })), 'Post.title: its max 0 is no length; use a whole number, 1 or more.'],
  [field('title', text({ max: 1.5 })), 'Post.title: its max 1.5 is no length; use a whole number, 1 or more.'],
  [
    field('title', text({ min: 10, max: 9 })),
    'Post.title: its min 10 is more than its max 9; lower one or raise the other.',
  ],
  [field('title', text({ min: -1, max: 9 })), 'Post.title: its min -1 is no length; use a whole number.'],
  [
    field('title', text({ max: 9, pattern: /a/i })),
    'Post.title: its pattern /a/i has flags that JSON Schema has no word for; strike all flags but u.',
  ],
  [
    field('title', text({ max: 9, pattern: '(' })),
    'Post.title: its pattern is none with the flag u: Invalid regular expression: /(/u: Unterminated group; ' +
      'write it as JavaScript has it then.',
  ],
  [
    field('title', text({ max: 9, pattern: 7 as never })),
    'Post.title: its pattern 7 is no expression; give it a text or a regular expression.',
  ],
  [
    field('title', text({ max: 9, message: 'Small letters.' })),
    'Post.title: its message is for values that its pattern does not match; give it a pattern and a sentence.',
  ],
  [
    field('title', text({ max: 9, pattern: /(?<year>\d{4})/ })),
    'Post.title: the running time of its pattern ^(?:(?<year>\\d{4}))$ cannot be bounded; write it without names of groups, flags ' +
      'inside and references.',
  ],
  [
    field('title', text({ max: 9, pattern: /^(a+)+$/ })),
    'Post.title: its pattern ^(a+)+$ may match one text in many ways, and take a time that grows much faster than the text; ' +
      'let no two parts that repeat, one within or after the other, match the same characters.',
  ],
  [
    field('title', text({ max: 9, pattern: /^[a-z]+$/, default: 'A' })),
    "Post.title: its default 'A' is none of its values; choose another default or wider limits.",
  ],
  [
    field('title', text({ max: 3, default: 'long' })),
    "Post.title: its default 'long' is none of its values; choose another default or wider limits.",
  ],
  [
    field('title', text({ max: 9, default: '' })),
    "Post.title: its default '' is none of its values; choose another default or wider limits.",
  ],
  [
    field('title', text({ max: 9, default: 'x', unique: true })),
    'Post.title: its default could stand in one record only, for it is unique; strike default or unique.',
  ],
  [
    field('rank', integer({ min: 5, max: 4, default: 5 })),
    'Post.rank: its min 5 is more than its max 4; lower one or raise the other.',
  ],
  [
    field('rank', integer({ max: 2_147_483_648, default: 5 })),
    "Post.rank: its limit 2147483648 is not in GraphQL's Int; choose a whole number of 32 bits.",
  ],
  [
    field('rank', integer({ min: -2_147_483_649, default: 5 })),
    "Post.rank: its limit -2147483649 is not in GraphQL's Int; choose a whole number of 32 bits.",
  ],
  [
    field('rank', integer({ min: 0.5, default: 5 })),
    "Post.rank: its limit 0.5 is not in GraphQL's Int; choose a whole number of 32 bits.",
  ],
  [
    field('rank', integer({ min: 1, default: 0 })),
    'Post.rank: its default 0 is none of its values; choose another default or wider limits.',
  ],
  [
    field('tags', list(title, { min: 3, max: 2 })),
    'Post.tags: its min 3 is more than its max 2; lower one or raise the other.',
  ],
  [
    field('tags', list(text({ min: 3, max: 2 }), { max: 2 })),
    'Post.tags[]: its min 3 is more than its max 2; lower one or raise the other.',
  ],
  [field('parts', list(object({}), { max: 2 })), 'Post.parts[]: it has no parts; name some.'],
  [
    field('parts', list(object({ unit_price: integer() }), { max: 2 })),
    'Post.parts[].unit_price: its name is not of the form unitPrice; use letters and digits.',
  ],
  [
    field('parts', list(object({ secret: password({ min: 8, max: 9 }) }), { max: 2 })),
    'Post.parts[].secret: a password cannot stand inside an object; make it a field of the resource.',
  ],
  [
    field('parts', list(object({ phase: state('a', 'b') }), { max: 2 })),
    'Post.parts[].phase: a state cannot stand inside an object; make it a field of the resource.',
  ],
  [
    field('parts', list(object({ key: token({ prefix: 'k_' }) }), { max: 2 })),
    'Post.parts[].key: a token cannot stand inside an object; make it a field of the resource.',
  ],
  [
    field('parts', list(object({ users: manyToMany('User', 'liked') }), { max: 2 })),
    'Post.parts[].users: a manyToMany cannot stand inside an object; make it a field of the resource.',
  ],
  [
    field('parts', list(argument(title) as never, { max: 2 })),
    'Post.parts[]: an argument cannot stand inside a list; make it a field of the resource.',
  ],
  [
    field('parts', list(object({ product: one('Post', { onDelete: 'restrict' }) }), { max: 2 })),
    'Post.parts[].product: onDelete is an option of fields with a column of their own; strike onDelete.',
  ],
  [
    field('parts', list(object({ name: text({ max: 9, unique: true }) }), { max: 2 })),
    'Post.parts[].name: unique is an option of fields with a column of their own; strike unique.',
  ],
  [
    field('tags', list(optional(title), { max: 2 })),
    'Post.tags[]: what a list holds is never absent; strike optional.',
  ],
  [
    field('tags', list(readOnly(title) as never, { max: 2 })),
    'Post.tags[]: readOnly is an option of parts of an object; strike readOnly.',
  ],
  [field('kind', choice([] as never, { default: 'a' as never })), 'Post.kind: it has no values; list what it can be.'],
  [
    field('kind', choice(['a b', 'c'], { default: 'c' })),
    "Post.kind: 'a b' is no word; use letters, digits, underscores, dots and dashes.",
  ],
  [
    field('kind', choice(['true', 'c'], { default: 'c' })),
    "Post.kind: 'true' is no word; use letters, digits, underscores, dots and dashes.",
  ],
  [
    field('kind', choice(['false', 'c'], { default: 'c' })),
    "Post.kind: 'false' is no word; use letters, digits, underscores, dots and dashes.",
  ],
  [
    field('kind', choice(['__a', 'c'], { default: 'c' })),
    "Post.kind: '__a' is no word; use letters, digits, underscores, dots and dashes.",
  ],
  [
    field('kind', choice(['past-due', 'past.due', 'c'], { default: 'c' })),
    'Post.kind: its past.due and another value are one name in GraphQL, past_due; choose another value.',
  ],
  [
    field('kind', choice(['-a', 'c'], { default: 'c' })),
    "Post.kind: '-a' is no word; use letters, digits, underscores, dots and dashes.",
  ],
  [field('kind', choice(['c', 'c'], { default: 'c' })), 'Post.kind: it lists c twice; strike one.'],
  [
    field('kind', choice(['a', 'b'], { default: 'c' as never })),
    "Post.kind: its default 'c' is none of its values; choose another default or wider limits.",
  ],
  [field('extra', json({} as never)), 'Post.extra: it has no maxBytes; set the largest length, as JSON.'],
  [
    field('extra', json({ maxBytes: 1 })),
    'Post.extra: its maxBytes 1 is no length of JSON; use a whole number, 2 or more.',
  ],
  [
    field('key', token({ prefix: 'Duet-' })),
    "Post.key: its prefix 'Duet-' is no beginning of a token; use up to 16 small letters, digits and underscores.",
  ],
  [field('key', optional(secret({ max: 0 }))), 'Post.key: its max 0 is no length; use a whole number, 1 or more.'],
  [
    postWith({ fields: { key: optional(secret()) }, sort: ['key'] }),
    'Post.sort: it names key, which is no stored field; write title, rank, tags, parts, status, at or author instead.',
  ],
  [
    field('key', token({ prefix: 'k_', maxUses: 0 })),
    'Post.key: its maxUses 0 is no number of uses; use a whole number from 1 to 2147483647.',
  ],
  [
    field('key', token({ prefix: 'k_', until: 'title' })),
    'Post.key: its until title is no timestamp of Post; write at instead.',
  ],
  [
    postWith({ fields: { key: token({ prefix: 'k_', maxUses: 1 }), keyUses: integer({ default: 0 }) } }),
    'Post.key: it is key_uses as keyUses is; choose another name.',
  ],
  [field('key', token({ prefix: 'k_', until: 7 as never })), 'Post.key: its until is no name; make it a text.'],
  [
    userWith({ fields: { password: password({ min: 9, max: 8 }) } }),
    'User.password: its min 9 is more than its max 8; lower one or raise the other.',
  ],
  [
    field('rank', readOnly(integer({ default: 0 }) as never)),
    'Post.rank: it is readOnly, an option of parts of an object; let no action accept it instead.',
  ],
  [
    field('status', optional(state('draft', 'published'))),
    'Post.status: it is optional, but a state is never absent; strike optional.',
  ],
  [
    field('editor', optional(one('User', { onDelete: 'restrict' }))),
    'Post.editor: an optional relation is cleared when its target goes; strike onDelete or optional.',
  ],
  [field('phase', state('new')), 'Post.phase: a resource has one state; make one of them a choice.'],
  [
    field('likes', { ...(manyToMany('User', 'liked') as object), was: 'fans' }),
    'Post.likes: it has was, which is no option of manyToMany; write target or by instead.',
  ],
  [field('title', text({ max: 9, was: 'title' })), 'Post.title: its former name title is still in use; strike was.'],
  [field('title', text({ max: 9, was: 'rank' })), 'Post.title: its former name rank is still in use; strike was.'],
  [
    field('title', text({ max: 9, was: { column: 'title' } })),
    'Post.title: its column is still title; give it another column.',
  ],
  [
    field('title', text({ max: 9, column: 'name', was: { column: 'rank' } })),
    'Post.title: rank is the column of rank; strike was.',
  ],
  [
    field('code', optional({ ...(secret({ max: 9 }) as object), was: { column: 'clear' } } as never)),
    'Post.code: the values of a secret are not converted; strike was.',
  ],
  [
    postWith({ fields: { a: optional(text({ max: 9, was: 'z' })), b: optional(text({ max: 9, was: 'z' })) } }),
    'Post.b: a was called z as well; strike one was.',
  ],
  [field('reason', argument(title)), 'Post.reason: no action accepts this argument; accept it or strike it.'],
  [
    postWith({
      fields: { reason: argument(title) },
      actions: { publish: { ...post.actions.publish, accept: ['reason'] } },
    }),
    'Post.reason: publish accepts it and has no use for it; use it in check, set or effect.',
  ],
  [
    postWith({ computed: { title: { as: title, from: ['rank'], make: () => '' } } }),
    'Post.title: it is a field already; choose another name.',
  ],
  [
    postWith({ computed: { shout: { as: title, from: [], make: () => '' } } }),
    'Post.shout: it is made from nothing; name the fields that it is made from.',
  ],
  [
    postWith({ computed: { shout: { as: title, from: ['titel'], make: () => '' } } }),
    'Post.shout: it is made from titel, which is no stored field; write title instead.',
  ],
  [
    postWith({ computed: { shout: { as: one('User'), from: ['title'], make: () => '' } } }),
    'Post.shout: a one cannot be computed; choose another kind.',
  ],
  [
    postWith({ computed: { shout: { as: text({ max: 9, unique: true }), from: ['title'], make: () => '' } } }),
    'Post.shout: unique is an option of stored fields; strike unique.',
  ],
  [
    postWith({ computed: { shout: { as: text({ min: 9, max: 8 }), from: ['title'], make: () => '' } } }),
    'Post.shout: its min 9 is more than its max 8; lower one or raise the other.',
  ],
  [
    postWith({
      computed: { shout: { as: title, from: ['title'], make: () => '' } },
      protect: { title: { read: signedIn } },
    }),
    'Post.shout: it would show all readers something of title, which is protected; protect shout as well.',
  ],
  [
    postWith({ computed: { shout: { as: title, from: ['updatedAt'], stored: true, make: () => '' } } }),
    'Post.shout: it is made from updatedAt, which every write changes; strike stored.',
  ],
  [
    postWith({
      computed: { shout: { as: title, from: ['title'], stored: true, make: () => '' } },
      protect: { title: { filter: signedIn } },
    }),
    'Post.shout: all readers could filter by something of title, by which only some may; protect shout as well.',
  ],
  [
    postWith({
      computed: {
        shout: { as: title, from: ['title'], stored: true, make: () => '' },
        cry: { as: title, from: ['shout'], make: () => '' },
      },
    }),
    'Post.cry: it is made from shout, which is no stored field; write id, title, rank, tags, parts, status, at, author, createdAt or updatedAt instead.',
  ],
  [
    userWith({ computed: { shout: { as: title, from: ['password'], make: () => '' } } }),
    'User.shout: it is made from password, which is no stored field; write id, email, role, status, createdAt or updatedAt instead.',
  ],
])
