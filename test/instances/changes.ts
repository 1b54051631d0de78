// Versions of a service, each with one change of another kind.

import { anyone, choice, counter, integer, is, many, one, optional, resource, service, text } from 'duet-api'
import { accounts, User } from '../support/domain/account.ts'

export interface Version {
  readonly fields?: object
  readonly more?: object
  readonly others?: object
}
export function definitionOf({ fields, more, others }: Version) {
  const actions = { read: { allow: anyone }, create: { allow: anyone, accept: ['title', 'level'] } }
  const all = { title: text({ max: 50 }), level: integer(), ...fields }
  const Task = resource('Task', {
    prefix: 'task',
    fields: { ...all, parts: many('Part', 'task') },
    actions,
    ...more,
  } as never)
  return service({ resources: { User, Task, Part, ...others }, roles: { ANY: 'everything' }, accounts } as never)
}

const Part = resource('Part', {
  prefix: 'part',
  fields: { task: optional(one('Task')) },
  actions: { read: { allow: anyone } },
})
const Tag = resource('Tag', { prefix: 'tag', fields: { name: text({ max: 9 }) }, actions: { read: { allow: anyone } } })
const note = optional(text({ max: 50 }))
const kind = (...more: string[]) => choice(['chore', 'wish', ...more] as never, { default: 'chore' as never })
const remark = optional(text({ max: 50, column: 'note' }))
const size = optional(integer({ default: 1 }))
const last = { size, rank: integer({ default: 3 }), kind: kind('plan'), owner: optional(one('User')), remark }
const { remark: _, ...withoutRemark } = last
const longer = { ...withoutRemark, rank: optional(integer({ default: 3 })) }

const required = { ...longer, size: integer({ default: 1 }) }
const texts = { ...required, level: text({ max: 9, column: 'level_text', was: { column: 'level' } }) }
const { size: __, ...others } = texts
const renamed = { ...others, extent: integer({ default: 1, was: 'size' }) }

const fewer = { ...renamed, kind: kind() }
const counted = { counts: { parts: 'parts' } }
const label = ({ title, partsCount }: { title: string; partsCount: number }) => `${title} ${partsCount}`
const labelled = {
  computed: { label: { as: optional(text({ max: 80 })), from: ['title', 'partsCount'], stored: true, make: label } },
}

/** Each is what the one before was, with one change. */
export const versions: readonly (readonly [change: string, version: Version])[] = [
  ['', { fields: { size, note } }],
  ['a field with a default', { fields: { size, note, rank: integer({ default: 3 }) } }],
  ['a choice', { fields: { size, note, rank: last.rank, kind: kind() } }],
  ['a value of a choice more', { fields: { size, note, rank: last.rank, kind: last.kind } }],
  ['a relation', { fields: { size, note, rank: last.rank, kind: last.kind, owner: last.owner } }],
  ['another name', { fields: last }],
  ['a resource more', { fields: last, others: { Tag } }],
  ['a sort', { fields: last, others: { Tag }, more: { sort: ['level'] } }],
  ['a filter', { fields: last, others: { Tag }, more: { sort: ['level'], filter: { kind: is } } }],
  [
    'unique values',
    { fields: last, others: { Tag }, more: { sort: ['level'], filter: { kind: is }, unique: [['title']] } },
  ],
  ['a sort less', { fields: last, others: { Tag }, more: { filter: { kind: is }, unique: [['title']] } }],
  ['unique values less', { fields: last, others: { Tag }, more: { filter: { kind: is } } }],
  ['a filter less', { fields: last, others: { Tag } }],
  ['a field less', { fields: withoutRemark, others: { Tag } }],
  ['a resource less', { fields: withoutRemark }],
  ['a field that becomes optional', { fields: longer }],
  ['a field that becomes required', { fields: required }],
  ['another kind', { fields: texts }],
  ['another name of the column', { fields: renamed }],
  ['a search', { fields: renamed, more: { search: ['title'] } }],
  ['a search of another field', { fields: renamed, more: { search: ['level'] } }],
  ['a search less', { fields: renamed }],
  ['a kept number', { fields: renamed, more: counted }],
  ['a stored value', { fields: renamed, more: { ...counted, ...labelled } }],
  ['a stored value and a kept number less', { fields: renamed }],
  ['unique values without case', { fields: renamed, more: { unique: [{ fields: ['title'], caseless: true }] } }],
  ['a value of a choice less', { fields: fewer }],
  ['a counter', { fields: { ...fewer, number: counter() } }],
]
