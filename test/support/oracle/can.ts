// What somebody may do with a record of the reference service now, with the rules of the contract written out by hand.

import type { Actor } from '../../../src/resource/actor.ts'
import type { Row } from './world.ts'

type Ability = (row: Row, actor: Actor) => boolean

const isAdmin: Ability = (_, { role }) => role === 'ADMIN'
const isEditor: Ability = (_, { role }) => role === 'EDITOR' || role === 'ADMIN'
const belongs =
  (field: string): Ability =>
  (row, { id }) =>
    row[field] === id
const either =
  (...of: readonly Ability[]): Ability =>
  (...args) =>
    of.some((each) => each(...args))
const both =
  (...of: readonly Ability[]): Ability =>
  (...args) =>
    of.every((each) => each(...args))
const is =
  (...states: readonly string[]): Ability =>
  (row) =>
    states.includes(row['status'] as string)
const isPublished: Ability = (row) => row['publishedAt'] !== null
const anybody: Ability = () => true

const authored: Ability = either(isAdmin, both(isEditor, belongs('author')))
const abilities: Readonly<Record<string, Readonly<Record<string, Ability>>>> = {
  User: {
    update: either(isAdmin, belongs('id')),
    delete: isAdmin,
    suspend: both(isAdmin, is('ACTIVE')),
    reactivate: both(isAdmin, is('SUSPENDED')),
    deactivate: both(either(isAdmin, belongs('id')), is('ACTIVE', 'SUSPENDED')),
    follow: anybody,
    unfollow: anybody,
  },
  Post: {
    update: authored,
    delete: authored,
    publish: both(isEditor, (row, actor) => !isPublished(row, actor)),
    unpublish: both(isEditor, isPublished),
  },
  Comment: { update: either(isAdmin, belongs('author')), delete: either(isAdmin, belongs('author')) },
  Article: {
    update: authored,
    delete: authored,
    submit: both(isEditor, is('draft')),
    reject: both(isEditor, is('in_review')),
    publish: both(isEditor, is('in_review')),
    archive: both(isAdmin, is('published')),
  },
  Product: { update: isAdmin, delete: isAdmin },
  Order: {
    pay: both(either(isAdmin, belongs('user')), is('pending')),
    cancel: both(either(isAdmin, belongs('user')), is('pending', 'paid')),
  },
  ApiKey: { delete: belongs('user') },
  Session: { delete: belongs('user') },
  // Its callers have just signed in.
  SignInMethod: { delete: belongs('user') },
  Webhook: {
    update: belongs('user'),
    delete: belongs('user'),
    rotate: belongs('user'),
    resume: both(belongs('user'), is('paused')),
    pause: both(belongs('user'), is('active')),
    ping: both(belongs('user'), is('active')),
  },
  // Only the owner of the webhook reads it.
  WebhookDelivery: { replay: anybody },
}

/** By action; `path` is what scopes call the resource. */
export function whatCan(row: Row, path: string, actor: Actor | null): Readonly<Record<string, boolean>> {
  const reaches = (verb: string) =>
    actor!.scopes === null ||
    (!['ApiKey', 'Session', 'SignInMethod', 'Webhook', 'WebhookDelivery'].includes(row.of) &&
      [`${verb}:${path}`, `${verb}:*`, '*'].some((each) => actor!.scopes!.has(each)))
  return Object.fromEntries(
    Object.entries(abilities[row.of]!).map(([verb, ability]) => [
      verb,
      actor !== null && reaches(verb) && ability(row, actor),
    ]),
  )
}
