// Which parts of a plain plan each optimisation rewrites, and which it must leave as they are.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api } from '../../../reference/service.ts'
import { type Choice, select } from '../../../test/support/rows/selection.ts'
import { type Actor, noCredential } from '../../resource/actor.ts'
import { compileModel } from '../../resource/model/compile/compile-model.ts'
import { plainPlan, type RecordPlan } from '../plain-plan.ts'
import { createOptimiser, type Optimisations } from './optimise.ts'

const model = compileModel(api)
const actor = (role: string): Actor => ({
  id: 'usr_1',
  role,
  permissions: model.roles.get(role)!,
  scopes: null,
  credential: noCredential,
})
const [admin, viewer] = [actor('ADMIN'), actor('VIEWER')]
const none: Optimisations = { join: false, backReference: false, jsonText: false }
const backReference: Optimisations = { ...none, backReference: true }
const join: Optimisations = { ...none, join: true }
const jsonText: Optimisations = { ...none, jsonText: true }

const plan = (type: string, choices: readonly Choice[], reader: Actor) =>
  plainPlan(select(model.byName.get(type)!, choices), reader)

/** How each relation of a plan is read, as a tree: `{ author: 'join' }`, `{ comments: { rows: { post: 'parent' } } }`. */
function sources({ parts }: RecordPlan): unknown {
  const entries = parts.flatMap((part): [string, unknown][] => {
    if (part.kind !== 'one' && part.kind !== 'list') return []
    const how = part.kind === 'one' ? part.from : part.as
    const below = sources(part.of)
    return [[part.key, Object.keys(below as object).length === 0 ? how : { [how]: below }]]
  })
  return Object.fromEntries(entries)
}

interface Row {
  readonly it: string
  readonly with: Optimisations
  readonly read: readonly [type: string, ...choices: Choice[]]
  readonly as?: Actor
  readonly isScoped?: false
  readonly becomes: unknown
}
const rows: readonly Row[] = [
  {
    it: 'a plain plan has a statement for each relation',
    with: none,
    read: ['Post', 'id', { author: ['name'] }, { comments: [{ post: ['id'] }, { author: ['name'] }] }],
    becomes: { author: 'statement', comments: { rows: { post: 'statement', author: 'statement' } } },
  },
  {
    it: "a root's references are joined, and those of what is joined",
    with: join,
    read: ['Comment', { author: ['name'] }, { post: [{ author: ['name'] }] }],
    becomes: { author: 'join', post: { join: { author: 'join' } } },
  },
  {
    it: "references of a list's records, which lead to the same few, are not joined",
    with: join,
    read: ['Post', { comments: [{ author: ['name'] }] }],
    becomes: { comments: { rows: { author: 'statement' } } },
  },
  {
    it: 'what a parent refers to is joined where the parent is read',
    with: { ...join, backReference: true },
    read: ['Post', { comments: [{ post: [{ author: ['name'] }] }] }],
    becomes: { comments: { rows: { post: { parent: { author: 'join' } } } } },
  },
  {
    it: 'a reference to the record whose list it is in is the parent; any other is not',
    with: backReference,
    read: ['Post', { comments: [{ post: ['title'] }, { author: ['name'] }] }],
    becomes: { comments: { rows: { post: 'parent', author: 'statement' } } },
  },
  {
    it: "a parent's parent is found from it",
    with: backReference,
    read: ['User', { posts: [{ comments: [{ post: [{ author: ['name'] }] }] }] }],
    becomes: { posts: { rows: { comments: { rows: { post: { parent: { author: 'parent' } } } } } } },
  },
  {
    it: "what another record's reference leads to has no parent",
    with: backReference,
    read: ['Post', { comments: [{ author: [{ posts: [{ author: ['name'] }] }] }] }],
    becomes: { comments: { rows: { author: { statement: { posts: { rows: { author: 'parent' } } } } } } },
  },
  {
    it: 'records of a list of links do not say whose list it is',
    with: backReference,
    read: ['User', { followers: [{ posts: [{ author: ['name'] }] }] }],
    becomes: { followers: { rows: { posts: { rows: { author: 'parent' } } } } },
  },
  {
    it: 'a reference to a root that was read without its rule is read under it',
    with: backReference,
    read: ['Post', { comments: [{ post: ['title'] }, { author: [{ posts: [{ author: ['name'] }] }] }] }],
    isScoped: false,
    becomes: {
      comments: { rows: { post: 'statement', author: { statement: { posts: { rows: { author: 'parent' } } } } } },
    },
  },
  {
    it: 'a list of stored fields is text',
    with: jsonText,
    read: ['User', 'id', { posts: ['id', 'title', 'publishedAt'] }],
    becomes: { posts: 'text' },
  },
  {
    it: 'a list that says of its parent what is stored is text',
    with: { ...jsonText, backReference: true },
    read: ['User', { posts: ['id', { author: ['id', 'name'] }] }],
    becomes: { posts: { text: { author: 'parent' } } },
  },
  {
    it: 'a list with a reference of its own, or with a list below, is not; that one is',
    with: { ...jsonText, backReference: true },
    read: ['User', { posts: ['id', { comments: ['id', 'content'] }] }],
    becomes: { posts: { rows: { comments: 'text' } } },
  },
  {
    it: 'a list with a field that some of its readers may not see is not',
    with: jsonText,
    read: ['User', { followers: ['id', 'email'] }],
    as: viewer,
    becomes: { followers: 'rows' },
  },
  {
    it: 'a list with that field is, for who may see it of everybody',
    with: jsonText,
    read: ['User', { followers: ['id', 'email'] }],
    becomes: { followers: 'text' },
  },
  {
    it: 'a list that says something of its parent that may be refused is not',
    with: { ...jsonText, backReference: true },
    read: ['User', { posts: ['id', { author: ['email'] }] }],
    as: viewer,
    becomes: { posts: { rows: { author: 'parent' } } },
  },
  {
    it: 'a list that says the same twice is not: what the database makes is counted too late',
    with: jsonText,
    read: ['User', { posts: ['id', 'title', 'title'] }],
    becomes: { posts: 'rows' },
  },
  {
    it: 'a list that says more of its parent than there are marks is not',
    with: { ...jsonText, backReference: true },
    read: ['User', { posts: Array.from({ length: 9 }, () => ({ author: ['id'] })) }],
    becomes: { posts: { rows: { author: 'parent' } } },
  },
]

for (const {
  it,
  with: optimisations,
  read: [type, ...choices],
  as = admin,
  isScoped = true,
  becomes,
} of rows) {
  test(it, () => assert.deepEqual(sources(createOptimiser(optimisations, isScoped)(plan(type, choices, as))), becomes))
}

test('a statement joins at most eight records, and counts one that several selections of a root lead to once', () => {
  const comment = model.byName.get('Comment')!
  const author = comment.relations.get('author')!
  assert.ok(author.kind === 'one')
  const references = Array.from({ length: 9 }, () => ({ ...author }))
  const all = select(comment, [])
  const of = (relations: typeof references): RecordPlan =>
    plainPlan(
      { ...all, parts: relations.map((relation) => ({ kind: 'one', key: 'a', relation, of: all, nullable: false })) },
      admin,
    )
  const optimise = createOptimiser(join, true)
  const sourcesOf = (record: RecordPlan) => record.parts.map((part) => part.kind === 'one' && part.from)
  assert.deepEqual(sourcesOf(optimise(of(references.slice(0, 5)))), Array(5).fill('join'))
  assert.deepEqual(sourcesOf(optimise(of(references))), [...Array(8).fill('join'), 'statement'])
})
