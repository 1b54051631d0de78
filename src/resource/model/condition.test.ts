// A rule for one class of actors, and what it asks of a record. Both are held against a plain reading of the rule.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { absent, allOf, anyOf, anyone, may, nobody, own, present, readable, self, signedIn, when } from 'duet-api'
import fc from 'fast-check'
import { api } from '../../../reference/service.ts'
import type { Actor } from '../actor.ts'
import { type AnyRule, nodeOf, type RuleNode } from '../language/rule.ts'
import type { Permission } from '../naming/permission.ts'
import { compileModel } from './compile-model.ts'
import { type Condition, fold, holds, type RuleRecord } from './condition.ts'

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
      return `related(${condition.relation.field}, ${line(condition.condition)})`
    case 'any':
    case 'all':
      return `${condition.is}(${condition.of.map(line).join(', ')})`
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

test('what a hidden record is readable by is never asked of it', () => {
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
/** A record by its fields; a relation whose value is an object leads to that record, any other leads nowhere. */
const record = (values: Values): RuleRecord => ({
  value: ({ field }) => {
    const value = values[field]
    return isRecord(value) ? value['id'] : (value ?? null)
  },
  related: ({ field }) => {
    const value = values[field]
    return isRecord(value) ? record(value) : null
  },
})
const isRecord = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !(value instanceof Date)

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
    ['Comment', readable('post'), 'nobody', { post: { id: 'post_1', publishedAt: day } }, true],
    ['Comment', readable('post'), 'nobody', { post: { id: 'post_1', publishedAt: null, author: 'usr_me' } }, false],
    ['Comment', readable('post'), 'viewer', { post: { id: 'post_1', publishedAt: null, author: 'usr_me' } }, true],
    ['Comment', readable('post'), 'admin', { post: { id: 'post_1', publishedAt: null, author: 'usr_you' } }, true],
    ['Comment', readable('post'), 'admin', { post: null }, false], // deleted: living records only
  ]
  for (const [resource, rule, who, values, expected] of rows) {
    const actor = actors[who]
    const condition = fold(nodeOf(rule), of(resource), actor)
    const row = `${resource} ${nodeOf(rule).rule} for ${who} ${JSON.stringify(values)}`
    assert.equal(holds(condition, record(values), actor?.id ?? null), expected, row)
  }
})

test('nobody is the actor of a condition that was folded for somebody else', () => {
  const condition = fold(nodeOf(own('author')), of('Post'), actors.viewer)
  assert.equal(holds(condition, record({ author: null }), null), false)
})

// ── Random rules against a plain reading ────────────────────────────────────────────────────────────────────────────

/** What a rule says, read off it without folding. */
function plainly(rule: RuleNode, resource: string, actor: Actor | null, values: Values): boolean {
  switch (rule.rule) {
    case 'anyone':
      return true
    case 'nobody':
      return false
    case 'signedIn':
      return actor !== null
    case 'self':
      return actor !== null && values['id'] === actor.id
    case 'own':
      return actor !== null && values[rule.relation] === actor.id
    case 'readable': {
      const target = values[rule.relation]
      return isRecord(target) && plainly(of('Post').read.allow, 'Post', actor, target)
    }
    case 'when':
      return Object.entries(rule.values).every(([field, value]) =>
        isRecord(value) ? (values[field] !== null) === value['present'] : values[field] === value,
      )
    case 'may': {
      const has = (verb: string) => actor?.permissions.has(`${of(resource).path}:${verb}` as Permission) === true
      const isMine = rule.mine !== null && has(`${rule.verb}_own`) && plainly(rule.mine, resource, actor, values)
      return has(rule.verb) || has(`${rule.verb}_any`) || isMine
    }
    case 'anyOf':
      return rule.rules.some((each) => plainly(each, resource, actor, values))
    case 'allOf':
      return rule.rules.every((each) => plainly(each, resource, actor, values))
  }
}

const leaves = (resource: 'Post' | 'Comment'): fc.Arbitrary<AnyRule> => {
  const common = [anyone, nobody, signedIn, own('author'), may('edit', own('author')), may('create')]
  const more =
    resource === 'Post'
      ? [when({ publishedAt: present }), when({ publishedAt: absent }), when({ title: 'a' }), may('publish')]
      : [readable('post'), when({ content: 'a' })]
  return fc.constantFrom<AnyRule>(...common, ...more)
}
const rules = (resource: 'Post' | 'Comment') =>
  fc.letrec<{ rule: AnyRule }>((tie) => ({
    rule: fc.oneof(
      { depthSize: 'small' },
      leaves(resource),
      fc.array(tie('rule'), { minLength: 1, maxLength: 3 }).map((each) => anyOf(...each)),
      fc.array(tie('rule'), { minLength: 1, maxLength: 3 }).map((each) => allOf(...each)),
    ),
  })).rule
const ids = fc.constantFrom('usr_me', 'usr_you')
const posts = fc.record({
  id: fc.constant('post_1'),
  title: fc.constantFrom('a', 'b'),
  publishedAt: fc.constantFrom(null, new Date(0)),
  author: ids,
})
const comments = fc.record({ post: fc.option(posts), author: ids, content: fc.constantFrom('a', 'b') })

test('folding and testing say what the rule says, for every rule, actor and record', () => {
  const cases = fc.oneof(
    fc.tuple(fc.constant('Post'), rules('Post'), posts),
    fc.tuple(fc.constant('Comment'), rules('Comment'), comments),
  )
  fc.assert(
    fc.property(cases, fc.constantFrom(...Object.values(actors)), ([resource, rule, values], actor) => {
      const folded = holds(fold(nodeOf(rule), of(resource), actor), record(values), actor?.id ?? null)
      assert.equal(folded, plainly(nodeOf(rule), resource, actor, values))
    }),
    { numRuns: 1_000 },
  )
})
