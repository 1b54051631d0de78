// What contradicts nothing is left alone, however unusual; each contradiction has its own table beside its check.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import {
  actor,
  allOf,
  anyOf,
  anyone,
  argument,
  boolean,
  choice,
  event,
  integer,
  json,
  list,
  many,
  may,
  nobody,
  object,
  one,
  optional,
  own,
  present,
  readable,
  readOnly,
  resource,
  type Service,
  ServiceDefinitionError,
  self,
  signedIn,
  text,
  timestamp,
  when,
} from 'duet-api'

import { api } from '../../../reference/service.ts'
import { library } from '../../../test/support/domain/library.ts'
import {
  create,
  move,
  note,
  noteReads,
  post,
  postWith,
  serviceWith,
  sound,
  title,
  user,
  userWith,
} from '../../../test/support/domain/valid-service.ts'
import { raceService } from '../../../test/support/race/domain.ts'
import { compileModel } from '../model/compile/compile-model.ts'
import { contradictions } from './contradiction.ts'

const { create: create_ } = post.actions
/** Create may be followed by a move that starts where there is a moment, at rank 0. */
const dated = (deprecation: object) =>
  create(
    { ...deprecation, mayFollow: ['date'] },
    { actions: { date: { allow: may('date'), from: { at: present, rank: 0 }, set: { at: null } } } },
  )
const published = when({ status: 'published' })
const sounds: Record<string, Service<unknown>> = {
  'the reference service': api,
  'a library that lends books': library,
  'the service of these tests': sound as never,
  'one version, not said': serviceWith({ versions: undefined }),
  'a first state that cannot sign in': serviceWith({ accounts: { activeState: 'OFF' } }),
  'an event that two actions share': postWith({
    actions: {
      create: { ...post.actions.create, emit: event('changed') },
      publish: { ...post.actions.publish, emit: event('changed') },
    },
  }),
  'a move that follows create at once': create({ mayFollow: ['publish'] }),
  'a needed field that an effect gives': create({ accept: [], effect: async () => {} }),
  'a needed field of records that only effects make': note({ body: text({ max: 9 }) }),
  'a move that starts where the actor was put': postWith({
    fields: { author: optional(one('User', { default: actor })) },
    actions: {
      create: { allow: may('create'), accept: ['title'], mayFollow: ['hand'] },
      hand: { allow: may('hand'), from: { author: present }, set: { author: null } },
    },
  }),
  'an accepted field that set works over': create({ set: { ...post.actions.create.set, title: () => 'x' } }),
  'a computed field of a protected one, itself protected': postWith({
    computed: { shout: { as: title, from: ['title'], make: () => '' } },
    protect: { title: { read: signedIn }, shout: { read: signedIn } },
    filter: { author: undefined, tag: undefined },
  }),
  'limits that leave one length or number': postWith({
    fields: {
      title: text({ min: 5, max: 5 }),
      rank: integer({ min: 5, max: 5, default: 5 }),
      least: integer({ min: -2_147_483_648, max: 2_147_483_647, default: 0 }),
      tags: list(text({ max: 1 }), { min: 0, max: 1 }),
      extra: json({ maxBytes: 2 }),
    },
  }),
  'whatever can stand inside others': postWith({
    fields: {
      parts: list(
        object({
          name: optional(text({ max: 9 })),
          count: readOnly(integer()),
          isNew: boolean({ default: true }),
          at: timestamp(),
          kind: choice(['a', 'b']),
          extra: json({ maxBytes: 9 }),
          words: list(text({ max: 9 }), { max: 9 }),
          size: object({ width: integer() }),
          product: one('Post'),
        }),
        { max: 9 },
      ),
    },
  }),
  'a role that only permissions change': userWith({
    protect: { role: undefined },
    actions: {
      update: { allow: anyOf(may('manage'), allOf(self, may('edit')), nobody), accept: ['role'] },
      demote: { allow: nobody, accept: ['role'] },
    },
  }),
  'an argument that only set uses': postWith({
    fields: { reason: argument(title) },
    actions: { publish: { ...post.actions.publish, accept: ['reason'], set: { title: () => 'x' } } },
  }),
  'a move that follows where create may have set what it needs': dated({
    set: { ...create_.set, at: () => new Date(0) },
  }),
  'a move that follows where create sets what it needs': dated({ set: { ...create_.set, at: new Date(0) } }),
  'a move that follows where a client may send what it needs': dated({ accept: ['title', 'at'] }),
  'a move that follows where an effect may give what it needs': dated({ effect: async () => {} }),
  'an older name': postWith({ formerly: { v1: { title: 'headline' } } }),
  'a move under a rule of many parts': move({
    allow: anyOf(may('publish', allOf(own('author'), published)), may('manage')),
  }),
  'what is as readable as what it requires': noteReads(published, readable('post')),
  'what is less readable than what it requires': noteReads(
    anyOf(published, signedIn),
    allOf(readable('post'), own('author')),
  ),
  'what the same permission opens': noteReads(may('publish'), may('read')),
}

for (const [name, service] of Object.entries(sounds)) {
  test(`nothing is said against ${name}`, () => {
    assert.deepEqual(contradictions(service), [])
  })
}

