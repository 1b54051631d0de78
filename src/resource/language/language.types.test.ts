// biome-ignore-all format: a promise and what breaks it stand on two lines, so that the compiler finds them
// cspell:ignore creat defalt stok tilte
// What the language promises: what must follow does, and what must not compile does not. Checked by `npm run types`.
// It runs as well, for definitions are inert: no callback below is ever called.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  absent, actor, after, allOf, anyOf, anyone, arg, argument, atLeast, atLeastOne, before, boolean, choice, collection, contains, counter, email, event, field, 
  hasToken, type Id, integer, is, isPresent, json, list, many,may, me, not, now, object, one, oneOf, optional, own, password, present, type RowOf, readable, readOnly, resource, secret, self, service, signedIn, some, state, text, through, timestamp, token, url, when,
} from 'duet-api'
import { Order } from '../../../reference/order.ts'
import { Post } from '../../../reference/post.ts'
import { Product } from '../../../reference/product.ts'
import type { api } from '../../../reference/service.ts'
import type { User } from '../../../reference/user.ts'
import { Copy, Fine, type library } from '../../../test/support/domain/library.ts'

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

const fields = {
  title: text({ max: 9 }), author: one('User'), note: optional(text({ max: 9 })), at: optional(timestamp()),
  tags: list(text({ max: 9 }), { max: 9 }), reason: argument(text({ max: 9 })), rank: integer(), status: state('draft', 'published'), comments: many('Comment', 'post'),
  urgency: choice(['low', 'high'], { ordered: true, default: 'low' }), color: choice(['red', 'blue'], { default: 'red' }), serial: counter(),
}
const prefix = 'x'
const read = { allow: anyone }
const actions = { read }

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
// @ts-expect-error there is no such field to have had another name
resource('X', { prefix, fields, formerly: { v1: { body: 'text' } }, actions: { read } })
// @ts-expect-error an invariant speaks of real values
resource('X', { prefix, fields, invariants: [atLeastOne({ status: 'gone' }, 'No.')], actions: { read } })
resource('X', { prefix, fields, unique: [['author', 'rank'], { fields: ['note'], where: when({ status: 'draft' }), caseless: true }], actions: { read } })
resource('X', { prefix, fields, keys: [['title'], ['author', 'rank']], actions: { read } })
// @ts-expect-error what may be absent names nothing
resource('X', { prefix, fields, keys: [['note']], actions: { read } })
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

// What must compile.
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

// ── What must not compile: queries ───────────────────────────────────────────────────────────────────────────────────

