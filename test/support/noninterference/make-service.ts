// Random services: a few resources whose relations point in every direction, and rules of every kind that follow them.

import {
  ApiKey,
  absent,
  actor,
  allOf,
  anyOf,
  anyone,
  arg,
  atLeast,
  boolean,
  choice,
  contains,
  email,
  event,
  type Id,
  integer,
  is,
  isPresent,
  list,
  many,
  manyToMany,
  may,
  one,
  optional,
  own,
  password,
  resource,
  type Service,
  ServiceDefinitionError,
  self,
  service,
  signedIn,
  state,
  text,
  through,
  timestamp,
  token,
  when,
} from 'duet-api'
import { compileService } from '../../../src/service/start/compile-service.ts'
import { createRandom, type Random } from '../oracle/random.ts'
import { type Making, makeFeed, makeRule, type Name, names, type Shape, verbsOf } from './make-rule.ts'

/** The next service from this seed on that does not contradict itself. */
export function makeService(seed: number): Service<unknown> {
  for (let attempt = 0; attempt < 1_000; attempt++) {
    const made = tryToMake(createRandom(seed * 1_000 + attempt))
    try {
      compileService(made)
      return made
    } catch (error) {
      if (!(error instanceof ServiceDefinitionError)) throw error
    }
  }
  throw new Error(`No service of seed ${seed} is free of contradictions.`)
}

function tryToMake(random: Random): Service<unknown> {
  const shapes = makeShapes(random)
  const resources = Object.fromEntries(names.map((name) => [name, makeResource(name, { shapes, random }) as unknown]))
  const verbs = (role: string) =>
    role === 'STAFF' ? ['read', 'create', 'edit_own', 'edit_any'] : ['create', 'edit_own']
  const grants = (role: string) =>
    Object.fromEntries(
      names.map((name) => {
        const ownVerbs = verbsOf(resources[name])
        return [`${name.toLowerCase()}s`, verbs(role).filter((verb) => ownVerbs.has(verb))]
      }),
    )
  return service({
    resources: { ApiKey, ...resources, User: makeUser({ shapes, random }) },
    accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE', verified: 'isVerified' },
    roles: { MEMBER: grants('MEMBER'), STAFF: grants('STAFF') },
  } as never) as Service<unknown>
}

function makeShapes(random: Random): ReadonlyMap<Name, Shape> {
  const ones = new Map<Name, [string, Name][]>(names.map((name) => [name, [['owner', 'User']]]))
  const lists = new Map<Name, [string, Name][]>([...names, 'User' as const].map((name) => [name, []]))
  for (const [index, name] of names.entries()) {
    lists.get('User')!.push([`${name.toLowerCase()}s`, name])
    if (index === 0) continue
    const parent = names[random.below(index)]!
    ones.get(name)!.push(['parent', parent])
    lists.get(parent)!.push([`${name.toLowerCase()}s`, name])
  }
  const trees = new Set<Name>(random.some([...names], 2))
  for (const name of trees) ones.get(name as (typeof names)[number])!.push(['above', name])
  lists.get('User')!.push(['followers', 'User'], ['following', 'User'])
  const shapeOf = (name: Name): Shape => ({
    ones: ones.get(name) ?? [],
    lists: lists.get(name)!,
    hasCode: name !== 'User' && random.chance(0.6),
    isTree: trees.has(name),
  })
  return new Map([...names, 'User' as const].map((name) => [name, shapeOf(name)]))
}

