// biome-ignore-all format: a promise and what breaks it stand on two lines, so that the compiler finds them
// cspell:ignore creat defalt strickt tilte
// What the language promises of resources: what must follow does, and what must not compile does not. Checked by `npm run types`.
// It runs as well, for definitions are inert: no callback below is ever called.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { absent, actor, anyOf, anyone, atLeast, atLeastOne, before, boolean, choice, contains, counter, date, email, type Id, integer, is, isPresent, json, list, many, may, now, object, one, oneOf, optional, own, password, present, type RowOf, readable, readOnly, resource, secret, signedIn, startOf, state, text, timestamp, token, url, when } from 'duet-api'
import type { Order } from '../../../reference/order.ts'
import type { Post } from '../../../reference/post.ts'
import type { api } from '../../../reference/service.ts'
import type { User } from '../../../reference/user.ts'
import type { Copy, library } from '../../../test/support/domain/library.ts'
import { actions, fields, prefix, read } from '../../../test/support/domain/typed-fields.ts'
import type { WhereOf } from './row/where.ts'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const expect = <_T extends true>() => {}

// ── What follows ────────────────────────────────────────────────────────────────────────────────────────────────────

expect<Equal<RowOf<typeof User>['status'], 'ACTIVE' | 'SUSPENDED' | 'DEACTIVATED'>>()
expect<Equal<RowOf<typeof User>['role'], 'VIEWER' | 'EDITOR' | 'ADMIN'>>()
expect<Equal<RowOf<typeof User>['bio'], string | null>>()
expect<Equal<keyof RowOf<typeof User> & ('password' | 'posts' | 'followers'), never>>()
expect<Equal<RowOf<typeof Post>['publishedAt'], Date | null>>()
expect<Equal<RowOf<typeof Post>['tags'], readonly string[]>>()
expect<Equal<RowOf<typeof Post>['id'], Id<'Post'>>>()
expect<Equal<RowOf<typeof Post>['author'], Id<'User'>>>()
expect<Equal<RowOf<typeof Post>['createdAt'], Date>>()
expect<Equal<RowOf<typeof Order>['user'], Id<'User'> | null>>()
expect<Equal<RowOf<typeof Order>['items'][number]['unitPrice'], number>>()
expect<Equal<keyof typeof Post.actions, 'read' | 'create' | 'update' | 'delete' | 'publish' | 'unpublish'>>()
expect<Equal<typeof Post.plural, 'posts'>>()
expect<Equal<typeof Copy.plural, 'copies'>>()
expect<Equal<typeof api.phantom.versions.v2, 'current'>>()
expect<Equal<keyof typeof api.phantom.versions, 'v1' | 'v2'>>()
expect<Equal<typeof library.phantom.versions, never>>()

// ── What must not compile: fields and rules ─────────────────────────────────────────────────────────────────────────