// @ts-expect-error a query says who may ask it
resource('X', { prefix, fields, actions, queries: { top: { where: when({ rank: 1 }) } } })
// @ts-expect-error there is no record to be one's own before anything is asked
resource('X', { prefix, fields, actions, queries: { top: { allow: own('author'), where: when({ rank: 1 }) } } })
// @ts-expect-error no query is called tip
resource('X', { prefix, fields, actions, queries: { top: { allow: may('tip'), where: when({ rank: 1 }) } } })
// @ts-expect-error there is no such field
resource('X', { prefix, fields, actions, queries: { top: { allow: anyone, where: when({ rang: 1 }) } } })
// @ts-expect-error a rank is a number
resource('X', { prefix, fields, actions, queries: { top: { allow: anyone, where: when({ rank: 'first' }) } } })
// @ts-expect-error there is no such argument
resource('X', { prefix, fields, actions, queries: { top: { allow: anyone, args: { from: integer() }, where: when({ rank: atLeast(arg('form')) }) } } })
// @ts-expect-error nor any where none is taken
resource('X', { prefix, fields, actions, queries: { top: { allow: anyone, where: when({ rank: atLeast(arg('from')) }) } } })
// @ts-expect-error an argument is compared with what is like it
resource('X', { prefix, fields, actions, queries: { top: { allow: anyone, args: { from: timestamp() }, where: when({ rank: atLeast(arg('from')) }) } } })
// @ts-expect-error not every text is a state
resource('X', { prefix, fields, actions, queries: { top: { allow: anyone, args: { status: text({ max: 9 }) }, where: when({ status: arg('status') }) } } })
// @ts-expect-error a post is nobody's author
resource('X', { prefix, fields, actions, queries: { top: { allow: anyone, args: { by: one('Post') }, where: when({ author: arg('by') }) } } })
// @ts-expect-error a title has no least
resource('X', { prefix, fields, actions, queries: { top: { allow: anyone, where: when({ title: atLeast('a') }) } } })
// @ts-expect-error a title is no list
resource('X', { prefix, fields, actions, queries: { top: { allow: anyone, where: when({ title: contains('a') }) } } })
// @ts-expect-error a rank is never absent
resource('X', { prefix, fields, actions, queries: { top: { allow: anyone, where: when({ rank: absent }) } } })
// @ts-expect-error there is no value yet to compute with
expect<Equal<ReturnType<typeof arg<'at'>>, Date>>()
// @ts-expect-error so many days are a number
resource('X', { prefix, fields, actions, queries: { top: { allow: anyone, args: { at: timestamp() }, where: when({ at: atLeast(now.minus({ days: arg('at') })) }) } } })
// @ts-expect-error and an argument that there is
resource('X', { prefix, fields, actions, queries: { top: { allow: anyone, args: { days: integer() }, where: when({ at: atLeast(now.minus({ days: arg('dais') })) }) } } })
// @ts-expect-error a rule is data, and no function
resource('X', { prefix, fields, actions, queries: { top: { allow: anyone, where: () => when({ rank: 1 }) } } })
// @ts-expect-error a permission is asked in allow
resource('X', { prefix, fields, actions, queries: { top: { allow: anyone, where: may('read') } } })
// @ts-expect-error a list does not stand in a query string
resource('X', { prefix, fields, actions, queries: { top: { allow: anyone, args: { all: list(text({ max: 9 }), { max: 9 }) }, ids: async () => [] } } })
// @ts-expect-error nobody may be signed in
resource('X', { prefix, fields, actions, queries: { top: { allow: anyone, ids: async ({ actor }) => [actor.id] } } })
// @ts-expect-error it finds ids, not records
resource('X', { prefix, fields, actions, queries: { top: { allow: anyone, ids: async () => [{ title: 'x' }] } } })
// @ts-expect-error it is sorted by fields that there are
resource('X', { prefix, fields, actions, queries: { top: { allow: anyone, where: when({ rank: 1 }), sort: ['-rang'] } } })
// @ts-expect-error misspelt
resource('X', { prefix, fields, actions, queries: { top: { allow: anyone, were: () => when({ rank: 1 }) } } })

// What must compile.
const Asked = resource('X', {
  prefix, fields, actions,
  queries: {
    top: {
      allow: may('top'),
      args: { from: integer({ default: 1 }), tag: optional(text({ max: 9 })), by: optional(one('User')), days: integer() },
      where: allOf(
        when({ rank: atLeast(arg('from')), tags: contains(arg('tag')), author: arg('by'), status: 'published', at: present }),
        when({ at: atLeast(now.minus({ days: arg('days'), hours: 1 })) }), anyOf(own('author'), readable('author')),
      ),
      sort: ['-rank', 'createdAt'],
    },
    found: { allow: signedIn, args: { words: text({ max: 9 }) }, ids: async ({ args, actor }) => [args.words, actor.id] },
  },
})
expect<Equal<keyof typeof Asked.queries, 'top' | 'found'>>()

// ── What must not compile: actions ──────────────────────────────────────────────────────────────────────────────────

