// A gallery: one service with what the reference service and the examples lack, for the clauses about it.

import {
  actor,
  anyOf,
  anyone,
  bigint,
  choice,
  currency,
  date,
  decimal,
  email,
  event,
  float,
  hasToken,
  is,
  many,
  manyToMany,
  nobody,
  one,
  optional,
  own,
  password,
  resource,
  secret,
  service,
  signedIn,
  state,
  text,
  timestamp,
  token,
  uuid,
} from 'duet-api'

export const User = resource('User', {
  prefix: 'usr',
  fields: {
    email: email({ unique: true }),
    password: password({ min: 8, max: 200 }),
    role: choice(['ANY'], { default: 'ANY' }),
    status: state('ACTIVE'),
  },
  actions: { read: { allow: anyone }, create: { allow: nobody } },
})

/** A work of art, which only its owner sees. */
const Work = resource('Work', {
  prefix: 'wrk',
  fields: {
    title: text({ max: 100 }),
    shelf: text({ max: 40 }),
    code: text({ max: 40 }),
    inventory: optional(uuid()),
    weight: optional(float()),
    value: optional(bigint()),
    price: optional(decimal({ precision: 12, scale: 2 })),
    currency: currency(),
    size: choice(['SMALL', 'LARGE', 'HUGE'], { ordered: true, default: 'SMALL' }),
    note: optional(text({ max: 40 })),
    alarm: optional(secret({ max: 200 })),
    openedAt: optional(timestamp()),
    origin: choice(['bought', 'on-loan'], { default: 'bought' }),
    status: state('stored', 'shown', 'lost'),
    owner: one('User', { default: actor }),
    views: many('View', 'work'),
    labels: manyToMany('Label', 'works'),
  },
  keys: [['code']],
  counts: { views: 'views' },
  filter: { shelf: is, size: is },
  search: ['title'],
  anywhere: ['code'],
  where: ['title', 'labels.name', 'size', 'value', 'openedAt', 'createdAt'],
  sort: ['title', 'value', 'size', 'weight', 'viewsCount', 'openedAt', 'owner.email'],
  summary: { by: ['shelf', 'size', 'labels.name', 'createdAt'], of: ['price', 'value'] },
  actions: {
    read: { allow: own('owner') },
    create: {
      allow: signedIn,
      accept: [
        'title',
        'shelf',
        'code',
        'inventory',
        'weight',
        'value',
        'price',
        'currency',
        'size',
        'note',
        'alarm',
        'openedAt',
        'origin',
      ],
      emit: event('workAdded'),
    },
    update: {
      allow: own('owner'),
      accept: ['title', 'shelf', 'weight', 'value', 'price', 'size', 'note', 'alarm', 'openedAt', 'labels'],
      emit: event('workResized', { changed: ['size'] }),
    },
    show: {
      allow: own('owner'),
      from: 'stored',
      to: 'shown',
      check: ({ record }) => record.note !== 'fragile' || 'It is too fragile.',
    },
    lose: { allow: own('owner'), from: 'stored', to: 'lost' },
    delete: { allow: own('owner'), emit: event('workDeleted') },
  },
})

const View = resource('View', {
  prefix: 'viw',
  fields: { work: one('Work', { onDelete: 'cascade' }), remark: text({ max: 40 }) },
  filter: { work: is },
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['work', 'remark'] },
    delete: { allow: signedIn },
  },
})

const Label = resource('Label', {
  prefix: 'lab',
  fields: { name: text({ max: 60 }), works: manyToMany('Work', 'labels') },
  unique: [{ fields: ['name'], caseless: true }],
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['name'] },
    delete: { allow: signedIn },
  },
})

/** A place for one thing on a shelf, or for as many as lie beside it. */
const Place = resource('Place', {
  prefix: 'plc',
  fields: { shelf: text({ max: 40 }), spot: optional(text({ max: 40 })), owner: one('User', { default: actor }) },
  unique: [['shelf', 'spot']],
  actions: {
    read: { allow: own('owner') },
    create: { allow: signedIn, accept: ['shelf', 'spot'] },
    delete: { allow: own('owner') },
  },
})

/** A guide leads one tour at a time. */
const Tour = resource('Tour', {
  prefix: 'tur',
  fields: {
    guide: text({ max: 60 }),
    startsOn: date(),
    endsOn: optional(date()),
    owner: one('User', { default: actor }),
  },
  exclude: [{ fields: ['guide'], overlap: ['startsOn', 'endsOn'] }],
  actions: {
    read: { allow: own('owner') },
    create: { allow: signedIn, accept: ['guide', 'startsOn', 'endsOn'] },
    update: { allow: own('owner'), accept: ['startsOn', 'endsOn'] },
    delete: { allow: own('owner') },
  },
})

/** Rooms, with rooms in them. */
const Room = resource('Room', {
  prefix: 'room',
  fields: {
    name: text({ max: 60 }),
    within: optional(one('Room', { tree: true })),
    owner: one('User', { default: actor }),
  },
  where: ['within'],
  actions: {
    read: { allow: own('owner') },
    create: { allow: signedIn, accept: ['name', 'within'] },
    update: { allow: own('owner'), accept: ['name', 'within'] },
    delete: { allow: own('owner') },
  },
})

/** A visit for which a code is enough, until the host ends it. */
const Visit = resource('Visit', {
  prefix: 'vis',
  fields: {
    name: text({ max: 60 }),
    code: token({ prefix: 'visit', until: 'endsAt' }),
    endsAt: optional(timestamp()),
    host: one('User', { default: actor }),
    status: state('planned', 'begun'),
  },
  actions: {
    read: { allow: anyOf(own('host'), hasToken('code')) },
    create: { allow: signedIn, accept: ['name', 'endsAt'] },
    update: { allow: own('host'), accept: ['name', 'endsAt'] },
    begin: { allow: anyOf(own('host'), hasToken('code')), from: 'planned', to: 'begun' },
    delete: { allow: own('host') },
  },
})

export const gallery = service({
  resources: { User, Work, View, Label, Place, Tour, Room, Visit },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  roles: { ANY: {} },
})
