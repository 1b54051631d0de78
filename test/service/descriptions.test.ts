// Everything in the contracts of the reference service says what it is, made of the definition or in its author's words. (contract 4.15.1)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  anyone,
  arg,
  argument,
  atLeast,
  boolean,
  choice,
  currency,
  email,
  event,
  integer,
  json,
  list,
  many,
  manyToMany,
  object,
  one,
  optional,
  password,
  resource,
  service,
  signedIn,
  state,
  text,
  timestamp,
  token,
  url,
  when,
} from 'duet-api'
import {
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  printSchema,
} from 'graphql'
import { api } from '../../reference/service.ts'
import { canonicalDocument } from '../../src/compatibility/canonical.ts'
import { compareContracts } from '../../src/compatibility/compare.ts'
import type { Contract } from '../../src/compatibility/snapshot.ts'
import { makeSchema } from '../../src/graphql/schema/schema.ts'
import { defaultLimits } from '../../src/limits.ts'
import { makeDocument } from '../../src/openapi/document.ts'
import type { Service } from '../../src/resource/language/service.ts'
import { graphqlVocabulary } from '../../src/resource/model/vocabulary.ts'
import { compileRoutes } from '../../src/rest/route/routes.ts'
import { describeEndpoints } from '../../src/service/pipeline/endpoints.ts'
import { compileService } from '../../src/service/start/compile-service.ts'
import type { Loose } from '../support/check/loose.ts'
import { field, refuses } from '../support/domain/valid-service.ts'

/** Every description of a schema by its coordinate, empty where there is none. */
function schemaDescriptions(of: Service<unknown>): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const note = (name: string, { description }: { readonly description?: string | null | undefined }) =>
    void found.set(name, description ?? '')
  for (const type of Object.values(makeSchema(compileService(of), graphqlVocabulary(), defaultLimits).getTypeMap())) {
    if (isIntrospectionType(type) || isSpecifiedScalarType(type)) continue
    note(type.name, type)
    if (isEnumType(type)) for (const value of type.getValues()) note(`${type.name}.${value.name}`, value)
    if (isInputObjectType(type))
      for (const field of Object.values(type.getFields())) note(`${type.name}.${field.name}`, field)
    if (!isObjectType(type) && !isInterfaceType(type)) continue
    for (const field of Object.values(type.getFields())) {
      note(`${type.name}.${field.name}`, field)
      for (const argument of field.args) note(`${type.name}.${field.name}(${argument.name}:)`, argument)
    }
  }
  return found
}

function documentOf(of: Service<unknown>, name: string): Loose {
  const model = compileService(of)
  const routes = compileRoutes(model)
  const endpoints = describeEndpoints(model, { refreshTokenIn: 'body' })
  const given = { limits: defaultLimits, cursorForm: 'envelope', info: { title: 'Test' }, endpoints } as const
  return makeDocument(routes.versions.find((each) => each.name === name)!, routes, model, given)
}

/** The same of an OpenAPI document: operations, parameters, schemas and, however deep, properties. */
function documentDescriptions(document: Loose): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const note = (name: string, node: Loose) => void found.set(name, node.description ?? '')
  const properties = (name: string, node: Loose): void => {
    if (typeof node !== 'object' || node === null) return
    for (const [property, schema] of Object.entries<Loose>(node.properties ?? {})) {
      if (schema.$ref === undefined) note(`${name}.${property}`, schema)
      properties(`${name}.${property}`, schema)
    }
    for (const each of [node.items, ...(node.anyOf ?? [])]) properties(`${name}[]`, each)
  }
  for (const [path, item] of Object.entries<Loose>(document.paths)) {
    const { 'x-oai-additionalOperations': others, ...operations } = item
    for (const [method, operation] of Object.entries<Loose>({ ...operations, ...others })) {
      const name = `${method} ${path}`
      note(name, operation)
      for (const each of operation.parameters) if (each.$ref === undefined) note(`${name} ${each.name}`, each)
      const contents = [operation.requestBody, ...Object.values<Loose>(operation.responses)]
      for (const each of contents) properties(name, each?.content?.['application/json']?.schema)
    }
  }
  for (const kind of ['schemas', 'parameters', 'headers', 'responses', 'securitySchemes'])
    for (const [name, each] of Object.entries<Loose>(document.components[kind])) note(`${kind} ${name}`, each)
  for (const [name, each] of Object.entries<Loose>(document.components.schemas)) properties(name, each)
  return found
}

