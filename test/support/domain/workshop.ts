// A workshop: tasks of people in teams. Some people, teams and tasks are hidden from others, and some values of those that are
// not: so that orders and sums can be compared with what each reader may see.

import {
  anyOf,
  anyone,
  atLeast,
  bigint,
  boolean,
  choice,
  date,
  decimal,
  email,
  integer,
  is,
  many,
  manyToMany,
  may,
  one,
  optional,
  own,
  password,
  readable,
  resource,
  self,
  service,
  state,
  text,
  timestamp,
  when,
} from 'duet-api'

const Team = resource('Team', {
  prefix: 'team',
  fields: {
    name: text({ min: 0, max: 50 }),
    isOpen: boolean({ default: true }),
    budget: optional(decimal({ precision: 18, scale: 4 })),
  },
  protect: { budget: { read: may('manage') } },
  actions: { read: { allow: anyOf(may('read_any'), when({ isOpen: true })) } },
})

const User = resource('User', {
  prefix: 'usr',
  fields: {
    email: email({ unique: true }),
    emailVerified: boolean({ default: false }),
    name: text({ min: 0, max: 100 }),
    password: password({ min: 8, max: 200 }),
    role: choice(['VIEWER', 'EDITOR', 'ADMIN'], { default: 'VIEWER' }),
    status: state('ACTIVE'),
    isShown: boolean({ default: true }),
    rating: optional(integer()),
    team: optional(one('Team')),
    tasks: many('Task', 'owner'),
  },
  protect: { rating: { read: anyOf(self, may('manage')) } },
  sort: ['name', 'team.name'],
  actions: { read: { allow: anyOf(self, may('read_any'), when({ isShown: true })) } },
})

const Label = resource('Label', {
  prefix: 'lbl',
  fields: {
    name: text({ max: 50 }),
    isOpen: boolean({ default: true }),
    madeAt: optional(timestamp()),
    tasks: manyToMany('Task', 'labels'),
  },
  actions: {
    read: { allow: anyOf(may('read_any'), when({ isOpen: true })) },
    create: { allow: may('create'), accept: ['name', 'isOpen', 'madeAt', 'tasks'] },
  },
})

export const priorities = ['LOW', 'NORMAL', 'HIGH', 'URGENT'] as const
const Task = resource('Task', {
  prefix: 'task',
  fields: {
    title: text({ max: 100 }),
    round: text({ max: 40 }),
    owner: one('User', { cascade: 'regardless' }),
    reviewer: optional(one('User')),
    priority: choice(priorities, { ordered: true, default: 'NORMAL' }),
    status: state('open', 'done'),
    isOpen: boolean({ default: true }),
    dueAt: optional(timestamp()),
    dueOn: optional(date()),
    hours: optional(integer()),
    units: optional(bigint()),
    cost: optional(decimal({ precision: 12, scale: 2 })),
    note: optional(text({ min: 0, max: 50 })),
    marks: many('Tagging', 'task'),
    labels: manyToMany('Label', 'tasks'),
  },
  filter: { round: is, status: is, owner: is, minHours: atLeast('hours') },
  protect: { cost: { read: anyOf(own('owner'), may('manage')) }, note: { read: own('owner') } },
  where: ['hours', 'cost', 'reviewer.name', 'owner'],
  sort: [
    'updatedAt',
    'priority',
    'dueAt',
    'cost',
    'reviewer',
    'reviewer.name',
    'reviewer.rating',
    'reviewer.team.name',
    'reviewer.team.budget',
    'owner.name',
    'owner.createdAt',
  ],
  summary: {
    by: [
      'status',
      'priority',
      'isOpen',
      'hours',
      'cost',
      'note',
      'owner',
      'reviewer',
      'reviewer.name',
      'reviewer.team.name',
      'dueAt',
      'dueOn',
      'createdAt',
      'labels.name',
      'labels.isOpen',
      'labels.madeAt',
      'marks.label',
      'marks.label.name',
    ],
    of: ['hours', 'units', 'cost', 'reviewer.rating', 'reviewer.team.budget'],
    distinct: ['reviewer', 'priority', 'cost'],
  },
  actions: {
    read: { allow: anyOf(own('owner'), may('read_any'), when({ isOpen: true })) },
    create: { allow: may('create'), accept: ['title', 'round', 'owner', 'cost'] },
    update: { allow: anyOf(own('owner'), may('edit')), accept: ['title'] },
    finish: { allow: anyone, from: 'open', to: 'done' },
  },
})

const Tagging = resource('Tagging', {
  prefix: 'tag',
  fields: { task: one('Task', { cascade: 'regardless' }), label: one('Label') },
  actions: { read: { allow: readable('task') } },
})

/** What everybody reads, but for who wrote it. */
const Notice = resource('Notice', {
  prefix: 'ntc',
  fields: { title: text({ max: 50 }), author: one('User', { cascade: 'regardless' }) },
  sort: ['title', 'author.name'],
  summary: { by: ['title', 'author.name'] },
  actions: { read: { allow: anyone, maxAgeSeconds: 60 } },
})

export const workshop = service({
  resources: { User, Team, Label, Task, Tagging, Notice },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  versions: { v1: { deprecated: '2026-11-20', sunset: '2027-11-20' }, v2: 'current' },
  roles: {
    VIEWER: {},
    EDITOR: { tasks: ['read_any', 'manage'], users: ['read_any'] },
    ADMIN: 'everything',
  },
})
