// Relations to records that somebody who sees the holder may not see. (contract 10.1.6)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  allOf,
  anyOf,
  anyone,
  may,
  nobody,
  not,
  own,
  present,
  readable,
  type Service,
  self,
  signedIn,
  some,
  through,
  when,
} from 'duet-api'
import fc from 'fast-check'
import { noteReads } from '../../../../test/support/domain/valid-service.ts'
import { type PlainCaller, type PlainRecord, says } from '../../../../test/support/oracle/plain-rule.ts'
import type { Actor } from '../../actor.ts'
import type { AnyRule } from '../../language/rule/rule.ts'
import { compileModel } from '../compile/compile-model.ts'
import type { Model, OneRelation, ResourceModel } from '../model.ts'
import { disclosureCondition } from './readability.ts'

/** The relations that may be null for somebody who reads the holder. */
const hideable = (service: Service<unknown>): readonly string[] =>
  compileModel(service).resources.flatMap(({ name, hideable }) => hideable.map(({ field }) => `${name}.${field}`))

test('10.1.6 a reference may be null where what it leads to may be hidden from a reader', () => {
  const published = when({ status: 'published' })
  const liking = some('likedBy', self)
  const likingHere = some('likedBy', allOf(self, when({ status: 'ON' })))
  const rows: readonly (readonly [Service<unknown>, readonly string[]])[] = [
    [noteReads(anyone, anyone), []],
    [noteReads(signedIn, anyone), ['Note.post', 'Note.other']],
    [noteReads(may('publish'), signedIn), ['Note.post', 'Note.other']],
    [noteReads(own('author'), signedIn), ['Note.post', 'Note.other']],
    [noteReads(published, when({ rank: 1 })), ['Note.post', 'Note.other']],
    [noteReads(published, readable('post')), ['Note.other']],
    [noteReads(published, through('post', published)), ['Note.other']],
    [noteReads(published, through('post', signedIn)), ['Note.post', 'Note.other']],
    [noteReads(published, not(readable('post'))), ['Note.post', 'Note.other']],
    [
      noteReads(anyOf(published, own('author')), anyOf(when({ rank: 1 }), readable('post'))),
      ['Note.post', 'Note.other'],
    ],
    [noteReads(liking, through('post', likingHere)), ['Note.other']],
    [noteReads(likingHere, through('post', liking)), ['Note.post', 'Note.other']],
    [
      noteReads(
        through('author', some('liked', own('author'))),
        through('post', through('author', some('liked', own('author')))),
      ),
      ['Note.other'],
    ],
    [noteReads(through('author', self), through('post', some('likedBy', self))), ['Note.post', 'Note.other']],
    [noteReads(own('author'), readable('post'), may('manage')), ['Post.author', 'Note.other', 'Note.author']],
  ]
  for (const [service, fields] of rows) assert.deepEqual(hideable(service), fields)
})

test('what follows from a rule is followed', () => {
  const published = when({ status: 'published' })
  const rows: readonly (readonly [posts: AnyRule, notes: AnyRule, users: AnyRule])[] = [
    [published, readable('post'), anyone],
    [published, allOf(own('author'), readable('post')), anyone],
    [anyOf(published, own('author')), anyOf(readable('post'), nobody), anyone],
    [allOf(published, signedIn), readable('post'), anyone],
    [may('publish'), may('read'), anyone],
    [signedIn, own('author'), anyone],
    [own('author'), nobody, self],
    [own('author'), nobody, anyOf(self, may('manage'))],
    [allOf(own('author'), published), nobody, self],
    [readable('author'), allOf(readable('post'), own('author')), self],
  ]
  for (const [posts, notes, users] of rows)
    assert.deepEqual(
      hideable(noteReads(posts, notes, users)).filter((each) => each !== 'Note.other'),
      [],
    )
})

// ── What is said to be told is told: tried with every small world ───────────────────────────────────────────────────────────