// @ts-expect-error a state moves, nobody sends it
resource('X', { prefix, fields, actions: { update: { allow: signedIn, accept: ['status'] } } })
// @ts-expect-error nor an id
resource('X', { prefix, fields, actions: { update: { allow: signedIn, accept: ['id'] } } })
// @ts-expect-error misspelt
resource('X', { prefix, fields, actions: { update: { allow: signedIn, accept: ['titel'] } } })
// @ts-expect-error there is no such state
resource('X', { prefix, fields, actions: { go: { allow: signedIn, from: 'draft', to: 'gone' } } })
// @ts-expect-error set cannot move a state
resource('X', { prefix, fields, actions: { go: { allow: signedIn, set: { status: 'published' } } } })
// @ts-expect-error set cannot write an id
resource('X', { prefix, fields, actions: { go: { allow: signedIn, set: { id: 'x_1' } } } })
// @ts-expect-error set cannot write a creation time
resource('X', { prefix, fields, actions: { go: { allow: signedIn, set: { createdAt: ({ now }) => now } } } })
// @ts-expect-error set names real fields, also beside a right one
resource('X', { prefix, fields, actions: { go: { allow: signedIn, set: { title: 'x', titel: 'x' } } } })
// @ts-expect-error of the right type
resource('X', { prefix, fields, actions: { go: { allow: signedIn, set: { title: ({ now }) => now } } } })
// @ts-expect-error an author is an account, not a post
resource('X', { prefix, fields: { ...fields, post: one('Post') }, actions: { go: { allow: signedIn, set: { author: ({ record }) => record.post } } } })
// @ts-expect-error what is being created is no record yet
resource('X', { prefix, fields, actions: { create: { allow: signedIn, check: ({ record }) => record.title !== '' || 'No.' } } })
// @ts-expect-error under anyone there may be no actor
resource('X', { prefix, fields, actions: { create: { allow: anyone, set: { author: ({ actor }) => actor.id } } } })
// @ts-expect-error nor where a condition alone lets somebody in
resource('X', { prefix, fields, actions: { go: { allow: anyOf(when({ status: 'draft' }), own('author')), set: { author: ({ actor }) => actor.id } } } })
// @ts-expect-error input holds only what the action accepts
resource('X', { prefix, fields, actions: { update: { allow: signedIn, accept: ['title'], check: ({ input }) => input.rank !== 1 || 'No.' } } })
// @ts-expect-error in an update every field may be missing
resource('X', { prefix, fields, actions: { update: { allow: signedIn, accept: ['title'], check: ({ input }) => input.title.length > 1 || 'No.' } } })
// @ts-expect-error an action that accepts nothing has no input
resource('X', { prefix, fields, actions: { go: { allow: signedIn, check: ({ input }) => input.title === '' || 'No.' } } })
// @ts-expect-error an event is about a relation
resource('X', { prefix, fields, actions: { go: { allow: signedIn, emit: event('gone', { by: 'title' }) } } })
// @ts-expect-error there is no such move to follow with
resource('X', { prefix, fields, actions: { create: { allow: signedIn, mayFollow: ['publich'] }, publish: { allow: signedIn } } })
// @ts-expect-error only a many-to-many relation is linked
resource('X', { prefix, fields, actions: { go: { allow: signedIn, link: 'comments' } } })
// @ts-expect-error reading accepts nothing
resource('X', { prefix, fields, actions: { read: { allow: signedIn, accept: ['title'] } } })
// @ts-expect-error creating starts from nothing
resource('X', { prefix, fields, actions: { create: { allow: signedIn, from: 'draft' } } })
// @ts-expect-error an effect changes real fields of another resource
resource('X', { prefix, fields, actions: { go: { allow: signedIn, effect: async ({ records }) => { await records.change(Product, 'prod_1', { stok: 1 }) } } } })
// @ts-expect-error and never its state
resource('X', { prefix, fields, actions: { go: { allow: signedIn, effect: async ({ records }) => { await records.change(Order, 'ord_1', { status: 'paid' }) } } } })
// @ts-expect-error a post's id is not a product's
resource('X', { prefix, fields: { post: one('Post') }, actions: { go: { allow: signedIn, effect: async ({ record, records }) => { await records.lockReadable(Product, [record.post]) } } } })

