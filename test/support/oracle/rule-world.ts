// The world in which readings of rules are compared: users, topics and notes, what tests may ask of each, and who asks.

import {
  anyone,
  boolean,
  choice,
  date,
  decimal,
  email,
  integer,
  list,
  many,
  manyToMany,
  one,
  optional,
  password,
  resource,
  service,
  state,
  text,
  timestamp,
  token,
  when,
} from 'duet-api'
import {
  type Actor,
  actorOf as accountOf,
  codeHashOf,
  noCredential,
  type Requester,
} from '../../../src/resource/actor.ts'
import type { RuleNode } from '../../../src/resource/language/rule/rule.ts'
import { compileModel } from '../../../src/resource/model/compile/compile-model.ts'
import type { LinkRelation, ManyRelation, OneRelation, ResourceModel } from '../../../src/resource/model/model.ts'
import type { PlainCaller, PlainRecord } from './plain-rule.ts'

export const words = ['a', 'A', 'a ', 'é', 'e\u0301', '😀', "'"]
export const moments = [
  new Date('2026-01-01T00:00:00.000Z'),
  new Date('2026-01-01T00:00:00.001Z'),
  new Date('2026-01-01T00:01:00.000Z'),
]
/** Rules see the second that it is in. */
export const requestTime = new Date('2026-01-01T00:00:00.900Z')
export const numbers = [-1, 0, 1]
export const days = ['2025-12-29', '2025-12-31', '2026-01-01', '2026-01-02']
export const decimals = ['-1.5', '-0.5', '0.0', '0.5', '10.5']
export const rates = ['-1.500', '-0.501', '0.499', '10.500', '100.000']

const read = { allow: anyone }
const User = resource('User', {
  prefix: 'usr',
  fields: {
    email: email({ unique: true }),
    password: password({ min: 8, max: 200 }),
    role: choice(['NONE', 'OWN', 'ANY'], { default: 'NONE' }),
    status: state('ACTIVE', 'GONE'),
    isSure: boolean(),
    word: text({ max: 9 }),
    notes: many('Note', 'author'),
    watched: manyToMany('Topic', 'watchers'),
  },
  actions: { read },
})
/** Readable by rules of its own, to which `readable` leads. */
const Topic = resource('Topic', {
  prefix: 'top',
  fields: {
    word: text({ max: 9 }),
    isOpen: boolean(),
    code: token({ prefix: 'top', until: 'endsAt', maxUses: 2 }),
    endsAt: optional(timestamp()),
    owner: optional(one('User')),
    parent: optional(one('Topic', { tree: true })),
    sides: many('Note', 'side'),
    watchers: manyToMany('User', 'watched'),
  },
  actions: { read: { allow: when({ isOpen: true }) } },
})
const Note = resource('Note', {
  prefix: 'note',
  fields: {
    word: text({ max: 9 }),
    aside: optional(text({ min: 0, max: 9 })),
    size: integer(),
    weight: optional(integer()),
    isOpen: boolean(),
    isLoud: optional(boolean()),
    at: timestamp(),
    until: optional(timestamp()),
    day: optional(date()),
    price: decimal({ precision: 6, scale: 1 }),
    rate: optional(decimal({ precision: 9, scale: 3 })),
    kind: choice(['x', 'y']),
    status: state('new', 'old'),
    author: one('User'),
    editor: optional(one('User')),
    topic: one('Topic'),
    side: optional(one('Topic')),
    tags: list(text({ max: 9 }), { max: 9 }),
    code: token({ prefix: 'note', until: 'until' }),
  },
  actions: { read },
})
export const model = compileModel(
  service({
    resources: { User, Topic, Note },
    accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE', verified: 'isSure' },
    roles: { NONE: {}, OWN: {}, ANY: {} },
    versions: { v1: 'current' },
  }),
)
const notes = model.byName.get('Note')!
export const topics = model.byName.get('Topic')!
/** Rules of the topics, so that `readable` leads to more than one condition. */
export const topicRules: readonly RuleNode[] = [
  { rule: 'anyone' },
  { rule: 'nobody' },
  { rule: 'when', values: { isOpen: true } },
  {
    rule: 'anyOf',
    rules: [
      { rule: 'own', relation: 'owner' },
      { rule: 'when', values: { word: 'a' } },
    ],
  },
]