function makeResource(name: Name, { shapes, random }: Making): object {
  const { ones, lists, hasCode, isTree } = shapes.get(name)!
  const isExclusive = random.chance(0.3)
  const parent = ones.find(([field]) => field === 'parent')?.[1]
  const rule = (depth: number, asksPermissions = true) => makeRule(name, depth, { shapes, random, asksPermissions })
  const plain = ['word', 'secret', 'size', 'isOpen', 'at', 'tags']
  const accept = [
    ...plain,
    ...(parent === undefined ? [] : ['parent']),
    ...(isTree ? ['above'] : []),
    ...(isExclusive ? ['beginsAt', 'endsAt'] : []),
  ]
  const children = lists.map(([field]) => field)
  const accepted = (fields: readonly string[]) => [
    ...fields,
    'near',
    'watchers',
    ...children.filter(() => random.chance(0.6)),
  ]
  return resource(name, {
    prefix: name.toLowerCase(),
    fields: {
      owner: one('User', { default: actor, cascade: 'regardless' }),
      ...(parent === undefined ? {} : { parent: makeParent(parent, { shapes, random }) }),
      ...(isTree ? { above: optional(one(name, { tree: true })) } : {}),
      ...(isExclusive ? { beginsAt: timestamp(), endsAt: optional(timestamp()) } : {}),
      ...Object.fromEntries(lists.map(([field, of]) => [field, many(of, 'parent')])),
      ...(hasCode ? { code: makeCode(name, random) } : {}),
      word: text({ max: 20 }),
      secret: text({ max: 20 }),
      size: integer({ min: 0, max: 5 }),
      least: integer({ min: 0, max: 5, default: 2 }),
      isOpen: boolean(),
      contact: optional(email()),
      at: optional(timestamp()),
      until: optional(timestamp()),
      tags: list(text({ max: 20 }), { max: 3 }),
      near: manyToMany(name, 'nearTo'),
      nearTo: manyToMany(name, 'near'),
      watchers: manyToMany('User', `watched${name}s`),
      status: state('draft', 'live'),
    },
    filter: {
      isOpen: is,
      owner: is,
      ...(parent === undefined ? {} : { parent: is }),
      word: is,
      status: is,
      tag: contains('tags'),
      isDated: isPresent('at'),
    },
    sort: ['size', 'word', 'secret', ...(parent === undefined ? [] : ['parent', 'parent.word', 'parent.secret'])],
    ...(isExclusive ? { exclude: [{ fields: ['owner'], overlap: ['beginsAt', 'endsAt'] }] } : {}),
    ...questionsOf(ones, lists),
    protect: random.chance(0.6) ? { secret: { read: rule(2) } } : {},
    queries: makeQueries(name, { shapes, random }),
    actions: {
      read: {
        allow: random.chance(0.3) ? anyOf(own('owner'), makeFeed(name, { shapes, random })) : rule(3),
        ...(random.chance(0.3) ? { partly: { allow: rule(2), fields: openFields(parent, random) } } : {}),
      },
      create: {
        allow: makeCreateRule(parent, { shapes, random }),
        accept: accepted(accept),
        emit: event(`${name.toLowerCase()}Made`, random.chance(0.5) ? { by: 'owner' } : {}),
      },
      update: {
        allow: anyOf(may('edit', own('owner')), rule(2)),
        accept: accepted(random.chance(0.5) ? accept : plain),
        emit: event(`${name.toLowerCase()}Changed`),
      },
      delete: { allow: anyOf(own('owner'), rule(1)), emit: event(`${name.toLowerCase()}Ended`) },
      open: { allow: rule(2), from: 'draft', to: 'live', ...(random.chance(0.3) ? { check: hasRoom } : {}) },
      date: { allow: rule(1), from: { at: absent }, accept: ['at'] },
    },
  } as never)
}

/** All that lists filter and search by, and some others. */
const openFields = (parent: Name | undefined, random: Random): readonly string[] => [
  ...['owner', 'word', 'isOpen', 'at', 'tags', 'status'],
  ...(parent === undefined ? [] : ['parent']),
  ...['secret', 'size', 'least', 'contact', 'until'].filter(() => random.chance(0.5)),
]

/** Depends on records that the caller may not read, and reveals this by its sentence alone. (contract 5.7.2) */
const hasRoom = async ({ records }: Checked): Promise<true | string> =>
  (await records.all.here.count({ filter: { status: 'live' } })) % 2 === 0 || noRoom
export const noRoom = 'There is no room for it.'
interface Checked {
  readonly records: { readonly all: { readonly here: { count(which: object): Promise<number> } } }
}