resource('X', { prefix, fields, filter: { min: atLeast('urgency') }, actions: { read: { allow: when({ urgency: atLeast('high') }) } } })
// @ts-expect-error the urgency is high or low
resource('X', { prefix, fields, actions: { read: { allow: when({ urgency: atLeast('higher') }) } } })
// @ts-expect-error colors have no order
resource('X', { prefix, fields, actions: { read: { allow: when({ color: atLeast('red') }) } } })
// @ts-expect-error colors have no order
resource('X', { prefix, fields, filter: { min: atLeast('color') }, actions: { read } })
// @ts-expect-error nobody sends what is counted
resource('X', { prefix, fields, actions: { read, create: { allow: anyone, accept: ['serial'] } } })
// @ts-expect-error nor sets it
resource('X', { prefix, fields, actions: { read, create: { allow: anyone, set: { serial: 1 } } } })
resource('X', { prefix, fields, sort: ['serial'], filter: { serial: is, from: atLeast('serial') }, actions: { read } })
// @ts-expect-error a pattern is an expression
text({ max: 9, pattern: 7 })
// @ts-expect-error every action says who may run it
resource('X', { prefix, fields, actions: { read: {} } })
// @ts-expect-error a title is nobody's account
resource('X', { prefix, fields, actions: { read: { allow: own('title') } } })
// @ts-expect-error there is no writer
resource('X', { prefix, fields, actions: { read: { allow: own('writer') } } })
// @ts-expect-error there is no writer, wherever the rule stands
resource('X', { prefix, fields, actions: { read: { allow: anyOf(own('author'), own('writer')) } } })
// @ts-expect-error a title is not a relation
resource('X', { prefix, fields, actions: { read: { allow: readable('title') } } })
// @ts-expect-error there is no such state
resource('X', { prefix, fields, actions: { read: { allow: when({ status: 'gone' }) } } })
// @ts-expect-error one right field does not excuse a misspelt one
resource('X', { prefix, fields, actions: { read: { allow: when({ status: 'draft', tilte: 'x' }) } } })
// @ts-expect-error no action is called creat
resource('X', { prefix, fields, actions: { read, create: { allow: may('creat') } } })
// @ts-expect-error a rank is never absent
resource('X', { prefix, fields, actions: { read: { allow: when({ rank: absent }) } } })
// @ts-expect-error only what anyone may read may be kept in shared caches
resource('X', { prefix, fields, actions: { read: { allow: signedIn, maxAgeSeconds: 60 } } })
// @ts-expect-error only what anyone may read, always
resource('X', { prefix, fields, actions: { read: { allow: anyOf(when({ status: 'draft' }), own('author')), maxAgeSeconds: 60 } } })
// @ts-expect-error only what is always readable by anyone: a draft is not
resource('X', { prefix, fields, actions: { read: { allow: when({ status: 'published' }), maxAgeSeconds: 60 } } })
// @ts-expect-error there is no such field to protect
resource('X', { prefix, fields, protect: { titel: { read: signedIn } }, actions: { read } })
// @ts-expect-error a protecting rule is checked like any other
resource('X', { prefix, fields, protect: { title: { read: own('title') } }, actions: { read } })
// @ts-expect-error there is no such field to filter by
resource('X', { prefix, fields, filter: { writer: is }, actions: { read } })
// @ts-expect-error a title is not a list
resource('X', { prefix, fields, filter: { tag: contains('title') }, actions: { read } })
// @ts-expect-error a rank is always present
resource('X', { prefix, fields, filter: { ranked: isPresent('rank') }, actions: { read } })
// @ts-expect-error a title has no least
resource('X', { prefix, fields, filter: { min: atLeast('title') }, actions: { read } })
// @ts-expect-error comments are not stored here
resource('X', { prefix, fields, sort: ['comments'], actions: { read } })
resource('X', { prefix, fields, sort: { title: { within: 'author' }, updatedAt: {} }, actions: { read } })
// @ts-expect-error nor here
resource('X', { prefix, fields, sort: { comments: {} }, actions: { read } })
// @ts-expect-error an order is within a relation
resource('X', { prefix, fields, sort: { title: { inside: 'author' } }, actions: { read } })
// @ts-expect-error there is no such field to have had another name
resource('X', { prefix, fields, formerly: { v1: { body: 'text' } }, actions: { read } })
// @ts-expect-error an invariant speaks of real values
resource('X', { prefix, fields, invariants: [atLeastOne({ status: 'gone' }, 'No.')], actions: { read } })
resource('X', { prefix, fields, unique: [['author', 'rank'], { fields: ['note'], where: when({ status: 'draft' }), caseless: true }], actions: { read } })
resource('X', { prefix, fields, keys: [['title'], ['author', 'rank']], actions: { read } })
resource('X', { prefix, fields: { ...fields, number: counter({ within: 'author' }) }, keys: [['note'], ['author', 'number'], { fields: ['title'], where: when({ status: 'draft' }) }], actions: { read } })
// @ts-expect-error nor with a condition
resource('X', { prefix, fields, keys: [{ fields: ['tags'], where: when({ status: 'draft' }) }], actions: { read } })
// @ts-expect-error a list stands in no path
resource('X', { prefix, fields, keys: [['title', 'tags']], actions: { read } })
// @ts-expect-error a list is not compared
resource('X', { prefix, fields, unique: [['author', 'tags']], actions: { read } })
// @ts-expect-error there is no writer to be unique
resource('X', { prefix, fields, unique: [['writer']], actions: { read } })
// @ts-expect-error there is no such state among those compared
resource('X', { prefix, fields, unique: [{ fields: ['rank'], where: when({ status: 'gone' }) }], actions: { read } })
// @ts-expect-error the default is one of the choices
choice(['a', 'b'], { default: 'c' })