// @ts-expect-error a new record of another resource is complete
resource('X', { prefix, fields, actions: { go: { allow: signedIn, effect: async ({ records }) => { await records.create(Fine, { cents: 1 }) } } } })
// @ts-expect-error a copy is not burnt
resource('X', { prefix, fields, actions: { go: { allow: signedIn, effect: async ({ records }) => { await records.run(Copy, 'copy_1', 'burn') } } } })
const Sheet = resource('Sheet', { prefix, fields: { text: text({ max: 9 }), copies: argument(integer()), note: optional(text({ max: 9 })) }, actions: { read, create: { allow: signedIn, accept: ['text', 'copies'], check: ({ input }) => input.copies > 0 || 'None.' }, print: { allow: signedIn, accept: ['copies', 'note'] }, sort: { allow: signedIn, on: collection, effect: async () => {} } } })
// @ts-expect-error a move needs what it accepts
resource('X', { prefix, fields, actions: { go: { allow: signedIn, effect: async ({ records }) => { await records.run(Sheet, 'x_1', 'print') } } } })
// @ts-expect-error all of it
resource('X', { prefix, fields, actions: { go: { allow: signedIn, effect: async ({ records }) => { await records.run(Sheet, 'x_1', 'print', { note: 'n' }) } } } })
// @ts-expect-error a move takes nothing that it does not accept
resource('X', { prefix, fields, actions: { go: { allow: signedIn, effect: async ({ records }) => { await records.run(Copy, 'copy_1', 'lend', { shelf: 's' }) } } } })
// @ts-expect-error what is on the collection is no move of one record
resource('X', { prefix, fields, actions: { go: { allow: signedIn, effect: async ({ records }) => { await records.run(Sheet, 'x_1', 'sort') } } } })
// @ts-expect-error a new record needs the arguments of its create
resource('X', { prefix, fields, actions: { go: { allow: signedIn, effect: async ({ records }) => { await records.create(Sheet, { text: 't' }) } } } })
// What must compile.
resource('X', { prefix, fields, actions: { go: { allow: signedIn, effect: async ({ records }) => { await records.run(Sheet, 'x_1', 'print', { copies: 2 }); await records.create(Sheet, { text: 't', copies: 1 }); await records.run(Copy, 'copy_1', 'lend') } } } })
// @ts-expect-error an effect fills in real fields
resource('X', { prefix, fields, actions: { go: { allow: signedIn, effect: async ({ assign }) => { assign({ title: 'x', titel: 'x' }) } } } })

// @ts-expect-error reading is not checked
resource('X', { prefix, fields, actions: { read: { allow: signedIn, check: () => true } } })
// @ts-expect-error nor does it set anything
resource('X', { prefix, fields, actions: { read: { allow: signedIn, set: { rank: 1 } } } })
// @ts-expect-error nor is it told
resource('X', { prefix, fields, actions: { read: { allow: signedIn, emit: event('seen') } } })
// @ts-expect-error deleting leaves nothing to be told of
resource('X', { prefix, fields, actions: { read, delete: { allow: signedIn, emit: event('gone') } } })
// @ts-expect-error an update moves no state
resource('X', { prefix, fields, actions: { read, update: { allow: signedIn, accept: ['title'], to: 'published' } } })
// @ts-expect-error only reading is cached
resource('X', { prefix, fields, actions: { read, go: { allow: anyone, maxAgeSeconds: 60, accept: ['title'] } } })
// @ts-expect-error misspelt
resource('X', { prefix, fields, actions: { read, go: { allow: signedIn, acept: ['title'] } } })
// @ts-expect-error a check awaits nothing
resource('X', { prefix, fields, actions: { read, go: { allow: signedIn, check: async () => true } } })
// @ts-expect-error an input's relation is an id of its own resource
resource('X', { prefix, fields: { post: one('Post'), author: one('User') }, actions: { read, create: { allow: signedIn, accept: ['post'], set: { author: ({ input }) => input.post } } } })
// @ts-expect-error tokens are known only when they are made
resource('X', { prefix, fields: { key: token({ prefix: 'x_' }), head: text({ max: 9 }) }, actions: { read, go: { allow: signedIn, set: { head: ({ tokens }) => tokens.key } } } })
// @ts-expect-error what was made is no field that could be set
resource('X', { prefix, fields: { key: token({ prefix: 'x_' }), head: text({ max: 9 }) }, actions: { read, go: { allow: signedIn, set: { key: 'x_1' } } } })

