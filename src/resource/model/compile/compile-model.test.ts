// What follows from a definition: names, columns, relations, inputs, permissions. Read off two services.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, argument, choice, email, many, one, optional, password, text, timestamp, token, when } from 'duet-api'
import { api } from '../../../../reference/service.ts'
import { library } from '../../../../test/support/domain/library.ts'
import { note, postWith, serviceWith, title } from '../../../../test/support/domain/valid-service.ts'
import { contradictions } from '../../contradiction/contradiction.ts'
import type { Model } from '../model.ts'
import { graphqlVocabulary, restVocabulary } from '../vocabulary.ts'
import { compileModel } from './compile-model.ts'

const model = compileModel(api)
const books = compileModel(library)
const of = (name: string, from: Model = model) => from.byName.get(name)!

test('names follow from one name', () => {
  const { name, plural, path, table, prefix } = of('Comment')
  assert.deepEqual(
    { name, plural, path, table, prefix },
    { name: 'Comment', plural: 'comments', path: 'comments', table: 'comments', prefix: 'cmt' },
  )
  const copy = of('Copy', books)
  assert.deepEqual([copy.plural, copy.path, copy.table], ['copies', 'copies', 'copies'])
  const wide = compileModel(note({ title }, { plural: 'blogNotes' })).byName.get('Note')!
  assert.deepEqual([wide.plural, wide.path, wide.table], ['blogNotes', 'blog-notes', 'blog_notes'])
  assert.equal(model.byPath.get('comments'), of('Comment'))
  assert.equal(model.byPrefix.get('cmt'), of('Comment'))
})

test('a query whose sort names nothing has the usual order', () => {
  const recent = { allow: anyone, where: when({ title: 'x' }), sort: [] }
  const [query] = compileModel(note({ title }, { queries: { recent } }))
    .byName.get('Note')!
    .queries.values()
  assert.deepEqual(
    query!.sort.map(({ column, descending }) => [column.field, descending]),
    [['createdAt', true]],
  )
})

test('columns hold what is stored, id first, secrets as hashes', () => {
  assert.deepEqual(
    of('User').columns.map((each) => each.name),
    [
      'id',
      'name',
      'email',
      'password_hash',
      'email_verified',
      'status',
      'role',
      'bio',
      'avatar_url',
      'preferences',
      'created_at',
      'updated_at',
    ],
  )
  assert.deepEqual(
    of('Comment').columns.map((each) => each.name),
    ['id', 'post_id', 'author_id', 'content', 'created_at', 'updated_at'],
  )
  const facts = ({
    type,
    nullable,
    unique,
    secret,
  }: {
    type: string
    nullable: boolean
    unique: boolean
    secret: boolean
  }) => [type, ...Object.entries({ nullable, unique, secret }).flatMap(([fact, is]) => (is ? [fact] : []))].join(' ')
  const user = (field: string) => facts(of('User').column.get(field)!)
  assert.deepEqual(['id', 'email', 'password', 'emailVerified', 'bio', 'preferences', 'createdAt'].map(user), [
    'text',
    'text unique',
    'text secret',
    'boolean',
    'text nullable',
    'json',
    'timestamp',
  ])
  const keyed = compileModel(note({ title, key: token({ prefix: 'k_' }) })).byName.get('Note')!
  assert.equal(facts(keyed.column.get('key')!), 'text nullable unique secret')
})

test('readers can name everything but secrets and arguments', () => {
  const fieldNames = [
    'id',
    'name',
    'email',
    'emailVerified',
    'status',
    'role',
    'bio',
    'avatarUrl',
    'preferences',
    'posts',
    'followers',
    'following',
    'createdAt',
    'updatedAt',
  ]
  assert.deepEqual([...of('User').fields.keys()], fieldNames)
  assert.ok(!of('Loan', books).fields.has('days'))
  assert.equal(of('User').fields.get('posts')!.column, null)
  assert.equal(of('User').fields.get('bio')!.nullable, true)
  assert.equal(of('User').fields.get('email')!.nullable, false)
})

test('a computed field has no column, and knows those that it is made from', () => {
  const computed = { shout: { as: title, from: ['title', 'author'], make: ({ title }: never) => title } }
  const Post = compileModel(postWith({ computed })).byName.get('Post')!
  const field = Post.fields.get('shout')!
  assert.equal(field.column, null)
  assert.equal(field.kind, Post.fields.get('title')!.kind)
  assert.deepEqual(
    field.computed!.from.map((each) => each.name),
    ['title', 'author_id'],
  )
  assert.equal(field.computed!.make({ title: 'HELLO' }), 'HELLO')
  assert.equal(Post.fields.get('title')!.computed, null)
  assert.ok(!Post.column.has('shout'))
})