// @ts-expect-error one of its words is the default
choice(['a', 'b'], { default: 'c', was: 'kind' })
// @ts-expect-error text has a greatest length
text({})
// @ts-expect-error misspelt
text({ max: 9, defalt: 'x' })
// @ts-expect-error misspelt
integer({ mim: 1 })
// @ts-expect-error the actor is an account, and a post is none
one('Post', { default: actor })
// @ts-expect-error no one record is everybody's default
one('User', { default: 'usr_1' })
// @ts-expect-error a number's default is a number
integer({ default: '1' })
// @ts-expect-error a state has no options but its former name
state(['a', 'b'], { default: 'b' })
// @ts-expect-error a list holds no relation to many
list(many('Post', 'author'), { max: 9 })
// @ts-expect-error unique is said or left out
email({ unique: false })
// @ts-expect-error a resource has one state
resource('X', { prefix, fields: { phase: state('a', 'b'), status: state('c', 'd') }, actions })
resource('X', { prefix, fields, notFound: 'X_NOT_FOUND', actions })
// @ts-expect-error codes are upper snake case
resource('X', { prefix, fields, notFound: 'x_not_found', actions })
// @ts-expect-error an author is always there
resource('X', { prefix, fields, actions: { read: { allow: when({ author: present }) } } })
// @ts-expect-error a list of objects is searched by a part
resource('X', { prefix, fields: { items: list(object({ post: one('Post') }), { max: 9 }) }, filter: { post: contains('items') }, actions })
// @ts-expect-error and by a part that there is
resource('X', { prefix, fields: { items: list(object({ post: one('Post') }), { max: 9 }) }, filter: { post: contains('items.pots') }, actions })
// @ts-expect-error may of one's own lets in nobody who is not signed in
resource('X', { prefix, fields, actions: { read, update: { allow: may('edit', when({ rank: 1 })), accept: ['title'] } } })
// @ts-expect-error misspelt
resource('X', { prefix, fields, filters: { author: is }, actions })
// @ts-expect-error without a prefix no id can begin
resource('X', { fields, actions })

// ── What must not compile: computed fields ──────────────────────────────────────────────────────────────────────────

// @ts-expect-error it is made from fields that there are
resource('X', { prefix, fields, computed: { shout: { as: text({ max: 9 }), from: ['titel'], make: () => '' } }, actions })
// @ts-expect-error it is given only what it is made from
resource('X', { prefix, fields, computed: { shout: { as: text({ max: 9 }), from: ['title'], make: ({ rank }) => `${rank}` } }, actions })
// @ts-expect-error it makes what it says
resource('X', { prefix, fields, computed: { shout: { as: text({ max: 9 }), from: ['title'], make: ({ title }) => title.length } }, actions })
// @ts-expect-error of text that may be absent it says so
resource('X', { prefix, fields, computed: { shout: { as: text({ max: 9 }), from: ['note'], make: ({ note }) => note } }, actions })
// @ts-expect-error it awaits nothing
resource('X', { prefix, fields, computed: { shout: { as: text({ max: 9 }), from: ['title'], make: async ({ title }) => title } }, actions })
// @ts-expect-error a relation is not computed
resource('X', { prefix, fields, computed: { boss: { as: one('User'), from: ['author'], make: ({ author }) => author } }, actions })
// @ts-expect-error nor made from other records
resource('X', { prefix, fields, computed: { talk: { as: integer(), from: ['comments'], make: () => 1 } }, actions })
// @ts-expect-error nor from what is never read
resource('X', { prefix, fields, computed: { talk: { as: integer(), from: ['reason'], make: () => 1 } }, actions })
// @ts-expect-error nobody sends it
resource('X', { prefix, fields, computed: { shout: { as: text({ max: 9 }), from: ['title'], make: ({ title }) => title } }, actions: { read, update: { allow: signedIn, accept: ['shout'] } } })
// @ts-expect-error no list is sorted by it
resource('X', { prefix, fields, computed: { shout: { as: text({ max: 9 }), from: ['title'], make: ({ title }) => title } }, sort: ['shout'], actions })
// @ts-expect-error nor filtered
resource('X', { prefix, fields, computed: { shout: { as: text({ max: 9 }), from: ['title'], make: ({ title }) => title } }, filter: { shout: is }, actions })
// @ts-expect-error it is protected from readers alone
resource('X', { prefix, fields, computed: { shout: { as: text({ max: 9 }), from: ['title'], make: ({ title }) => title } }, protect: { shout: { write: signedIn } }, actions })

// @ts-expect-error nor if that is stored
resource('X', { prefix, fields, computed: { shout: { as: text({ max: 9 }), from: ['title'], stored: true, make: ({ title }) => title } }, actions: { read, update: { allow: signedIn, accept: ['shout'] } } })
// @ts-expect-error a revision is a number
resource('X', { prefix, fields, computed: { shout: { as: text({ max: 9 }), from: ['title'], stored: { revision: '2' }, make: ({ title }) => title } }, actions })
// @ts-expect-error no rule reads it
resource('X', { prefix, fields, computed: { shout: { as: text({ max: 9 }), from: ['title'], stored: true, make: ({ title }) => title } }, actions: { read: { allow: when({ shout: 'A' }) } } })
// @ts-expect-error it is made as it says, stored or not
resource('X', { prefix, fields, computed: { shout: { as: text({ max: 9 }), from: ['title'], stored: true, make: ({ title }) => title.length } }, actions })

