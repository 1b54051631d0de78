// What the contract check reports of definitions that change.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  anyOf,
  anyone,
  either,
  integer,
  one,
  optional,
  resource,
  type Service,
  service,
  signedIn,
  text,
  when,
} from 'duet-api'
import { compareContracts } from '../../src/compatibility/compare.ts'
import { accounts, User } from '../support/domain/account.ts'
import { contractOf } from '../support/oracle/contract-of.ts'

const define = resource as unknown as (name: string, definition: object) => object
const target = (name: string) =>
  define(name, {
    prefix: name.toLowerCase(),
    fields: { title: text({ max: 9 }) },
    actions: { read: { allow: anyone } },
  })
const withResources = (resources: object) =>
  (service as unknown as (definition: object) => Service<unknown>)({
    resources: { User, ...resources },
    accounts,
    roles: { ANY: {} },
  })

/** Each with its verdict; those of lists and events repeat those of the record. */
const changes = (before: Service<unknown>, after: Service<unknown>): readonly string[] =>
  compareContracts(contractOf(before), contractOf(after), { today: '2026-11-26', quietDays: 90, uses: new Map() }).map(
    ({ verdict, where, what }) => `${verdict} ${where}: ${what}`,
  )

const remarks = (...types: readonly string[]) => {
  const relations = Object.fromEntries(types.map((each) => [each.toLowerCase(), optional(one(each))]))
  const Remark = define('Remark', {
    prefix: 'rem',
    fields: { ...relations, target: either(Object.keys(relations) as never) },
    actions: { read: { allow: anyone }, create: { allow: signedIn, accept: ['target'] } },
  })
  return withResources({ ...Object.fromEntries(['Issue', 'Page', 'File'].map((each) => [each, target(each)])), Remark })
}

const notable = (all: readonly string[]) => all.filter((each) => !each.startsWith('additive'))

test('9.3.5 a further type of a reference is dangerous: clients do not know it', () => {
  assert.deepEqual(notable(changes(remarks('Issue', 'Page'), remarks('Issue', 'Page', 'File'))), [
    'dangerous v1 answers Remark.target.type: The value File was added.',
    'dangerous GraphQL File: File was added to union type RemarkTarget.',
  ])
})
test('9.3.5 a type that is removed breaks what selects it', () => {
  const breaking = changes(remarks('Issue', 'Page', 'File'), remarks('Issue', 'Page')).filter((each) =>
    each.startsWith('breaking'),
  )
  assert.ok(breaking.includes('breaking GraphQL File: File was removed from union type RemarkTarget.'))
  assert.ok(breaking.includes('breaking v1 takes CreateRemark.target.type: The value File was removed.'))
})

const bookings = (exclude: readonly object[]) =>
  withResources({
    Booking: define('Booking', {
      prefix: 'bkg',
      fields: { room: text({ max: 9 }), first: integer(), after: integer(), note: text({ max: 9 }) },
      exclude,
      actions: {
        read: { allow: anyone },
        create: { allow: signedIn, accept: ['room', 'first', 'after', 'note'] },
        update: { allow: signedIn, accept: ['first'] },
        delete: { allow: signedIn },
      },
    }),
  })
const exclusion = { fields: ['room'], overlap: ['first', 'after'] }
const sentence = 'Two with the same room must not overlap from first to after.'

test('9.3.6 records that must not overlap any more, or may, are dangerous for each write that is judged', () => {
  const where = [
    'v1 PATCH /api/v1/bookings',
    'v1 PATCH /api/v1/bookings/{id}',
    'v1 POST /api/v1/bookings',
    'v1 POST /api/v1/bookings/batch',
    'v1 PUT /api/v1/bookings/{id}',
    'GraphQL Mutation.createBooking',
    'GraphQL Mutation.createBookings',
    'GraphQL Mutation.updateBooking',
    'GraphQL Mutation.updateBookings',
  ]
  const all = (words: string) => where.map((each) => `dangerous ${each}: ${words}: ${sentence}`)
  assert.deepEqual(
    changes(bookings([]), bookings([exclusion])).toSorted(),
    all('It refuses what overlaps now').toSorted(),
  )
  assert.deepEqual(
    changes(bookings([exclusion]), bookings([])).toSorted(),
    all('It refuses no more what overlaps').toSorted(),
  )
  assert.deepEqual(changes(bookings([exclusion]), bookings([exclusion])), [])
  const some = { ...exclusion, where: anyOf(when({ note: 'a' }), when({ note: 'b', first: 1 })) }
  assert.deepEqual(
    changes(bookings([exclusion]), bookings([some])).filter((each) => each.includes('Mutation.updateBooking:')),
    [
      `dangerous GraphQL Mutation.updateBooking: It refuses what overlaps now: ${sentence.slice(0, -1)}, while note is a; or while note is b and first is 1.`,
      `dangerous GraphQL Mutation.updateBooking: It refuses no more what overlaps: ${sentence}`,
    ],
  )
})