test('records that the library makes itself are made in no list of others, whatever else there is', () => {
  const Kept = resource('Kept', {
    prefix: 'kept',
    fields: { title, note: one('Note') },
    actions: { read: { allow: signedIn }, create: { allow: signedIn, accept: ['title', 'note'] } },
  })
  for (const counts of [{}, { posts: 'posts' }]) {
    const service = serviceWith({
      resources: {
        User: { ...user, counts },
        Kept,
        Note: {
          name: 'Note',
          prefix: 'note',
          fields: { title, kept: many('Kept', 'note') },
          actions: { read: { allow: anyone }, create: { allow: anyone, accept: ['title', 'kept'] } },
        },
      },
    })
    assert.deepEqual(contradictions(service, [Kept]), [
      'Note.create: it accepts kept, and Kept is no child of others; let it be created by itself.',
    ])
  }
})

test('what the library keeps for itself is not taken by others', () => {
  const keeps = (prefix: string) =>
    resource('Kept', { prefix, plural: 'keepsakes', fields: { title }, actions: { read: { allow: signedIn } } })
  const Kept = keeps('kept')
  assert.deepEqual(contradictions(sound as never, [Kept]), [])
  assert.deepEqual(contradictions(serviceWith({ resources: { Kept } }), [Kept]), [])
  assert.deepEqual(contradictions(serviceWith({ resources: { Kept: { ...Kept } } }), [Kept]), [
    'Kept: the library keeps a Kept of its own; choose another name.',
  ])
  assert.deepEqual(contradictions(sound as never, [keeps('post')]), [
    'Post: its ids begin with post, as those of Kept do; choose another prefix.',
  ])
  assert.deepEqual(contradictions(note({ title }, { plural: 'keepsakes' }), [Kept]), [
    'Note: its table keepsakes is that of Kept; choose another plural or another name of the relation.',
  ])
})

for (const [name, service] of Object.entries({
  'the reference service': api,
  'a service with tenants': raceService(2),
}))
  test(`whatever is written in ${name} is reported in sentences, or else can be compiled`, () => {
    const isTree = (value: unknown): value is Readonly<Record<string, unknown>> =>
      typeof value === 'object' && value !== null
    /** Every place in the service, as a list of keys. */
    const places = (tree: unknown): readonly (readonly string[])[] =>
      isTree(tree)
        ? Object.keys(tree).flatMap((key) => [[key], ...places(tree[key]).map((rest) => [key, ...rest])])
        : []
    const put = (tree: unknown, [key, ...rest]: readonly string[], value: unknown): unknown => {
      if (key === undefined) return value
      const changed = put((tree as Readonly<Record<string, unknown>>)[key], rest, value)
      return Array.isArray(tree) ? tree.with(Number(key), changed) : { ...(tree as object), [key]: changed }
    }
    const attempts = places(service).flatMap((place) => odd.map((value) => ({ place, value })))
    const step = Math.max(1, attempts.length / Number(process.env['CONTRADICTIONS'] ?? 250))
    const tried = attempts.filter((_, index) => index % step < 1)
    let refused = 0
    for (const { place, value } of tried) {
      const changed = put(service, place, value) as Service<unknown>
      const at = `${place.join('.')}: ${inspect(value)}`
      assert.doesNotThrow(() => {
        const sentences = contradictions(changed)
        for (const sentence of sentences) assert.match(sentence, /: .+; .+\.$/s, at)
        if (sentences.length === 0) compileModel(changed)
        else refused++
      }, at)
    }
    assert.ok(refused > tried.length / 3, `only ${refused} of ${tried.length} were refused`)
  })
const odd = [
  undefined,
  null,
  '',
  'id',
  'author',
  '__proto__',
  0,
  -1,
  true,
  Number.NaN,
  [],
  [null],
  {},
  { name: null },
  () => '',
  signedIn,
  own('author'),
  text({ max: 9 }),
]

test('names and fields are reported next to tenants that contradict themselves', () => {
  const fields = { rowid: text({ max: 9 }), author: one('User') }
  const sentences = contradictions(postWith({ fields, within: 'nothing' }) as never)
  assert.ok(
    sentences.some((each) => each.startsWith('Post.rowid: ')),
    sentences.join('\n'),
  )
  assert.ok(sentences.length > 1, sentences.join('\n'))
})

test('what the library keeps is known as its own next to tenants that contradict themselves and kept numbers', () => {
  const Kept = resource('Kept', { prefix: 'kept', fields: { title }, actions: { read: { allow: signedIn } } })
  const resources = { User: { ...user, counts: { posts: 'posts' } }, Kept, Post: { ...post, within: 'nothing' } }
  const sentences = contradictions(serviceWith({ resources }), [Kept])
  assert.ok(sentences.length > 0)
  assert.deepEqual(
    sentences.filter((each) => each.startsWith('Kept')),
    [],
  )
})

test('the error that stops a start lists every contradiction', () => {
  const error = new ServiceDefinitionError(['Post: one; mend it.', 'Post.title: two; mend it.'])
  assert.deepEqual(error.contradictions, ['Post: one; mend it.', 'Post.title: two; mend it.'])
  assert.equal(error.message, 'This service cannot start:\n- Post: one; mend it.\n- Post.title: two; mend it.')
})