// What must compile.
resource('X', {
  prefix, fields,
  computed: {
    shout: { as: text({ max: 9 }), from: ['title'], stored: true, make: ({ title }) => title.toUpperCase() },
    size: { as: integer(), from: ['title'], stored: { revision: 2 }, make: ({ title }) => title.length },
  },
  filter: { shout: is, minSize: atLeast('size') }, sort: ['shout', 'size'], where: ['shout', 'size'], search: ['shout'],
  summary: { by: ['shout'], of: ['size'] }, queries: { loud: { allow: signedIn, where: when({ size: atLeast(3) }), sort: ['-size'] } }, actions,
})
const housed = { home: object({ city: text({ max: 9 }), floor: optional(integer()), geo: object({ at: timestamp() }) }), title: text({ max: 9 }) }
const Housed = resource('X', { prefix, fields: housed, where: ['home.city', 'home.geo.at', 'title'], sort: ['home.floor'], summary: { by: ['home.city'], of: ['home.floor'] }, actions: { read: { allow: signedIn } } })
const whereHoused = (_: WhereOf<typeof Housed>) => undefined
whereHoused({ home: { city: { startsWith: 'B' }, or: [{ geo: { at: { lt: new Date(0) } } }] }, title: { eq: 'a' } })
// @ts-expect-error a city is a text
whereHoused({ home: { city: { eq: 3 } } })
// @ts-expect-error no path names it
whereHoused({ home: { floor: { eq: 3 } } })
// @ts-expect-error a title has no parts
resource('X', { prefix, fields: housed, where: ['title.city'], actions: { read: { allow: signedIn } } })
const Computing = resource('X', {
  prefix, fields,
  computed: {
    shout: { as: text({ max: 9 }), from: ['title'], make: ({ title }) => title.toUpperCase() },
    late: { as: boolean(), from: ['at', 'createdAt'], make: ({ at, createdAt }) => at !== null && at > createdAt },
    words: { as: list(text({ max: 9 }), { max: 9 }), from: ['title', 'note'], make: ({ title, note }) => [title, note ?? ''] },
    maybe: { as: optional(text({ max: 9 })), from: ['note'], make: ({ note }) => note },
  },
  protect: { shout: { read: own('author') } },
  formerly: { v1: { shout: 'cry' } },
  actions,
})
expect<Equal<keyof typeof Computing.computed, 'shout' | 'late' | 'words' | 'maybe'>>()
expect<Equal<keyof RowOf<typeof Computing> & 'shout', never>>()
resource('X', { prefix, fields: { editor: optional(one('User')), status: state(['a', 'b'], { was: 'phase' }) }, actions: { read, claim: { allow: signedIn, from: { editor: absent }, set: { editor: ({ actor }) => actor.id } } } })
resource('X', { prefix, fields: { items: list(object({ post: one('Post'), note: optional(text({ max: 9 })), price: readOnly(integer()) }, { was: 'lines' }), { max: 9 }) }, filter: { post: contains('items.post') }, actions })
resource('X', { prefix, fields: { key: token({ prefix: 'x_', was: 'secret' }), word: password({ min: 8, max: 9, was: 'pass' }), kind: choice(['a', 'b'], { was: 'sort' }), link: optional(url({ was: 'href' })), extra: json({ maxBytes: 9, was: 'more' }), boss: one('User', { was: 'chief' }) }, actions })

// ── Where records begin ─────────────────────────────────────────────────────────────────────────────────────────────

const begun = { title: text({ max: 9 }), status: state(['a', 'b', 'c'], { begins: ['a', 'b'] }) }
resource('X', { prefix, fields: begun, actions: { read, create: { allow: signedIn, accept: ['title'], effect: async ({ assign }) => assign({ status: 'b' }) }, go: { allow: signedIn, from: { title: oneOf('a', 'b') }, to: 'c' } } })
// @ts-expect-error c is no beginning
resource('X', { prefix, fields: begun, actions: { read, create: { allow: signedIn, accept: ['title'], effect: async ({ assign }) => assign({ status: 'c' }) } } })
// @ts-expect-error only create chooses
resource('X', { prefix, fields: begun, actions: { read, go: { allow: signedIn, from: 'a', to: 'b', effect: async ({ assign }) => assign({ status: 'b' }) } } })
// @ts-expect-error a title is no number
resource('X', { prefix, fields: begun, actions: { read, go: { allow: signedIn, from: { title: oneOf(1) }, to: 'c' } } })
// @ts-expect-error d is no state
resource('X', { prefix, fields: { status: state(['a', 'b'], { begins: ['d'] }) }, actions: { read } })

