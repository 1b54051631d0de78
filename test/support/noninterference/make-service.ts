// Random services: a few resources whose relations point in every direction, and rules of every kind that follow them.

import {
  actor,
  allOf,
  anyOf,
  anyone,
  atLeast,
  boolean,
  choice,
  email,
  event,
  integer,
  is,
  many,
  manyToMany,
  may,
  not,
  one,
  optional,
  own,
  password,
  present,
  readable,
  resource,
  type Service,
  ServiceDefinitionError,
  self,
  service,
  signedIn,
  some,
  state,
  text,
  through,
  timestamp,
  when,
} from 'duet-api'
import type { AnyRule } from '../../../src/resource/language/rule.ts'
import { compileService } from '../../../src/service/compile-service.ts'
import { createRandom, type Random } from '../oracle/random.ts'

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

const names = ['Alpha', 'Bravo', 'Carol', 'Delta'] as const
type Name = (typeof names)[number] | 'User'

/** What rules about records of a resource may follow. */
interface Shape {
  readonly ones: readonly (readonly [field: string, target: Name])[]
  readonly lists: readonly (readonly [field: string, target: Name])[]
}

function tryToMake(random: Random): Service<unknown> {
  const shapes = makeShapes(random)
  const resources = Object.fromEntries(names.map((name) => [name, makeResource(name, { shapes, random }) as unknown]))
  const verbs = (role: string) =>
    role === 'STAFF' ? ['read', 'create', 'edit_own', 'edit_any'] : ['create', 'edit_own']
  const grants = (role: string) =>
    Object.fromEntries(
      names.map((name) => {
        const asked = verbsOf(resources[name])
        return [`${name.toLowerCase()}s`, verbs(role).filter((verb) => asked.has(verb))]
      }),
    )
  return service({
    resources: { ...resources, User: makeUser({ shapes, random }) },
    accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
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
  lists.get('User')!.push(['followers', 'User'], ['following', 'User'])
  return new Map(
    [...names, 'User' as const].map((name) => [name, { ones: ones.get(name) ?? [], lists: lists.get(name)! }]),
  )
}

interface Making {
  readonly shapes: ReadonlyMap<Name, Shape>
  readonly random: Random
}

function makeResource(name: Name, { shapes, random }: Making): object {
  const { ones, lists } = shapes.get(name)!
  const parent = ones.find(([field]) => field === 'parent')
  const rule = (depth: number, asksPermissions = true) => makeRule(name, depth, { shapes, random, asksPermissions })
  const target = parent === undefined ? {} : { parent: random.chance(0.5) ? one(parent[1]) : optional(one(parent[1])) }
  return resource(name, {
    prefix: name.toLowerCase(),
    fields: {
      owner: one('User', { default: actor }),
      ...target,
      ...Object.fromEntries(lists.map(([field, of]) => [field, many(of, 'parent')])),
      word: text({ max: 20 }),
      secret: text({ max: 20 }),
      size: integer({ min: 0, max: 5 }),
      isOpen: boolean(),
      at: optional(timestamp()),
      status: state('draft', 'live'),
    },
    filter: { isOpen: is, owner: is, word: is, status: is },
    sort: ['size', 'word'],
    protect: random.chance(0.5) ? { secret: { read: rule(2) } } : {},
    queries: random.chance(0.5) ? { picked: { allow: anyone, where: rule(2, false) } } : {},
    actions: {
      read: { allow: rule(3) },
      create: {
        allow: may('create'),
        accept: ['word', 'secret', 'size', 'isOpen', 'at', ...(parent ? ['parent'] : [])],
        emit: event(`${name.toLowerCase()}Made`),
      },
      update: { allow: anyOf(may('edit', own('owner')), rule(2)), accept: ['word', 'secret', 'size', 'isOpen', 'at'] },
      delete: { allow: own('owner') },
      open: { allow: rule(2), from: 'draft', to: 'live' },
    },
  } as never)
}

function makeUser({ shapes, random }: Making): object {
  const lists = shapes.get('User')!.lists.filter(([, of]) => of !== 'User')
  return resource('User', {
    prefix: 'usr',
    fields: {
      email: email({ unique: true }),
      password: password({ min: 8, max: 200 }),
      role: choice(['MEMBER', 'STAFF'], { default: 'MEMBER' }),
      status: state('ACTIVE', 'GONE'),
      word: text({ max: 20 }),
      followers: manyToMany('User', 'following'),
      following: manyToMany('User', 'followers'),
      ...Object.fromEntries(lists.map(([field, of]) => [field, many(of, 'owner')])),
    },
    sort: ['word'],
    protect: { email: { read: self } },
    actions: {
      read: { allow: random.chance(0.5) ? anyone : anyOf(self, makeRule('User', 2, { shapes, random })) },
      update: { allow: self, accept: ['word'] },
      leave: { allow: self, from: 'ACTIVE', to: 'GONE' },
      follow: { allow: signedIn, link: 'followers' },
      unfollow: { allow: signedIn, unlink: 'followers' },
    },
  } as never)
}

/** A rule about records of this resource, which follows relations so many levels deep at most. */
function makeRule(name: Name, depth: number, { asksPermissions = false, ...making }: RuleMaking): AnyRule {
  const { shapes, random } = making
  const { ones, lists } = shapes.get(name)!
  const below = () => makeRule(name, depth - 1, { ...making, asksPermissions })
  const leaves: (() => AnyRule)[] =
    name === 'User'
      ? [() => self, () => signedIn, () => when({ status: 'ACTIVE' }), () => when({ word: 'alpha' })]
      : [
          () => own('owner'),
          () => own('owner'),
          () => when({ isOpen: true }),
          () => when({ status: 'live' }),
          () => when({ size: atLeast(3) }),
          () => when({ at: present }),
          ...(asksPermissions ? [() => may('read')] : []),
        ]
  if (depth === 0) return random.one(leaves)()
  const deeper: (() => AnyRule)[] = [
    () => anyOf(below(), below()),
    () => anyOf(below(), below()),
    () => allOf(below(), below()),
    () => allOf(signedIn, not(below())),
  ]
  for (const [field, target] of ones) {
    deeper.push(() => through(field, makeRule(target, depth - 1, making)))
    if (field === 'parent') deeper.push(() => readable(field))
  }
  for (const [field, target] of lists) deeper.push(() => some(field, makeRule(target, depth - 1, making)))
  return random.one([...leaves, ...deeper, ...deeper])()
}

interface RuleMaking extends Making {
  /** Where it does, it asks for a permission of this very resource. */
  readonly asksPermissions?: boolean
}

/** The permissions that a definition's rules ask for. */
function verbsOf(definition: unknown): ReadonlySet<string> {
  const verbs = new Set<string>()
  JSON.stringify(definition, (_, value: unknown) => {
    if (typeof value === 'object' && value !== null && 'rule' in value && value.rule === 'may') {
      const { verb, mine } = value as unknown as { verb: string; mine?: unknown }
      for (const each of mine == null ? [verb] : [`${verb}_own`, `${verb}_any`]) verbs.add(each)
    }
    return value
  })
  return verbs
}