// @ts-expect-error what is on the collection has no record
resource('X', { prefix, fields, actions: { read, sweep: { on: collection, allow: signedIn, effect: async ({ record, records }) => { await records.here.change(record.id, { rank: 1 }) } } } })
// @ts-expect-error nor anything of its own to set
resource('X', { prefix, fields, actions: { read, sweep: { on: collection, allow: signedIn, effect: async ({ assign }) => { assign({ rank: 1 }) } } } })
// @ts-expect-error updating is on a record
resource('X', { prefix, fields, actions: { read, update: { on: collection, allow: signedIn, accept: ['title'] } } })
// @ts-expect-error it is said with collection
resource('X', { prefix, fields, actions: { read, sweep: { on: 'all', allow: signedIn, effect: async () => {} } } })
// @ts-expect-error a new record is complete
resource('X', { prefix, fields, actions: { read, fill: { on: collection, allow: signedIn, effect: async ({ records }) => { await records.here.create({ title: 'x' }) } } } })
// @ts-expect-error an account's id is none of this resource
resource('X', { prefix, fields, actions: { read, fill: { on: collection, allow: signedIn, effect: async ({ records, actor }) => { await records.here.change(actor.id, { rank: 1 }) } } } })
// @ts-expect-error there may be nobody
resource('X', { prefix, fields, actions: { read, fill: { on: collection, allow: anyone, effect: async ({ records, actor }) => { await records.here.create({ title: 'x', author: actor.id, rank: 1 }) } } } })

// What must compile.
resource('X', { prefix, fields, actions: { read, fill: { on: collection, allow: may('fill'), accept: ['reason'], check: ({ input }) => input.reason !== '' || 'No.', effect: async ({ records, actor, input }) => { await records.here.create({ title: input.reason, author: actor.id, rank: 1, tags: [] }) }, emit: event('filled', { by: 'author' }) } } })
resource('X', { prefix, fields, actions: { update: { allow: signedIn, accept: ['title'], check: ({ input, record }) => input.title !== record.title || 'Same.' } } })
resource('X', { prefix, fields, actions: { go: { allow: allOf(when({ status: 'draft' }), own('author')), accept: ['reason'], check: ({ actor, input }) => input.reason !== actor.id || 'No.' } } })
resource('X', { prefix, fields, actions: { create: { allow: anyone, check: ({ actor }) => actor === null || 'No.' } } })

const Owned = resource('Owned', { prefix, fields: { by: one('User', { default: actor }), title: text({ max: 9 }) }, actions: { read, create: { allow: signedIn, accept: ['title', 'by'] } } })
resource('X', { prefix, fields, actions: { go: { allow: signedIn, effect: async ({ actor, records }) => { await records.create(Owned, { title: 'x', by: actor.id }) } } } })
// @ts-expect-error the service's own code may run for nobody, so it says who
resource('X', { prefix, fields, actions: { go: { allow: signedIn, effect: async ({ records }) => { await records.create(Owned, { title: 'x' }) } } } })

// ── What must not compile: the service ──────────────────────────────────────────────────────────────────────────────

