// A sound little service with one thing changed: what the tests of contradictions are made of.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  anyone,
  choice,
  contains,
  email,
  integer,
  is,
  list,
  many,
  manyToMany,
  may,
  nobody,
  object,
  one,
  optional,
  own,
  password,
  type Service,
  self,
  state,
  text,
  timestamp,
} from 'duet-api'
import { contradictions } from '../../../src/resource/contradiction/contradiction.ts'
import { definitionOf } from '../../../src/resource/language/definition.ts'
import type { Clause } from '../../contract/contract.ts'

type Said = Readonly<Record<string, unknown>>
export const title = text({ max: 9 })
export const user = {
  name: 'User',
  prefix: 'usr',
  fields: {
    email: email({ unique: true }),
    password: password({ min: 8, max: 99 }),
    role: choice(['MEMBER', 'ADMIN'], { default: 'MEMBER' }),
    status: state('ON', 'OFF'),
    posts: many('Post', 'author'),
    liked: manyToMany('Post', 'likedBy'),
  },
  protect: { role: { write: may('manage') } },
  filter: {},
  actions: {
    read: { allow: anyone },
    create: { allow: anyone, accept: ['email', 'password'] },
    update: { allow: may('edit', self), accept: ['role'] },
    leave: { allow: self, from: 'ON', to: 'OFF' },
  },
}
export const post = {
  name: 'Post',
  prefix: 'post',
  fields: {
    title,
    rank: integer({ min: 0, max: 9, default: 0 }),
    tags: list(title, { max: 9 }),
    parts: list(object({ product: one('Post'), count: integer(), name: title }), { max: 9 }),
    status: state('draft', 'published'),
    at: optional(timestamp()),
    author: one('User'),
    likedBy: manyToMany('User', 'liked'),
  },
  protect: {},
  filter: { author: is, tag: contains('tags') },
  actions: {
    read: { allow: anyone },
    create: { allow: may('create'), accept: ['title', 'tags'], set: { author: ({ actor }: never) => actor } },
    update: { allow: may('edit', own('author')), accept: ['title'] },
    publish: { allow: may('publish'), from: 'draft', to: 'published' },
  },
}
const roles = { MEMBER: { posts: ['create', 'edit_own'] }, ADMIN: 'everything' }
const accounts = { login: 'email', password: 'password', role: 'role', activeState: 'ON' }
export const versions = { v1: { deprecated: '2026-01-01', sunset: '2027-01-01' }, v2: 'current' }
export const sound = { resources: { User: user, Post: post }, accounts, roles, versions }

/** The parts that `changes` names are added to what is there; a part that becomes undefined is left out. */
export function changed<T extends object>(whole: T, changes: Said): T {
  const merged: Record<string, unknown> = Object.fromEntries(Object.entries(whole))
  for (const [key, value] of Object.entries(changes)) {
    const part = merged[key]
    const isMerged = ['fields', 'protect', 'filter', 'actions', 'resources', 'accounts', 'roles'].includes(key)
    merged[key] = isMerged ? without({ ...(part as object), ...(value as object) }) : value
  }
  return without(merged) as T
}
const without = (whole: Said) => Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== undefined))
export const serviceWith = (changes: Said): Service<unknown> => changed(sound, changes) as never
export const postWith = (changes: Said) => serviceWith({ resources: { Post: changed(post, changes) } })
export const userWith = (changes: Said) => serviceWith({ resources: { User: changed(user, changes) } })
export const field = (name: string, spec: unknown) => postWith({ fields: { [name]: spec } })
export const action = (name: string, changes: unknown) => postWith({ actions: { [name]: changes } })
export const rule = (allow: unknown) => action('publish', { ...post.actions.publish, allow })
export const move = (changes: Said) => action('publish', { ...post.actions.publish, ...changes })
export const create = (changes: Said, more: Said = {}) =>
  postWith({ ...more, actions: { create: { ...post.actions.create, ...changes }, ...(more['actions'] as object) } })
/** Another resource, that anybody may read. */
export const note = (fields: Said, more: Said = {}): Service<unknown> =>
  serviceWith({
    resources: { Note: { name: 'Note', prefix: 'note', fields, actions: { read: { allow: anyone } }, ...more } },
  })

/** A note that requires a post, as every post requires its author, and who may read each. */
export const noteReads = (posts: unknown, notes: unknown, users: unknown = anyone) =>
  serviceWith({
    resources: {
      User: changed(user, { actions: { read: { allow: users } } }),
      Post: changed(post, { actions: { read: { allow: posts } } }),
      Note: {
        name: 'Note',
        prefix: 'note',
        fields: { post: one('Post'), other: optional(one('Post')), author: one('User'), rank: integer() },
        actions: { read: { allow: notes } },
      },
    },
  })

/** A test that each of these services is refused, with these sentences and no other. */
export function refuses(
  what: string,
  rows: readonly (readonly [service: Service<unknown>, ...sentences: string[]])[],
  clause: Clause = '5.4.6',
): void {
  test(`${clause} a service is refused for ${what}`, () => {
    for (const [service, ...sentences] of rows) assert.deepEqual(contradictions(service), sentences)
  })
}

/** A test that these sentences are reported together with what another resource contradicts. */
export function reportsTogether(what: string, rows: Parameters<typeof refuses>[1]): void {
  const actions = { read: { allow: anyone }, create: { allow: anyone, accept: ['titel'] } }
  const Odd = { name: 'Odd', prefix: 'odd', plural: 'odds', fields: { title }, actions }
  const odd = 'Odd.create: it accepts titel, which is no field of Odd; write title instead.'
  test(`5.4.6 ${what} are reported next to contradictions of other resources`, () => {
    for (const [service, ...sentences] of rows) {
      const reported = contradictions(changed(service, { resources: { Odd } }))
      for (const each of [...sentences, odd]) assert.ok(reported.includes(each), `${each} is not in ${reported.join()}`)
    }
  })
}

/** A test that these sentences, which a compiled model reports, come together with a contradiction of any resource. */
export function reportsNextToAll(what: string, rows: Parameters<typeof refuses>[1]): void {
  const wander = { allow: nobody, accept: ['titel'] }
  test(`5.4.6 ${what} are reported next to contradictions of the same and other resources`, () => {
    for (const [service, ...sentences] of rows)
      for (const [name, definition] of Object.entries(definitionOf(service).resources)) {
        const odd = changed(definition, { actions: { wander } })
        const reported = contradictions(changed(service, { resources: { [name]: odd } }))
        assert.ok(
          reported.some((each) => each.startsWith(`${name}.wander: it accepts titel, `)),
          reported.join(),
        )
        for (const each of sentences) assert.ok(reported.includes(each), `${each} is not in ${reported.join()}`)
      }
  })
}