const missing = (descriptions: ReadonlyMap<string, string>): readonly string[] =>
  [...descriptions].flatMap(([name, description]) =>
    /^[A-Z`].*[.)]$/s.test(description) ? [] : [`${name}: ${description}`],
  )

test('everything in the GraphQL schema of the reference service says what it is', () => {
  const descriptions = schemaDescriptions(api)
  assert.deepEqual(missing(descriptions), [])
  assert.ok(descriptions.size > 500, String(descriptions.size))
})

for (const version of ['v1', 'v2']) {
  test(`everything in the OpenAPI document of ${version} says what it is`, () => {
    const descriptions = documentDescriptions(documentOf(api, version))
    assert.deepEqual(missing(descriptions), [])
    assert.ok(descriptions.size > 500, String(descriptions.size))
  })
}

/** A definition in which every kind of thing says what it is. `word` is in each sentence. */
function tell(word: string) {
  const about = (what: string) => ({ about: `${word} ${what}` })
  const User = resource('User', {
    prefix: 'usr',
    ...about('of the resource'),
    fields: {
      email: email({ unique: true, ...about('email') }),
      password: password({ min: 8, max: 200, ...about('password') }),
      role: choice(['ANY'], { default: 'ANY', ...about('role') }),
      status: state(['ACTIVE', 'GONE'], about('status')),
      nickname: optional(text({ max: 9, ...about('nickname') })),
      site: optional(url(about('site'))),
      money: optional(currency(about('money'))),
      rights: list(text({ max: 9, ...about('right') }), { max: 9, ...about('rights') }),
      rank: integer({ default: 1, ...about('rank') }),
      isOdd: boolean({ default: false, ...about('isOdd') }),
      bornAt: optional(timestamp(about('bornAt'))),
      extra: json({ maxBytes: 99, ...about('extra') }),
      home: optional(object({ street: text({ max: 9, ...about('street') }) }, about('home'))),
      parent: optional(one('User', about('parent'))),
      children: many('User', 'parent', about('children')),
      friends: manyToMany('User', 'friendsOf', about('friends')),
      friendsOf: manyToMany('User', 'friends', about('friendsOf')),
      secret: token({ prefix: 'sec_', ...about('secret') }),
      reason: argument(text({ max: 9, ...about('reason') })),
    },
    computed: {
      initial: { as: text({ max: 1, ...about('initial') }), from: ['email'], make: ({ email: of }) => of[0]! },
    },
    queries: {
      ranked: {
        allow: anyone,
        args: { above: integer(about('above')) },
        where: when({ rank: atLeast(arg('above')) }),
        ...about('ranked'),
      },
    },
    actions: {
      read: { allow: anyone },
      create: { allow: anyone, accept: ['email', 'password', 'nickname', 'home'], ...about('create') },
      update: { allow: signedIn, accept: ['nickname'], ...about('update') },
      leave: {
        allow: signedIn,
        accept: ['reason'],
        check: ({ input }) => input.reason !== '' || 'No.',
        from: 'ACTIVE',
        to: 'GONE',
        emit: event('userLeft', about('userLeft')),
        ...about('leave'),
      },
    },
  })
  return service({
    resources: { User },
    accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
    roles: { ANY: {} },
  })
}
const zebra = tell('Zebra')

test('what an author says of a thing is what GraphQL says', () => {
  const found = schemaDescriptions(zebra)
  const has = (name: string, what: string) =>
    assert.match(found.get(name) ?? name, new RegExp(`^Zebra ${what}\\.`), name)
  const { User } = (zebra as unknown as { resources: Record<string, { fields: object }> }).resources
  for (const field of Object.keys(User!.fields))
    if (field !== 'password' && field !== 'reason') has(`User.${field}`, field)
  has('User', 'of the resource')
  has('User.initial', 'initial')
  has('UserHome.street', 'street')
  has('CreateUserInput.password', 'password')
  has('LeaveUserInput.reason', 'reason')
  has('Query.rankedUsers', 'ranked')
  has('Query.rankedUsers(above:)', 'above')
  for (const name of ['create', 'update', 'leave']) has(`Mutation.${name}User`, name)
  has('Subscription.userLeft', 'userLeft')
})

test('and what OpenAPI says', () => {
  const found = documentDescriptions(documentOf(zebra, 'v1'))
  const has = (name: string, what: string) =>
    assert.match(found.get(name) ?? name, new RegExp(`^Zebra ${what}\\.`), name)
  for (const field of [
    'email',
    'role',
    'status',
    'nickname',
    'site',
    'money',
    'rights',
    'rank',
    'extra',
    'home',
    'initial',
  ])
    has(`User.${field}`, field)
  has('User.is_odd', 'isOdd')
  has('User.born_at', 'bornAt')
  has('User.parent_id', 'parent')
  has('User.home.street', 'street')
  has('NewUser.secret', 'secret')
  has('schemas User', 'of the resource')
  has('CreateUser.password', 'password')
  has('LeaveUser.reason', 'reason')
  assert.match(found.get('get /api/v1/users/ranked')!, / Zebra ranked\. /)
  has('get /api/v1/users/ranked above', 'above')
  has('post /api/v1/users', 'create')
  has('patch /api/v1/users/{id}', 'update')
  has('post /api/v1/users/{id}/leave', 'leave')
})

test('saying it otherwise changes no contract', () => {
  const contractOf = (of: Service<unknown>): Contract => ({
    documents: { v1: canonicalDocument(documentOf(of, 'v1')) },
    schema: printSchema(makeSchema(compileService(of), graphqlVocabulary(), defaultLimits)),
    deprecations: [],
    limits: {},
  })
  const [before, after] = [contractOf(zebra), contractOf(tell('Horse'))]
  assert.notDeepEqual(before, after)
  assert.deepEqual(compareContracts(before, after, { lastUse: () => null, now: new Date() } as never), [])
})

refuses('what things say of themselves', [
  [field('title', text({ max: 9, about: ' ' })), 'Post.title: its about is empty; make it a sentence.'],
  [field('title', text({ max: 9, about: 5 as never })), 'Post.title: its about is empty; make it a sentence.'],
])