type Values = { readonly [field: string]: Values | string | number | Date | null }
const users: readonly Values[] = [
  { id: 'me', status: 'ON' },
  { id: 'you', status: 'OFF' },
]
const each = <T>(...of: readonly T[]) => of
const posts = users.flatMap((author) =>
  each('draft', 'published').flatMap((status) =>
    each(null, new Date(0)).map((at) => ({ id: 'p', author, status, at, rank: 0 })),
  ),
)
const notes = posts.flatMap((post) =>
  users.flatMap((author) =>
    each(null, posts[0]!, posts[7]!).map((other) => ({ id: 'n', post, author, other, rank: 1 })),
  ),
)
const worlds: Readonly<Record<string, readonly Values[]>> = { User: users, Post: posts, Note: notes }

const isRecord = (value: Values[string] | undefined): value is Values =>
  typeof value === 'object' && value !== null && !(value instanceof Date)
const record = ({ path, read }: ResourceModel, values: Values, model: Model): PlainRecord => ({
  path,
  read: read.allow,
  value(field) {
    const value = values[field]
    return isRecord(value) ? value['id'] : value
  },
  one(relation) {
    const value = values[relation]
    return isRecord(value) ? record(targetOf(path, relation, model), value, model) : null
  },
  many: () => [],
})
const targetOf = (path: string, relation: string, model: Model): ResourceModel =>
  model.byPath.get(path)!.relations.get(relation)!.target

const callerOf = (actor: Actor | null, model: Model): PlainCaller => ({
  id: actor?.id ?? null,
  account: actor === null ? null : record(model.accounts.resource, { id: actor.id }, model),
  permissions: actor?.permissions ?? new Set(),
  now: new Date(0),
})

/** A record that somebody may read and whose relation, though it is said to be told, leads to one that they may not. */
function leak(model: Model): string | null {
  const actors: (Actor | null)[] = [null]
  for (const [role, permissions] of model.roles)
    actors.push({ id: 'me', role, permissions, scopes: null, credential: { kind: 'apiKey', keyId: 'k' } })
  for (const holder of model.resources) {
    const relations = [...holder.relations.values()].filter((each) => each.kind === 'one')
    for (const relation of relations as OneRelation[]) {
      for (const actor of actors) {
        if (disclosureCondition(holder, relation, actor).is !== 'always') continue
        const sees = (resource: typeof holder, values: Values) =>
          says(resource.read.allow, record(resource, values, model), callerOf(actor, model))
        for (const values of worlds[holder.name]!) {
          const target = values[relation.field] as Values | null
          if (sees(holder, values) && target !== null && !sees(relation.target, target))
            return `${actor?.role ?? 'nobody'} reads ${holder.name}.${relation.field} of ${JSON.stringify(values)}`
        }
      }
    }
  }
  return null
}

test('no reader learns of a record that they may not read', () => {
  const rules = (...leaves: readonly AnyRule[]) =>
    fc.letrec<{ rule: AnyRule }>((tie) => ({
      rule: fc.oneof(
        { depthSize: 'small' },
        { weight: 3, arbitrary: fc.constantFrom(...leaves) },
        fc.array(tie('rule'), { minLength: 2, maxLength: 2 }).map((two) => anyOf(...two)),
        fc.array(tie('rule'), { minLength: 2, maxLength: 2 }).map((two) => allOf(...two)),
      ),
    })).rule
  const ofUsers = rules(anyone, anyone, self, signedIn, may('manage'), when({ status: 'ON' }))
  const published = when({ status: 'published' })
  const ofPosts = rules(published, own('author'), readable('author'), when({ at: present }), may('publish'), signedIn)
  const seen = when({ rank: 1 })
  const ofNotes = rules(
    readable('post'),
    readable('author'),
    readable('other'),
    through('post', published),
    through('author', signedIn),
    not(readable('post')),
    own('author'),
    seen,
    may('read'),
    nobody,
  )
  let [told, hidden] = [0, 0]
  fc.assert(
    fc.property(ofPosts, ofNotes, ofUsers, (postRule, noteRule, userRule) => {
      const model = compileModel(noteReads(postRule, noteRule, userRule))
      if (model.byName.get('Note')!.hideable.some(({ field }) => field === 'post')) hidden++
      else told++
      assert.equal(leak(model), null)
    }),
    { numRuns: 300 },
  )
  assert.ok(told > 30 && hidden > 30, `${told} told and ${hidden} hidden`)
})