// ── Beginnings of calendar units ────────────────────────────────────────────────────────────────────────────────────

const dated = { at: timestamp(), day: date(), spare: optional(date()), count: integer() }
resource('X', { prefix, fields: dated, actions: { read: { allow: when({ at: before(startOf('month')), day: startOf('day', { timeZone: 'Europe/Vienna' }), spare: atLeast(startOf('week').minus({ days: 7 })) }) }, go: { allow: signedIn, set: { at: startOf('hour'), day: startOf('day') } } } })
// @ts-expect-error a number is no day
resource('X', { prefix, fields: dated, actions: { read: { allow: when({ count: startOf('day') }) } } })
// @ts-expect-error now is no day
resource('X', { prefix, fields: dated, actions: { read: { allow: when({ day: before(now) }) } } })
// @ts-expect-error there is no decade
startOf('decade')
// @ts-expect-error a number is not set to a day
resource('X', { prefix, fields: dated, actions: { read, go: { allow: signedIn, set: { count: startOf('day') } } } })

// ── What must not overlap ───────────────────────────────────────────────────────────────────────────────────────────

const spans = { host: one('User'), from: timestamp(), until: optional(timestamp()), day: date(), last: date(), tags: list(text({ max: 9 }), { max: 9 }) }
resource('X', { prefix, fields: spans, exclude: [{ fields: ['host'], overlap: ['from', 'until'] }, { fields: ['host', 'day'], overlap: ['day', 'last'], where: when({ until: absent }), per: 'everywhere' }], actions })
// @ts-expect-error the start is required
resource('X', { prefix, fields: spans, exclude: [{ fields: ['host'], overlap: ['until', 'from'] }], actions })
// @ts-expect-error start and end are of one kind
resource('X', { prefix, fields: spans, exclude: [{ fields: ['host'], overlap: ['from', 'last'] }], actions })
// @ts-expect-error a list is not compared
resource('X', { prefix, fields: spans, exclude: [{ fields: ['tags'], overlap: ['from', 'until'] }], actions })
// @ts-expect-error an interval has two ends
resource('X', { prefix, fields: spans, exclude: [{ fields: ['host'], overlap: ['from'] }], actions })

// ── What must not compile: tenants ─────────────────────────────────────────────────────────────────────────────────

const team = { ...fields, seats: many('Seat', 'team'), isStrict: boolean() }
const seats = { list: 'seats', account: 'user', role: 'role' } as const
resource('X', { prefix, fields: team, members: { ...seats, secondFactorIf: 'isStrict' }, actions: { read } })
// @ts-expect-error a title requires nothing
resource('X', { prefix, fields: team, members: { ...seats, secondFactorIf: 'title' }, actions: { read } })
// @ts-expect-error there is no such field
resource('X', { prefix, fields: team, members: { ...seats, secondFactorIf: 'isStrickt' }, actions: { read } })

// ── What must not compile: secrets ──────────────────────────────────────────────────────────────────────────────────

// Code has a secret as text, and rules, lists and callers never do.
const keyed = { name: text({ max: 9 }), key: secret(), spare: optional(secret({ max: 20 })) }
const Hook = resource('Hook', {
  prefix,
  fields: keyed,
  actions: {
    read: { allow: anyone },
    create: { allow: anyone, accept: ['name', 'key'], check: ({ input }) => input.key.length > 9 || 'Too short.' },
    sign: { allow: anyone, set: { spare: ({ record }) => record.key } },
  },
})
expect<Equal<RowOf<typeof Hook>['key'], string>>()
expect<Equal<RowOf<typeof Hook>['spare'], string | null>>()
// @ts-expect-error a rule cannot ask for it
resource('X', { prefix, fields: keyed, actions: { read: { allow: when({ key: 'x' }) } } })
// @ts-expect-error nor can a list be filtered by it
resource('X', { prefix, fields: keyed, filter: { key: is }, actions: { read: { allow: anyone } } })
// @ts-expect-error nor sorted
resource('X', { prefix, fields: keyed, sort: ['key'], actions: { read: { allow: anyone } } })

test('a definition holds what was written, and has called nothing', () => {
  const never = () => assert.fail('A callback ran.')
  const written = { prefix, fields, actions: { read, go: { allow: signedIn, accept: ['title'], check: never, set: { rank: never }, effect: never } } }
  assert.deepEqual(resource('X', written as never), { name: 'X', ...written })
})
