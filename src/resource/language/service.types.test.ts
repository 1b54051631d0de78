// biome-ignore-all format: a promise and what breaks it stand on two lines, so that the compiler finds them
// cspell:ignore creat
// What the language promises of queries, services and rules that follow relations: what leads nowhere does not compile. Checked
// by `npm run types`.
// It runs as well, for definitions are inert: no callback below is ever called.

import {
  absent, acrossTenants, after, allOf, anyOf, anyone, arg, atLeast, before, choice, contains, email, englishTexts, field, hasToken, integer, list, many, may, me, not, now, one, oneOf, optional, own, password, present, readable, resource, type SignInTexts, self, service, signedIn, some, state, text, through, timestamp, token, when,
} from 'duet-api'
import { Post } from '../../../reference/post.ts'
import { actions, fields, prefix, read } from '../../../test/support/domain/typed-fields.ts'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const expect = <_T extends true>() => {}

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

// ── What must not compile: the service ──────────────────────────────────────────────────────────────────────────────

const Member = resource('User', { prefix, fields: { email: email(), secret: password({ min: 8, max: 9 }), role: choice(['A', 'B']), status: state('ON', 'OFF') }, actions: { read, update: { allow: may('edit') } } })
const Note = resource('Note', { prefix, fields: { author: one('User'), text: text({ max: 9 }) }, formerly: { v1: { text: 'body' } }, actions: { read, create: { allow: may('create') } } })
const Blog = resource('Blog', { prefix, fields: { notes: many('Note', 'text') }, actions: { read } })
const german: SignInTexts = { ...englishTexts, sign_in: 'Anmelden' }
const accounts = { login: 'email', password: 'secret', role: 'role', activeState: 'ON' } as const
const roles = { A: {}, B: 'everything' } as const
const versions = { v1: { deprecated: '2026-01-01', sunset: '2027-01-01' }, v2: 'current' } as const
service({ resources: { User: Member, Note }, accounts, roles, versions })
service({ resources: { User: Member, Note }, accounts: { ...accounts, texts: { de: { sign_in: 'Anmelden', with_issuer: 'Weiter zu {name}' }, en: { ...englishTexts, sign_in: 'Welcome' } } }, roles, versions })
service({ resources: { User: Member, Note }, accounts: { ...accounts, texts: { de: german } }, roles, versions })
// @ts-expect-error there is no such sentence
service({ resources: { User: Member, Note }, accounts: { ...accounts, texts: { de: { signin: 'Anmelden' } } }, roles, versions })
// @ts-expect-error nothing fills in an address here
service({ resources: { User: Member, Note }, accounts: { ...accounts, texts: { de: { with_issuer: 'Weiter zu {address}' } } }, roles, versions })
// @ts-expect-error nor anything where English has no braces
service({ resources: { User: Member, Note }, accounts: { ...accounts, texts: { de: { sign_in: 'Anmelden, {name}' } } }, roles, versions })
// @ts-expect-error a sentence is a text
service({ resources: { User: Member, Note }, accounts: { ...accounts, texts: { de: { sign_in: 1 } } }, roles, versions })
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

// ── What must not compile: rules that follow relations ─────────────────────────────────────────────────────────────

resource('X', { prefix, fields, actions: { read: { allow: anyOf(through('author', self), not(some('comments', own('by'))), when({ at: before(now), rank: atLeast(5), title: oneOf('a', me('name')), updatedAt: after(field('createdAt')), tags: contains(field('title')) })) } } })
resource('X', { prefix, fields, actions: { read: { allow: acrossTenants(anyOf(own('author'), may('read'))) } } })
resource('X', { prefix, fields, actions: { read: { allow: may('read', anyOf(own('author'), through('author', self))) } } })
resource('X', { prefix, fields, actions: { read: { allow: not(allOf(own('author'), anyOf(self, when({ title: 'x' })))) } } })
resource('X', { prefix, fields: { ...fields, second: one('User') }, actions: { read: { allow: not(anyOf(own('author'), own('second'), when({ title: 'x' }))) } } })
// @ts-expect-error of each of them
resource('X', { prefix, fields, actions: { read: { allow: not(anyOf(own('author'), own('writer'))) } } })
// @ts-expect-error there is no writer, also among alternatives
resource('X', { prefix, fields, actions: { read: { allow: acrossTenants(anyOf(own('writer'), may('read'))) } } })
// @ts-expect-error nor there
resource('X', { prefix, fields, actions: { read: { allow: may('read', anyOf(own('writer'), own('author'))) } } })
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