const Member = resource('User', { prefix, fields: { email: email(), secret: password({ min: 8, max: 9 }), role: choice(['A', 'B']), status: state('ON', 'OFF') }, actions: { read, update: { allow: may('edit') } } })
const Note = resource('Note', { prefix, fields: { author: one('User'), text: text({ max: 9 }) }, formerly: { v1: { text: 'body' } }, actions: { read, create: { allow: may('create') } } })
const Blog = resource('Blog', { prefix, fields: { notes: many('Note', 'text') }, actions: { read } })
const accounts = { login: 'email', password: 'secret', role: 'role', activeState: 'ON' } as const
const roles = { A: {}, B: 'everything' } as const
const versions = { v1: { deprecated: '2026-01-01', sunset: '2027-01-01' }, v2: 'current' } as const
service({ resources: { User: Member, Note }, accounts, roles, versions })
// @ts-expect-error Post.author and Post.comments lead nowhere
service({ resources: { User: Member, Post }, accounts, roles })
// @ts-expect-error Note.text is no relation to Blog
service({ resources: { User: Member, Note, Blog }, accounts, roles, versions })
// @ts-expect-error this is Note, not Notes
service({ resources: { User: Member, Notes: Note }, accounts, roles, versions })
// @ts-expect-error people do not sign in with a role
service({ resources: { User: Member, Note }, accounts: { ...accounts, login: 'role' }, roles, versions })
// @ts-expect-error no such state
service({ resources: { User: Member, Note }, accounts: { ...accounts, activeState: 'ONN' }, roles, versions })
// @ts-expect-error role B is not listed
service({ resources: { User: Member, Note }, accounts, roles: { A: {} }, versions })
// @ts-expect-error no rule asks for notes:creat
service({ resources: { User: Member, Note }, accounts, roles: { A: { notes: ['creat'] }, B: 'everything' }, versions })
// @ts-expect-error no query of X is called tip
service({ resources: { User: Member, X: Asked }, accounts, roles: { A: { xs: ['tip'] }, B: 'everything' }, versions: { v1: 'current' } })
service({ resources: { User: Member, X: resource('X', { prefix, fields: { title: text({ max: 9 }) }, actions, queries: { top: { allow: may('top'), where: when({ title: 'x' }) } } }) }, accounts, roles: { A: { xs: ['top'] }, B: 'everything' }, versions: { v1: 'current' } })
// @ts-expect-error there is no resource note
service({ resources: { User: Member, Note }, accounts, roles: { A: { note: ['create'] }, B: 'everything' }, versions })
// @ts-expect-error Note speaks of v1, the service does not
service({ resources: { User: Member, Note }, accounts, roles, versions: { v2: 'current' } })
// @ts-expect-error a version is called v and a number
service({ resources: { User: Member, Note }, accounts, roles, versions: { ...versions, next: 'current' } })
// @ts-expect-error a day is written in full
service({ resources: { User: Member, Note }, accounts, roles, versions: { v1: { deprecated: 'now', sunset: '2027-01-01' }, v2: 'current' } })
// @ts-expect-error a role includes another that there is
service({ resources: { User: Member, Note }, accounts, roles: { A: { includes: 'C' }, B: 'everything' }, versions })
// @ts-expect-error accounts are the resource User, unless declared otherwise
service({ resources: { User: Member, Note }, accounts: { ...accounts, resource: 'Member' }, roles, versions })

resource('X', { prefix, fields: { name: text({ max: 9 }), at: optional(timestamp()) }, actions: { read: { allow: anyone }, see: { allow: anyone, set: { at: now } }, keep: { allow: anyone, set: { at: now.plus({ days: 7 }) } } } })
// @ts-expect-error a name is no moment
resource('X', { prefix, fields: { name: text({ max: 9 }) }, actions: { read: { allow: anyone }, see: { allow: anyone, set: { name: now } } } })
// @ts-expect-error an action has no arguments of a query
resource('X', { prefix, fields: { at: timestamp() }, actions: { read: { allow: anyone }, see: { allow: anyone, set: { at: now.plus({ days: arg('days') }) } } } })

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

// ── What must not compile: rules that follow relations ─────────────────────────────────────────────────────────────

