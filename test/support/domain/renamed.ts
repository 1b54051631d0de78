// A service before and after its fields are renamed, with every place of the two faces where the name of a field stands.

import {
  actor,
  anyone,
  choice,
  decimal,
  email,
  event,
  integer,
  is,
  list,
  many,
  object,
  one,
  optional,
  password,
  resource,
  service,
  signedIn,
  state,
  text,
} from 'duet-api'

/** What fields are called in the older version, and now. */
const names = {
  Ticket: {
    subject: 'title',
    phase: 'status',
    genre: 'kind',
    price: 'amount',
    picture: 'cover',
    helper: 'assignee',
    buyer: 'customer',
    serial: 'number',
  },
  Customer: { foreignId: 'externalId', zone: 'region', label: 'name' },
  Line: { remark: 'note', quantity: 'count' },
  Remark: { about: 'ticket', words: 'text' },
} as const
type Holder = keyof typeof names

function make(isRenamed: boolean, isRemembered = isRenamed) {
  const n = (holder: Holder, old: string): string =>
    isRenamed ? ((names[holder] as Readonly<Record<string, string>>)[old] as string) : old
  const called = (holder: Holder, fields: object): object =>
    Object.fromEntries(Object.entries(fields).map(([name, each]) => [n(holder, name) ?? name, each]))
  const formerly = (holder: Holder) =>
    isRemembered
      ? { formerly: { v1: Object.fromEntries(Object.entries(names[holder]).map(([old, name]) => [name, old])) } }
      : {}
  const t = (old: string) => n('Ticket', old)
  const c = (old: string) => n('Customer', old)
  const User = resource('User', {
    prefix: 'usr',
    fields: {
      email: email({ unique: true }),
      password: password({ min: 8, max: 200 }),
      role: choice(['VIEWER', 'EDITOR', 'ADMIN'], { default: 'VIEWER' }),
      status: state('ACTIVE'),
    },
    actions: { read: { allow: anyone } },
  })
  const Customer = resource('Customer', {
    prefix: 'cus',
    fields: called('Customer', {
      foreignId: text({ max: 60 }),
      zone: choice(['eu', 'us'], { default: 'eu' }),
      code: text({ max: 60 }),
      label: text({ max: 50 }),
    }),
    keys: [[c('foreignId')], [c('zone'), 'code']],
    ...formerly('Customer'),
    actions: {
      read: { allow: anyone },
      create: { allow: signedIn, accept: [c('foreignId'), c('zone'), 'code', c('label')] },
      update: { allow: signedIn, accept: ['code', c('label')] },
    },
  } as never)
  const Ticket = resource('Ticket', {
    prefix: 'tic',
    fields: {
      ...called('Ticket', {
        subject: text({ max: 100 }),
        phase: state('open', 'closed'),
        genre: choice(['bug', 'wish'], { default: 'bug' }),
        price: optional(decimal({ precision: 8, scale: 2 })),
        picture: optional(object({ alt: text({ max: 20 }), tags: list(text({ max: 9 }), { max: 3 }) })),
        helper: optional(one('User')),
        buyer: one('Customer'),
        serial: integer({ min: 1, max: 9_999 }),
      }),
      author: one('User', { default: actor }),
      lines: many('Line', 'ticket'),
      remarks: many('Remark', n('Remark', 'about')),
    },
    keys: [[t('serial')]],
    filter: { [t('phase')]: is, [t('helper')]: is },
    sort: [t('subject'), `${t('buyer')}.${c('label')}`],
    where: [t('subject'), t('genre'), t('helper'), `${t('buyer')}.${c('label')}`, `lines.${n('Line', 'remark')}`],
    summary: {
      by: [t('genre'), t('helper'), `${t('buyer')}.${c('label')}`],
      of: [t('price')],
      distinct: [t('subject')],
    },
    ...formerly('Ticket'),
    actions: {
      read: { allow: anyone },
      create: {
        allow: signedIn,
        accept: [...['subject', 'genre', 'price', 'picture', 'helper', 'buyer', 'serial'].map(t), 'lines'],
      },
      update: {
        allow: signedIn,
        accept: [...['subject', 'genre', 'price', 'picture', 'helper', 'buyer'].map(t), 'lines'],
        emit: event('ticketChanged', { changed: [t('helper'), t('genre')] }),
      },
      close: { allow: signedIn, from: 'open', to: 'closed', accept: [t('price')] },
      delete: { allow: signedIn, emit: event('ticketDeleted') },
    },
  } as never)
  const Line = resource('Line', {
    prefix: 'lin',
    fields: {
      ticket: one('Ticket', { cascade: 'regardless' } as never),
      ...called('Line', { remark: text({ max: 50 }), quantity: integer({ min: 1, max: 9 }) }),
    },
    ...formerly('Line'),
    actions: {
      read: { allow: anyone },
      create: { allow: signedIn, accept: ['ticket', n('Line', 'remark'), n('Line', 'quantity')] },
      update: { allow: signedIn, accept: [n('Line', 'remark'), n('Line', 'quantity')] },
      delete: { allow: signedIn },
    },
  } as never)
  const Remark = resource('Remark', {
    prefix: 'rem',
    fields: called('Remark', { about: one('Ticket', { cascade: 'regardless' }), words: text({ max: 50 }) }),
    ...formerly('Remark'),
    actions: {
      read: { allow: anyone },
      create: {
        allow: signedIn,
        accept: [n('Remark', 'about'), n('Remark', 'words')],
        emit: event('remarkAdded', { by: n('Remark', 'about') }),
      },
    },
  } as never)
  return service({
    resources: { User, Customer, Ticket, Line, Remark },
    versions: {
      ...(isRemembered ? { v1: { deprecated: '2026-11-20', sunset: '2027-11-20' } } : {}),
      [isRenamed ? 'v2' : 'v1']: 'current',
    },
    accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
    roles: { VIEWER: {}, EDITOR: {}, ADMIN: 'everything' },
  } as never)
}

export const beforeRenaming = make(false)
export const afterRenaming = make(true)
/** Once the older names have gone. */
export const renamedOnly = make(true, false)
