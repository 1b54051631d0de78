// biome-ignore-all format: a promise and what breaks it stand on two lines, so that the compiler finds them
// cspell:ignore stok
// What the language promises of actions: what is no action of a resource does not compile. Checked by `npm run types`.
// It runs as well, for definitions are inert: no callback below is ever called.

import {
  actor, allOf, anyOf, anyone, arg, argument, collection, event, field, integer, many, manyToMany, may, now, one, optional, own, resource, signedIn, text, timestamp, token, when,
} from 'duet-api'
import { Order } from '../../../reference/order.ts'
import { Product } from '../../../reference/product.ts'
import { Copy, Fine } from '../../../test/support/domain/library.ts'
import { fields, prefix, read } from '../../../test/support/domain/typed-fields.ts'

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
resource('X', { prefix, fields, actions: { go: { allow: signedIn, effect: async ({ record, records }) => { await records.change(Product, 'prod_1', ({ stock }) => ({ stock: stock - 1 })); await records.here.change(record.id, ({ rank }) => ({ rank: rank + 1 })) } } } })
// @ts-expect-error what a change makes of a record are its fields
resource('X', { prefix, fields, actions: { go: { allow: signedIn, effect: async ({ records }) => { await records.change(Product, 'prod_1', ({ stock }) => ({ stok: stock - 1 })) } } } })
// @ts-expect-error and no others beside them
resource('X', { prefix, fields, actions: { go: { allow: signedIn, effect: async ({ records }) => { await records.change(Product, 'prod_1', ({ stock }) => ({ stock: stock - 1, stok: 1 })) } } } })
// @ts-expect-error of the right type
resource('X', { prefix, fields, actions: { go: { allow: signedIn, effect: async ({ records }) => { await records.change(Product, 'prod_1', () => ({ stock: 'many' })) } } } })
// @ts-expect-error and not waited for
resource('X', { prefix, fields, actions: { go: { allow: signedIn, effect: async ({ records }) => { await records.change(Product, 'prod_1', async ({ stock }) => ({ stock: stock - 1 })) } } } })
// @ts-expect-error nor states, also of the resource itself
resource('X', { prefix, fields, actions: { go: { allow: signedIn, effect: async ({ record, records }) => { await records.here.change(record.id, () => ({ status: 'published' })) } } } })
const Kin = { items: many('Item', 'box'), tags: manyToMany('Tag', 'boxes'), name: text({ max: 9 }) }
resource('Box', { prefix, fields: Kin, actions: { read, create: { allow: signedIn, accept: ['name', 'items', 'tags'], check: ({ input }) => input.items.length + input.tagIds.length > 0 || 'No.' } } })
// @ts-expect-error links are ids
resource('Box', { prefix, fields: Kin, actions: { read, create: { allow: signedIn, accept: ['tags'], check: ({ input }) => input.tags.length > 0 || 'No.' } } })
// @ts-expect-error a list that is not accepted is not in the input
resource('Box', { prefix, fields: Kin, actions: { read, create: { allow: signedIn, accept: ['tags'], check: ({ input }) => input.items.length > 0 || 'No.' } } })
// @ts-expect-error in an update it may be missing
resource('Box', { prefix, fields: Kin, actions: { read, update: { allow: signedIn, accept: ['items'], check: ({ input }) => input.items.length > 0 || 'No.' } } })
// @ts-expect-error what is sent for a child has types of its own resource
resource('Box', { prefix, fields: Kin, actions: { read, create: { allow: signedIn, accept: ['items'], check: ({ input }) => input.items.every((each) => each.size > 1) || 'No.' } } })
// @ts-expect-error all records are only read
resource('X', { prefix, fields, actions: { go: { allow: signedIn, effect: async ({ records }) => { await records.all.change(Product, 'prod_1', { stock: 1 }) } } } })
// @ts-expect-error also in a check, one page or one number at a time
resource('X', { prefix, fields, actions: { go: { allow: signedIn, check: async ({ records }) => { for await (const each of records.all.each(Product)) return each.name; return true } } } })
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
resource('X', { prefix, fields, actions: { read, delete: { allow: signedIn, emit: event('gone') } } })
resource('X', { prefix, fields, actions: { read, delete: { allow: signedIn, check: async ({ record, records }) => record.rank > 0 && (await records.all.here.count()) > 1 || 'It is the last.' } } })
resource('X', { prefix, fields, actions: { read, update: { allow: signedIn, accept: ['title'], emit: event('renamed', { changed: ['title'] }) } } })
// @ts-expect-error there is no such field
resource('X', { prefix, fields, actions: { read, update: { allow: signedIn, accept: ['title'], emit: event('renamed', { changed: ['titel'] }) } } })
// @ts-expect-error a new record was nothing before
resource('X', { prefix, fields, actions: { read, create: { allow: signedIn, accept: ['title'], emit: event('made', { changed: ['title'] }) } } })
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

