// Required relations to records that somebody who sees the holder may not see. (contract 5.4.3)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allOf, anyOf, anyone, may, nobody, own, present, readable, self, signedIn, when } from 'duet-api'
import fc from 'fast-check'
import { noteReads, refuses } from '../../../test/support/domain/valid-service.ts'
import { type PlainAsker, type PlainRecord, says } from '../../../test/support/oracle/plain-rule.ts'
import type { Actor } from '../actor.ts'
import type { AnyRule } from '../language/rule.ts'
import { compileModel } from '../model/compile-model.ts'
import type { Model, OneRelation, ResourceModel } from '../model/model.ts'
import { contradictions } from './contradiction.ts'

refuses('who may read what is required', [
  [
    noteReads(signedIn, anyone),
    "Note.post: somebody who is not signed in may read a Note and not the Post that it requires; make it optional, let Note be read by allOf(…, readable('post')), or widen who may read a Post.",
  ],
  [
    noteReads(may('publish'), signedIn),
    "Note.post: MEMBER may read a Note and not the Post that it requires; make it optional, let Note be read by allOf(…, readable('post')), or widen who may read a Post.",
  ],
  [
    noteReads(own('author'), signedIn),
    "Note.post: MEMBER may read a Note and not the Post that it requires; make it optional, let Note be read by allOf(…, readable('post')), or widen who may read a Post.",
  ],
  [
    noteReads(when({ status: 'published' }), when({ rank: 1 })),
    "Note.post: somebody who is not signed in may read a Note and not the Post that it requires; make it optional, let Note be read by allOf(…, readable('post')), or widen who may read a Post.",
  ],
  [
    noteReads(anyOf(when({ status: 'published' }), own('author')), anyOf(when({ rank: 1 }), readable('post'))),
    "Note.post: somebody who is not signed in may read a Note and not the Post that it requires; make it optional, let Note be read by allOf(…, readable('post')), or widen who may read a Post.",
  ],
  [
    noteReads(allOf(when({ status: 'published' }), signedIn), readable('other')),
    "Note.post: MEMBER may read a Note and not the Post that it requires; make it optional, let Note be read by allOf(…, readable('post')), or widen who may read a Post.",
  ],
  [
    noteReads(own('author'), readable('post'), may('manage')),
    "Post.author: MEMBER may read a Post and not the User that it requires; make it optional, let Post be read by allOf(…, readable('author')), or widen who may read a User.",
    "Note.author: MEMBER may read a Note and not the User that it requires; make it optional, let Note be read by allOf(…, readable('author')), or widen who may read a User.",
  ],
])

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
  for (const [posts, notes, users] of rows) assert.deepEqual(contradictions(noteReads(posts, notes, users)), [])
})

// ── Whatever passes is safe: tried with every small world ───────────────────────────────────────────────────────────

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

const askerOf = (actor: Actor | null, model: Model): PlainAsker => ({
  id: actor?.id ?? null,
  account: actor === null ? null : record(model.accounts.resource, { id: actor.id }, model),
  permissions: actor?.permissions ?? new Set(),
  now: new Date(0),
})

/** A record that somebody may read and whose required relation leads to one that they may not. */
function leak(model: Model): string | null {
  const actors: (Actor | null)[] = [null]
  for (const [role, permissions] of model.roles)
    actors.push({ id: 'me', role, permissions, scopes: null, credential: { kind: 'apiKey', keyId: 'k' } })
  for (const holder of model.resources) {
    const required = [...holder.relations.values()].filter((each) => each.kind === 'one' && !each.column.nullable)
    for (const relation of required as OneRelation[]) {
      for (const actor of actors) {
        const sees = (resource: typeof holder, values: Values) =>
          says(resource.read.allow, record(resource, values, model), askerOf(actor, model))
        for (const values of worlds[holder.name]!) {
          if (sees(holder, values) && !sees(relation.target, values[relation.field] as Values))
            return `${actor?.role ?? 'nobody'} reads ${holder.name}.${relation.field} of ${JSON.stringify(values)}`
        }
      }
    }
  }
  return null
}

test('no service that passes leads anybody from a record they see to a required one that they do not', () => {
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
    own('author'),
    seen,
    may('read'),
    nobody,
  )
  let [passed, refused] = [0, 0]
  fc.assert(
    fc.property(ofPosts, ofNotes, ofUsers, (postRule, noteRule, userRule) => {
      const service = noteReads(postRule, noteRule, userRule)
      const model = compileModel(service)
      if (contradictions(service).length > 0) refused++
      else {
        passed++
        assert.equal(leak(model), null)
      }
    }),
    { numRuns: 300 },
  )
  assert.ok(passed > 30 && refused > 30, `${passed} passed and ${refused} were refused`)
})