test('relations are joined at both ends', () => {
  const author = of('Post').relations.get('author')!
  assert.ok(author.kind === 'one')
  assert.equal(author.target, of('User'))
  const posts = of('User').relations.get('posts')!
  assert.ok(posts.kind === 'many')
  assert.equal(posts.by, author)
  assert.deepEqual(
    of('User').referrers.map(({ holder, relation }) => `${holder.name}.${relation.field} ${relation.onDelete}`),
    [
      'Post.author cascade',
      'Comment.author cascade',
      'Article.author cascade',
      'Order.user clear',
      'ApiKey.user cascade',
      'Session.user cascade',
      'SignInMethod.user cascade',
      'SecurityEvent.user clear',
      'Webhook.user cascade',
    ],
  )
  assert.deepEqual(
    of('Copy', books).referrers.map(({ holder, relation }) => `${holder.name}.${relation.field} ${relation.onDelete}`),
    ['Loan.copy restrict'],
  )
})

test('a many-to-many relation is one link, with a side for each end', () => {
  assert.deepEqual(
    model.links.map(({ table, source, target }) => [table, source.name, target.name]),
    [['users_followers', 'User', 'User']],
  )
  const linkOf = (field: string) => {
    const relation = of('User').relations.get(field)
    assert.ok(relation?.kind === 'manyToMany')
    return relation
  }
  const [followers, following] = [linkOf('followers'), linkOf('following')]
  assert.equal(followers.link, following.link)
  assert.deepEqual([followers.side, following.side], ['source', 'target'])
})

test('an input field starts with its default, or with nothing, or must be given', () => {
  const initials = (action: string, name = 'User', from = model) =>
    Object.fromEntries(
      of(name, from)
        .actions.get(action)!
        .accept.map(({ field, initial }) => [field, initial === undefined ? 'given' : initial()]),
    )
  assert.deepEqual(initials('create'), {
    name: 'given',
    email: 'given',
    password: 'given',
    bio: null,
    avatarUrl: null,
    preferences: {},
    role: 'VIEWER',
    emailVerified: false,
  })
  assert.deepEqual(initials('create', 'Post'), { title: 'given', content: 'given', tags: [] })
  assert.deepEqual(initials('create', 'Loan', books), { copy: 'given', days: 'given' })
  const service = note(
    { a: argument(optional(title)), b: argument(text({ max: 9, default: 'x' })) },
    { actions: { go: { accept: ['a', 'b'], allow: { rule: 'anyone' } } } },
  )
  assert.deepEqual(initials('go', 'Note', compileModel(service)), { a: null, b: 'x' })
  const [tags] = of('Post')
    .actions.get('create')!
    .accept.filter(({ field }) => field === 'tags')
  assert.notEqual(tags!.initial!(), tags!.initial!(), 'each record gets a list of its own')
})

test('an action knows its kind, its state tests, its writes and its event', () => {
  const submit = of('Article').actions.get('submit')!
  assert.deepEqual(
    [submit.kind, submit.to, submit.from],
    ['move', 'in_review', [{ column: of('Article').state, values: ['draft'], present: null }]],
  )
  assert.deepEqual(of('Order').actions.get('cancel')!.from[0]!.values, ['pending', 'paid'])
  const publish = of('Post').actions.get('publish')!
  const publishedAt = of('Post').column.get('publishedAt')!
  assert.deepEqual(publish.from, [{ column: publishedAt, values: null, present: false }])
  assert.equal(publish.set[0]!.column, publishedAt)
  assert.deepEqual(publish.emit, { name: 'postPublished', by: null, about: undefined, with: [], changed: [] })
  assert.deepEqual(of('Post').actions.get('create')!.mayFollow, [publish])
  assert.ok(of('Comment').actions.get('create')!.emit!.by?.branches[0] === of('Comment').relations.get('post'))
  assert.equal(of('User').actions.get('follow')!.link, of('User').relations.get('followers'))
  assert.equal(of('Product').read.maxAgeSeconds, 60)
  assert.deepEqual(
    ['Product', 'User', 'Post'].map((name) => of(name).isPublic),
    [true, true, false],
  )
})