resource('X', { prefix, fields: { name: text({ max: 9 }), at: optional(timestamp()) }, actions: { read: { allow: anyone }, see: { allow: anyone, set: { at: now } }, keep: { allow: anyone, set: { at: now.plus({ days: 7 }) } } } })
// @ts-expect-error a name is no moment
resource('X', { prefix, fields: { name: text({ max: 9 }) }, actions: { read: { allow: anyone }, see: { allow: anyone, set: { name: now } } } })
// @ts-expect-error an action has no arguments of a query
resource('X', { prefix, fields: { at: timestamp() }, actions: { read: { allow: anyone }, see: { allow: anyone, set: { at: now.plus({ days: arg('days') }) } } } })

resource('X', { prefix, fields: Kin, actions: { create: { allow: signedIn, accept: ['name', { list: 'items', min: 1 }, { list: 'tags', min: 1 }], effect: async ({ input }) => { input.items[0]?.id satisfies string | undefined } } } })
// @ts-expect-error the min of a list, and of no other field
resource('X', { prefix, fields: Kin, actions: { create: { allow: signedIn, accept: [{ list: 'name', min: 1 }] } } })
resource('X', { prefix, fields: Kin, actions: { create: { allow: signedIn, accept: ['name', { list: 'tags', into: own('owner') }] } } })
// @ts-expect-error it requires nothing
resource('X', { prefix, fields: Kin, actions: { create: { allow: signedIn, accept: ['name', { list: 'tags' }] } } })
// @ts-expect-error a name is no rule
resource('X', { prefix, fields: Kin, actions: { create: { allow: signedIn, accept: ['name', { list: 'tags', into: 'owner' }] } } })
// @ts-expect-error a number
resource('X', { prefix, fields: Kin, actions: { create: { allow: signedIn, accept: ['name', { list: 'items', min: 'one' }] } } })
resource('X', { prefix, fields: Kin, actions: { read: { allow: signedIn, partly: { allow: anyone, fields: ['name'] } } } })
// @ts-expect-error only reading is partial
resource('X', { prefix, fields: Kin, actions: { update: { allow: signedIn, accept: ['name'], partly: { allow: anyone, fields: ['name'] } } } })

// ── Moves of the clock ──────────────────────────────────────────────────────────────────────────────────────────────

const timed = { name: text({ max: 9 }), until: optional(timestamp()), minutes: integer(), copy: one('Copy') }
// What must compile.
resource('X', { prefix, fields: timed, actions: { read, end: { at: 'until', set: { minutes: 0 } } } })
resource('X', { prefix, fields: timed, actions: { read, end: { at: field('createdAt').plus({ days: 1, minutes: field('minutes') }), past: true, set: { minutes: ({ record }) => record.minutes + 1 } } } })
resource('X', { prefix, fields: timed, actions: { read, end: { at: field('copy.createdAt').minus({ weeks: 2 }), allow: signedIn, shown: 'to all', set: { minutes: 0 } } } })
// @ts-expect-error a text is no time
resource('X', { prefix, fields: timed, actions: { read, end: { at: 'name', set: { minutes: 0 } } } })
// @ts-expect-error misspelt
resource('X', { prefix, fields: timed, actions: { read, end: { at: 'untill', set: { minutes: 0 } } } })
// @ts-expect-error misspelt, shifted
resource('X', { prefix, fields: timed, actions: { read, end: { at: field('untill').plus({ days: 1 }), set: { minutes: 0 } } } })
// @ts-expect-error only an integer counts minutes
resource('X', { prefix, fields: timed, actions: { read, end: { at: field('until').plus({ minutes: field('name') }), set: { minutes: 0 } } } })
// @ts-expect-error a month has no length
resource('X', { prefix, fields: timed, actions: { read, end: { at: field('until').plus({ months: 1 }), set: { minutes: 0 } } } })
// @ts-expect-error the clock creates nothing
resource('X', { prefix, fields: timed, actions: { read, create: { allow: signedIn, at: 'until', accept: ['minutes'] } } })
