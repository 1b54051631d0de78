// A rule for one class of actors, and what it asks of a record. Both are held against a plain reading of the rule.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  absent,
  allOf,
  anyOf,
  anyone,
  before,
  may,
  nobody,
  not,
  now,
  oneOf,
  own,
  present,
  readable,
  self,
  signedIn,
  through,
  when,
} from 'duet-api'
import fc from 'fast-check'
import { api } from '../../../../reference/service.ts'
import { type PlainRecord, says } from '../../../../test/support/oracle/plain-rule.ts'
import type { Actor } from '../../actor.ts'
import { type AnyRule, nodeOf } from '../../language/rule/rule.ts'
import type { Column } from '../column.ts'
import { compileModel } from '../compile/compile-model.ts'
import { type Condition, fold, holds, isPlain } from './condition.ts'

const model = compileModel(api)
const of = (name: string) => model.byName.get(name)!
const actorOf = (role: string, id = 'usr_me'): Actor => ({
  id,
  role,
  permissions: model.roles.get(role)!,
  scopes: null,
  credential: { kind: 'apiKey', keyId: 'key_1' },
})
const actors = {
  nobody: null,
  viewer: actorOf('VIEWER'),
  editor: actorOf('EDITOR'),
  admin: actorOf('ADMIN'),
}
type Who = keyof typeof actors

/** A condition as one line: `any(present(publishedAt), actor(author))`. */
function line(condition: Condition): string {
  switch (condition.is) {
    case 'always':
    case 'never':
      return condition.is
    case 'equal':
      return `equal(${condition.column.field}, ${String(condition.value)})`
    case 'related':
    case 'some':
      return `${condition.is}(${condition.relation.field}, ${line(condition.condition)})`
    case 'not':
      return `not(${line(condition.of)})`
    case 'any':
    case 'all':
      return `${condition.is}(${condition.of.map(line).join(', ')})`
    case 'match':
      return condition.is
    default:
      return `${condition.is}(${condition.column.field})`
  }
}

const folds: readonly (readonly [resource: string, rule: AnyRule, lines: Readonly<Record<Who, string>>])[] = [
  ['Post', anyone, { nobody: 'always', viewer: 'always', editor: 'always', admin: 'always' }],
  ['Post', nobody, { nobody: 'never', viewer: 'never', editor: 'never', admin: 'never' }],
  ['Post', signedIn, { nobody: 'never', viewer: 'always', editor: 'always', admin: 'always' }],
  ['User', self, { nobody: 'never', viewer: 'actor(id)', editor: 'actor(id)', admin: 'actor(id)' }],
  [
    'Post',
    own('author'),
    { nobody: 'never', viewer: 'actor(author)', editor: 'actor(author)', admin: 'actor(author)' },
  ],
  ['Post', may('publish'), { nobody: 'never', viewer: 'never', editor: 'always', admin: 'always' }],
  ['Post', may('edit', own('author')), { nobody: 'never', viewer: 'never', editor: 'actor(author)', admin: 'always' }],
  ['Order', may('read_any'), { nobody: 'never', viewer: 'never', editor: 'never', admin: 'always' }],
  [
    'Post',
    when({ publishedAt: present, title: 'x' }),
    {
      nobody: 'all(present(publishedAt), equal(title, x))',
      viewer: 'all(present(publishedAt), equal(title, x))',
      editor: 'all(present(publishedAt), equal(title, x))',
      admin: 'all(present(publishedAt), equal(title, x))',
    },
  ],
  [
    'Post',
    when({ publishedAt: null }),
    {
      nobody: 'absent(publishedAt)',
      viewer: 'absent(publishedAt)',
      editor: 'absent(publishedAt)',
      admin: 'absent(publishedAt)',
    },
  ],
  [
    'Post',
    anyOf(when({ publishedAt: present }), own('author'), may('publish')),
    {
      nobody: 'present(publishedAt)',
      viewer: 'any(present(publishedAt), actor(author))',
      editor: 'always',
      admin: 'always',
    },
  ],
  [
    'Post',
    allOf(when({ publishedAt: absent }), may('edit', own('author'))),
    {
      nobody: 'never',
      viewer: 'never',
      editor: 'all(absent(publishedAt), actor(author))',
      admin: 'absent(publishedAt)',
    },
  ],
  [
    'Post',
    anyOf(nobody, anyOf(own('author'), when({ title: 'x' })), nobody),
    {
      nobody: 'equal(title, x)',
      viewer: 'any(actor(author), equal(title, x))',
      editor: 'any(actor(author), equal(title, x))',
      admin: 'any(actor(author), equal(title, x))',
    },
  ],
  [
    'Comment',
    readable('post'),
    {
      nobody: 'related(post, present(publishedAt))',
      viewer: 'related(post, any(present(publishedAt), actor(author)))',
      editor: 'related(post, always)',
      admin: 'related(post, always)',
    },
  ],
]

test('a rule is folded for a class of actors: who may is settled, what a record must be is left (contract 5.4.3)', () => {
  for (const [resource, rule, lines] of folds) {
    for (const who of Object.keys(actors) as Who[])
      assert.equal(line(fold(nodeOf(rule), of(resource), actors[who])), lines[who], `${nodeOf(rule).rule} for ${who}`)
  }
})

test('the rule of a hidden record is never evaluated on it', () => {
  const hidden = compileModel(api)
  const Post = hidden.byName.get('Post')!
  const read = { ...Post.read, allow: nodeOf(nobody) }
  Object.assign(Post, { read })
  assert.equal(line(fold(nodeOf(readable('post')), hidden.byName.get('Comment')!, actors.admin)), 'never')
})