resource('X', { prefix, fields, actions: { read: { allow: anyOf(through('author', self), not(some('comments', own('by'))), when({ at: before(now), rank: atLeast(5), title: oneOf('a', me('name')), updatedAt: after(field('createdAt')), tags: contains(field('title')) })) } } })
// @ts-expect-error a title is not a relation
resource('X', { prefix, fields, actions: { read: { allow: through('title', signedIn) } } })
resource('X', { prefix, fields: { ...fields, code: token({ prefix }) }, actions: { read: { allow: anyOf(hasToken('code'), through('author', anyOf(self, when({ name: 'x' })))) } } })
// @ts-expect-error a title is no token
resource('X', { prefix, fields, actions: { read: { allow: hasToken('title') } } })
// @ts-expect-error there is no token of that name
resource('X', { prefix, fields, actions: { read: { allow: not(hasToken('code')) } } })
// @ts-expect-error comments are a list
resource('X', { prefix, fields, actions: { read: { allow: through('comments', signedIn) } } })
// @ts-expect-error an author is no list
resource('X', { prefix, fields, actions: { read: { allow: some('author', signedIn) } } })
// @ts-expect-error there is no writer, also where it is denied
resource('X', { prefix, fields, actions: { read: { allow: not(own('writer')) } } })
// @ts-expect-error a title is no moment
resource('X', { prefix, fields, actions: { read: { allow: when({ title: before(now) }) } } })
// @ts-expect-error a rank is no text
resource('X', { prefix, fields, actions: { read: { allow: when({ rank: oneOf('a') }) } } })
// @ts-expect-error a status has no least
resource('X', { prefix, fields, actions: { read: { allow: when({ status: atLeast('draft') }) } } })
// @ts-expect-error no such state among them
resource('X', { prefix, fields, actions: { read: { allow: when({ status: oneOf('draft', 'gone') }) } } })
// @ts-expect-error a title is no number
resource('X', { prefix, fields, actions: { read: { allow: when({ rank: field('title') }) } } })
// @ts-expect-error only what anyone may read, always, may be kept in shared caches
resource('X', { prefix, fields, actions: { read: { allow: through('author', anyone), maxAgeSeconds: 60 } } })
service({ resources: { User: Member, Note, X: resource('X', { prefix, fields: { to: one('Note') }, actions: { read: { allow: through('to', when({ text: 'x' })) } } }) }, accounts, roles, versions })
service({ resources: { User: Member, Note, X: resource('X', { prefix, fields: { to: one('Note') }, actions: { read: { allow: through('to', anyOf(own('author'), through('author', not(when({ status: 'ON', email: me('email') }))))) } } }) }, accounts, roles, versions })
// @ts-expect-error a Note has no title
service({ resources: { User: Member, Note, X: resource('X', { prefix, fields: { to: one('Note') }, actions: { read: { allow: through('to', when({ title: 'x' })) } } }) }, accounts, roles, versions })
// @ts-expect-error a Note's text is no number
service({ resources: { User: Member, Note, X: resource('X', { prefix, fields: { to: one('Note') }, actions: { read: { allow: not(through('to', when({ text: 7 }))) } } }) }, accounts, roles, versions })
// @ts-expect-error a Note has no writer
service({ resources: { User: Member, Note, X: resource('X', { prefix, fields: { to: one('Note') }, actions: { read: { allow: through('to', own('writer')) } } }) }, accounts, roles, versions })
// @ts-expect-error no such state, two records on
service({ resources: { User: Member, Note, X: resource('X', { prefix, fields: { to: one('Note') }, actions: { read: { allow: anyOf(signedIn, through('to', through('author', when({ status: 'GONE' })))) } } }) }, accounts, roles, versions })
// @ts-expect-error accounts have no nick
service({ resources: { User: Member, Note, X: resource('X', { prefix, fields: { to: one('Note') }, actions: { read: { allow: through('to', when({ text: me('nick') })) } } }) }, accounts, roles, versions })

test('a definition holds what was written, and has called nothing', () => {
  const never = () => assert.fail('A callback ran.')
  const written = { prefix, fields, actions: { read, go: { allow: signedIn, accept: ['title'], check: never, set: { rank: never }, effect: never } } }
  assert.deepEqual(resource('X', written as never), { name: 'X', ...written })
})