export type Row = Readonly<Record<string, unknown>> & { readonly id: string; readonly isDeleted: boolean }
export interface World {
  readonly users: readonly Row[]
  readonly topics: readonly Row[]
  readonly notes: readonly Row[]
  /** Who watches which topic, by their ids. */
  readonly watches: readonly (readonly [user: string, topic: string])[]
}
const permissions = { NONE: [], OWN: ['notes:touch_own'], ANY: ['notes:touch_any'] } as const
/** The hashes of tokens: of a topic, of notes, and of nothing. */
export const hashOf = (name: string, at: number): string => `${name}${at}`.padEnd(43, '_')
export const hashes = [hashOf('Topic', 0), hashOf('Topic', 1), hashOf('Note', 0), hashOf('Note', 1), hashOf('Note', 99)]
/** What a caller shows: one of them, or several. */
export const codeSets = [
  ...hashes,
  ...[
    [0, 2, 4],
    [1, 3],
  ].map((places) =>
    places
      .map((at) => hashes[at]!)
      .sort()
      .join(),
  ),
]

/** The notes as if their definition had this rule, and their topics that one. */
export function withRules(rule: RuleNode, ofTopics: RuleNode): ResourceModel {
  const target: ResourceModel = { ...topics, read: { ...topics.read, allow: ofTopics } }
  const relations = new Map(
    [...notes.relations].map(([name, each]) => [
      name,
      each.kind === 'one' && each.target === topics ? ({ ...each, target } as OneRelation) : each,
    ]),
  )
  return { ...notes, relations, read: { ...notes.read, allow: rule } }
}

export function actorOf(id: string, role: keyof typeof permissions): Actor {
  return { id, role, permissions: new Set(permissions[role]), scopes: null, credential: noCredential }
}

export function requesterOf(
  { actor, code }: { actor: { place: number; role: keyof typeof permissions } | null; code: string | null },
  world: World,
): Requester {
  const account = actor === null ? null : actorOf(world.users[actor.place]!.id, actor.role)
  return code === null ? account : { ...account, ...shownCodes(code) }
}

/** Several are joined, in order. */
export const shownCodes = (codeHash: string) =>
  codeHash.includes(',') ? { codeHash, codeOrder: codeHash.split(',').toReversed() } : { codeHash }

export const callerOf = (requester: Requester, world: World): PlainCaller => {
  const actor = accountOf(requester)
  const account = world.users.find(({ id, isDeleted }) => id === actor?.id && !isDeleted)
  return {
    id: actor?.id ?? null,
    account: account === undefined ? null : plain(account, model.byName.get('User')!, world),
    permissions: actor?.permissions ?? new Set(),
    now: requestTime,
    code: codeHashOf(requester),
    unverified: { field: 'email', verified: 'isSure' },
  }
}

/** The topic, its parent, and so on. */
function above(topic: Row, { topics: all }: World): readonly string[] {
  const parent = all.find(({ id }) => id === topic['parent'])
  return [topic.id, ...(parent === undefined ? [] : above(parent, { topics: all } as World))]
}

/** A record as it was written, with the living records around it. */
export function plain(row: Row, resource: ResourceModel, world: World): PlainRecord {
  const rowsOf = ({ name }: ResourceModel): readonly Row[] =>
    (name === 'User' ? world.users : name === 'Topic' ? world.topics : world.notes).filter((each) => !each.isDeleted)
  const linked = (relation: LinkRelation): readonly string[] =>
    relation.link.parent !== null
      ? above(row, world)
      : relation.target.name === 'Topic'
        ? world.watches.filter(([user]) => user === row.id).map(([, topic]) => topic)
        : world.watches.filter(([, topic]) => topic === row.id).map(([user]) => user)
  return {
    path: resource.path,
    read: resource.read.allow,
    tokens: { code: (resource.column.get('code')?.spec ?? {}) as { until?: string; maxUses?: number } },
    value: (name) => row[name] ?? null,
    one(name) {
      const { target } = resource.relations.get(name) as OneRelation
      const found = rowsOf(target).find(({ id }) => id === row[name])
      return found === undefined ? null : plain(found, target, world)
    },
    many(name) {
      const relation = resource.relations.get(name) as ManyRelation | LinkRelation
      const ids = relation.kind === 'many' ? null : linked(relation)
      return rowsOf(relation.target)
        .filter((each) => (relation.kind === 'many' ? each[relation.by.field] === row.id : ids!.includes(each.id)))
        .map((each) => plain(each, relation.target, world))
    },
  }
}