test('the answer is kept for a class, and for one resource only', () => {
  const rule = nodeOf(anyOf(own('author'), may('publish')))
  const first = fold(rule, of('Post'), actors.viewer)
  assert.equal(fold(rule, of('Post'), actorOf('VIEWER', 'usr_other')), first)
  assert.notEqual(fold(rule, of('Article'), actors.viewer), first)
  assert.equal(line(fold(rule, of('Post'), actors.editor)), 'always')
})

// ── What a condition asks of a record ───────────────────────────────────────────────────────────────────────────────

type Values = Readonly<Record<string, unknown>>
const record = (values: Values) => (column: Column) => values[column.field] ?? null

test('a condition holds for a record, or does not', () => {
  const day = new Date('2026-11-20')
  const rows: readonly (readonly [resource: string, rule: AnyRule, who: Who, record: Values, holds: boolean])[] = [
    ['Post', anyone, 'nobody', {}, true],
    ['Post', nobody, 'admin', {}, false],
    ['User', self, 'viewer', { id: 'usr_me' }, true],
    ['User', self, 'viewer', { id: 'usr_you' }, false],
    ['Post', own('author'), 'viewer', { author: 'usr_me' }, true],
    ['Post', own('author'), 'viewer', { author: 'usr_you' }, false],
    ['Order', own('user'), 'viewer', { user: null }, false],
    ['Order', own('user'), 'nobody', { user: null }, false],
    ['Article', when({ status: 'published' }), 'nobody', { status: 'published' }, true],
    ['Article', when({ status: 'published' }), 'nobody', { status: 'draft' }, false],
    ['Post', when({ publishedAt: present }), 'nobody', { publishedAt: day }, true],
    ['Post', when({ publishedAt: present }), 'nobody', { publishedAt: null }, false],
    ['Post', when({ publishedAt: absent }), 'nobody', { publishedAt: null }, true],
    ['Post', when({ publishedAt: absent }), 'nobody', { publishedAt: day }, false],
    ['Post', when({ publishedAt: day }), 'nobody', { publishedAt: new Date(day) }, true],
    ['Post', when({ publishedAt: day }), 'nobody', { publishedAt: new Date(0) }, false],
    ['Post', when({ publishedAt: day }), 'nobody', { publishedAt: null }, false],
    ['User', when({ emailVerified: false }), 'nobody', { emailVerified: false }, true],
    ['User', when({ emailVerified: false }), 'nobody', { emailVerified: true }, false],
    ['User', when({ bio: '' }), 'nobody', { bio: null }, false],
    ['Product', when({ stock: 0 }), 'nobody', { stock: 0 }, true],
  ]
  for (const [resource, rule, who, values, expected] of rows) {
    const actor = actors[who]
    const condition = fold(nodeOf(rule), of(resource), actor)
    const row = `${resource} ${nodeOf(rule).rule} for ${who} ${JSON.stringify(values)}`
    assert.equal(holds(condition, record(values), actor?.id ?? null), expected, row)
  }
})

test('a condition that was folded for one user has no other actor', () => {
  const condition = fold(nodeOf(own('author')), of('Post'), actors.viewer)
  assert.equal(holds(condition, record({ author: null }), null), false)
})

// ── Random rules against a plain reading ────────────────────────────────────────────────────────────────────────────

const leaves = fc.constantFrom<AnyRule>(
  anyone,
  nobody,
  signedIn,
  self,
  own('author'),
  may('edit', own('author')),
  may('create'),
  may('publish'),
  when({ publishedAt: present }),
  when({ publishedAt: absent }),
  when({ title: 'a' }),
  when({ title: oneOf('a', 'c') }),
)
const { rule: rules } = fc.letrec<{ rule: AnyRule }>((tie) => ({
  rule: fc.oneof(
    { depthSize: 'small' },
    leaves,
    tie('rule').map((each) => not(each)),
    fc.array(tie('rule'), { minLength: 1, maxLength: 3 }).map((each) => anyOf(...each)),
    fc.array(tie('rule'), { minLength: 1, maxLength: 3 }).map((each) => allOf(...each)),
  ),
}))
const posts = fc.record({
  id: fc.constantFrom('post_1', 'usr_me'),
  title: fc.constantFrom('a', 'b'),
  publishedAt: fc.constantFrom(null, new Date(0)),
  author: fc.constantFrom('usr_me', 'usr_you'),
})
const plainRecord = (path: string, values: Values): PlainRecord => ({
  path,
  read: nodeOf(nobody),
  value: (field) => values[field] ?? null,
  one: () => null,
  many: () => [],
})

test('folding and testing say what the rule says, for every rule, actor and record', () => {
  fc.assert(
    fc.property(rules, posts, fc.constantFrom(...Object.values(actors)), (rule, values, actor) => {
      const caller = {
        id: actor?.id ?? null,
        account: null,
        permissions: actor?.permissions ?? new Set(),
        now: new Date(0),
      }
      const folded = holds(fold(nodeOf(rule), of('Post'), actor), record(values), actor?.id ?? null)
      assert.equal(folded, says(nodeOf(rule), plainRecord('posts', values), caller))
    }),
    { numRuns: 2_000 },
  )
})

test('what only the database can tell is no plain condition', () => {
  const plain = [own('author'), not(when({ title: 'a' })), anyOf(self, when({ publishedAt: absent }))]
  const other: readonly AnyRule[] = [readable('author'), through('author', self), when({ publishedAt: before(now) })]
  for (const rule of plain) assert.ok(isPlain(fold(nodeOf(rule), of('Post'), actors.viewer)))
  for (const rule of other) {
    const condition = fold(nodeOf(not(anyOf(self, rule))), of('Post'), actors.viewer)
    assert.ok(!isPlain(condition))
    assert.throws(() => holds(condition, record({}), 'usr_me'), /Only the database can decide/)
  }
})