test('filters know their column, their part and what their value must be', () => {
  const facts = (name: string, filter: string) => {
    const { test: kind, column, part, value } = of(name).filters.get(filter)!
    return [kind, column.name, part, value.kind, value.optional ?? false]
  }
  assert.deepEqual(facts('Post', 'author'), ['is', 'author_id', null, 'one', false])
  assert.deepEqual(facts('Post', 'tag'), ['contains', 'tags', null, 'text', false])
  assert.deepEqual(facts('Post', 'published'), ['isPresent', 'published_at', null, 'boolean', false])
  assert.deepEqual(facts('Product', 'minPrice'), ['atLeast', 'price', null, 'integer', false])
  assert.deepEqual(facts('Order', 'product'), ['contains', 'items', 'product', 'one', false])
  assert.deepEqual(facts('Order', 'user'), ['is', 'user_id', null, 'one', false])
})

test('roles hold what they are granted and what the roles that they include hold', () => {
  const editor = model.roles.get('EDITOR')!
  for (const word of ['comments:create', 'posts:publish', 'articles:submit', 'users:follow'])
    assert.ok(editor.has(word as never), word)
  for (const word of ['posts:edit_any', 'users:manage', 'articles:archive']) assert.ok(!editor.has(word as never), word)
  assert.deepEqual(model.roles.get('ADMIN'), model.permissions)
  assert.ok(model.permissions.has('orders:read_any') && model.permissions.has('users:manage'))
})

test('accounts may be another resource than User', () => {
  const Member = {
    name: 'Member',
    prefix: 'mbr',
    fields: {
      login: email({ unique: true }),
      word: password({ min: 8, max: 9 }),
      rank: choice(['ONE', 'ALL']),
      status: { kind: 'state', values: ['IN', 'OUT'] },
      notes: many('Note', 'by'),
    },
    actions: { read: { allow: { rule: 'anyone' } }, leave: { allow: { rule: 'self' }, from: 'IN', to: 'OUT' } },
  }
  const Note = {
    name: 'Note',
    prefix: 'n',
    fields: { by: one('Member'), at: optional(timestamp()) },
    actions: { read: { allow: { rule: 'own', relation: 'by' } } },
  }
  const service = {
    resources: { Member, Note },
    accounts: { resource: 'Member', login: 'login', password: 'word', role: 'rank', activeState: 'IN' },
    roles: { ONE: {}, ALL: 'everything' },
  } as never
  assert.deepEqual(contradictions(service), [])
  const { resource, login, password: word, role, status, activeState } = compileModel(service).accounts
  assert.deepEqual(
    [resource.name, login.name, word.name, role.name, status.name, activeState],
    ['Member', 'login', 'word_hash', 'rank', 'status', 'IN'],
  )
})

test('versions stand oldest first, and a service that names none has one', () => {
  assert.deepEqual(
    model.versions.map(({ name, sunset }) => [name, sunset?.toISOString() ?? null]),
    [
      ['v1', '2027-11-20T00:00:00.000Z'],
      ['v2', null],
    ],
  )
  const { versions } = compileModel(serviceWith({ versions: undefined }))
  assert.deepEqual(versions, [{ name: 'v1', deprecated: null, sunset: null }])
})

test('each face has one name for a field, and one field for a name (contract 1.2.1, 9.1.2)', () => {
  const [v1, v2] = model.versions.map(restVocabulary)
  const graphql = graphqlVocabulary()
  const rows: readonly (readonly [resource: string, field: string, v1: string, v2: string, graphql: string])[] = [
    ['Comment', 'content', 'text', 'content', 'content'],
    ['Comment', 'post', 'post_id', 'post_id', 'postId'],
    ['Comment', 'createdAt', 'created_at', 'created_at', 'createdAt'],
    ['User', 'avatarUrl', 'avatar_url', 'avatar_url', 'avatarUrl'],
    ['User', 'password', 'password', 'password', 'password'],
    ['Post', 'id', 'id', 'id', 'id'],
  ]
  for (const [name, field, ...names] of rows) {
    for (const [index, vocabulary] of [v1!, v2!, graphql].entries()) {
      assert.equal(vocabulary.name(of(name), field), names[index])
      assert.equal(vocabulary.field(of(name), names[index]!), field)
    }
  }
  assert.equal(v2!.field(of('Comment'), 'text'), undefined)
  assert.equal(v1!.field(of('Comment'), 'content'), undefined)
  assert.deepEqual(
    ['author', 'tag', 'published'].map((each) => v2!.filter(of('Post'), each)),
    ['author_id', 'tag', 'published'],
  )
  assert.deepEqual(
    ['product', 'user'].map((each) => graphql.filter(of('Order'), each)),
    ['productId', 'userId'],
  )
  assert.equal(v2!.filter(of('Product'), 'minPrice'), 'min_price')
})