/** What can be asked of lists: of all values, and of those of what is nearby. */
function questionsOf(ones: Shape['ones'], lists: Shape['lists']): object {
  const values = ['id', 'word', 'secret', 'size', 'isOpen', 'at', 'tags', 'status', 'createdAt']
  const relations = ones.map(([field]) => field)
  const related = ones.flatMap(([field, of]) =>
    (of === 'User' ? ['word', 'rank'] : ['word', 'secret']).map((each) => `${field}.${each}`),
  )
  const listed = lists.flatMap(([list]) => ['word', 'secret', 'owner.rank'].map((each) => `${list}.${each}`))
  return {
    where: [...values, ...relations, ...related, ...listed],
    search: ['word', ...lists.map(([list]) => `${list}.word`)],
    anywhere: ['word'],
    summary: {
      by: [
        'word',
        'secret',
        'status',
        'at',
        ...relations,
        ...related,
        ...lists.map(([list]) => `${list}.word`),
        'near.secret',
      ],
      of: ['size'],
      distinct: ['word', ...relations],
    },
  }
}

/** Some end at a moment of the record. */
const makeCode = (name: Name, random: Random): unknown =>
  token({ prefix: `code_${name.toLowerCase()}_`, ...(random.chance(0.3) ? { until: 'until' } : {}) })

/** A relation that may ask for a rule of what it names, and for the same owner. */
function makeParent(target: Name, { shapes, random }: Making): unknown {
  const options = {
    ...(random.chance(0.4) ? { into: makeRule(target, 1, { shapes, random }) } : {}),
    ...(random.chance(0.2) ? { same: 'owner' } : {}),
  }
  return random.chance(0.5) ? one(target, { ...options, cascade: 'regardless' }) : optional(one(target, options))
}

function makeCreateRule(parent: Name | undefined, { shapes, random }: Making): unknown {
  if (random.chance(0.5)) return may('create')
  const followed =
    parent === undefined || random.chance(0.5)
      ? through('owner', makeRule('User', 1, { shapes, random }))
      : through('parent', makeRule(parent, 1, { shapes, random }))
  return allOf(may('create'), followed)
}

function makeQueries(name: Name, making: Making): object {
  const { random } = making
  const queries = {
    picked: { allow: anyone, where: makeRule(name, 2, making) },
    feed: { allow: signedIn, where: makeFeed(name, making), sort: random.chance(0.5) ? ['-size'] : [] },
    sized: {
      allow: anyone,
      args: { least: integer({ min: 0, max: 5 }), said: optional(text({ max: 20 })) },
      where: allOf(when({ size: atLeast(arg('least')) }), when({ word: arg('said') })),
    },
    named: {
      allow: anyone,
      args: { first: one(name), second: optional(one(name)) },
      ids: async ({ args }: { args: { first: Id<string>; second: Id<string> | null } }) =>
        args.second === null ? [args.first] : [args.first, args.second],
    },
  }
  return Object.fromEntries(Object.entries(queries).filter(() => random.chance(0.6)))
}

function makeUser({ shapes, random }: Making): object {
  const lists = shapes.get('User')!.lists.filter(([, of]) => of !== 'User')
  return resource('User', {
    prefix: 'usr',
    fields: {
      email: email({ unique: true }),
      isVerified: boolean({ default: false }),
      password: password({ min: 8, max: 200 }),
      role: choice(['MEMBER', 'STAFF'], { default: 'MEMBER' }),
      status: state('ACTIVE', 'GONE'),
      word: text({ max: 20 }),
      rank: integer({ min: 0, max: 5, default: 0 }),
      followers: manyToMany('User', 'following'),
      following: manyToMany('User', 'followers'),
      ...Object.fromEntries(names.map((name) => [`watched${name}s`, manyToMany(name, 'watchers')])),
      ...Object.fromEntries(lists.map(([field, of]) => [field, many(of, 'owner')])),
    },
    sort: ['word', 'rank'],
    protect: { email: { read: self }, rank: { read: makeRule('User', 1, { shapes, random }) } },
    actions: {
      read: { allow: random.chance(0.5) ? anyone : anyOf(self, makeRule('User', 2, { shapes, random })) },
      update: { allow: self, accept: ['word'] },
      delete: { allow: self },
      leave: { allow: self, from: 'ACTIVE', to: 'GONE' },
      follow: { allow: signedIn, link: 'followers' },
      unfollow: { allow: signedIn, unlink: 'followers' },
    },
  } as never)
}
