// A warehouse: crates of somebody's, pieces in them, and jobs whose code is what a test says, in the transaction of an action.

import {
  actor,
  anyOf,
  bigint,
  boolean,
  choice,
  decimal,
  event,
  float,
  integer,
  is,
  many,
  may,
  nobody,
  one,
  optional,
  own,
  type Records,
  resource,
  service,
  signedIn,
  state,
  text,
  through,
  when,
} from 'duet-api'
import { accountFields, accounts } from './account.ts'

export const User = resource('User', {
  prefix: 'usr',
  fields: {
    ...accountFields,
    name: optional(text({ max: 40 })),
    role: choice(['CLERK', 'CHIEF'], { default: 'CLERK' }),
    keyRing: optional(text({ max: 40 })),
  },
  protect: { keyRing: { read: nobody } },
  actions: { read: { allow: signedIn }, create: { allow: nobody } },
})

export const Crate = resource('Crate', {
  prefix: 'crate',
  fields: {
    owner: one('User', { cascade: 'regardless', default: actor }),
    label: text({ max: 40 }),
    isOpen: boolean({ default: false }),
    room: integer({ min: 0, max: 100, default: 10 }),
    status: state('filling', 'sealed'),
    pieces: many('Piece', 'crate'),
  },
  filter: { isOpen: is, owner: is },
  sort: ['label'],
  actions: {
    read: { allow: anyOf(own('owner'), when({ isOpen: true }), may('read_any')) },
    create: { allow: signedIn, accept: ['label', 'isOpen', 'room'] },
    delete: {
      allow: own('owner'),
      effect: async ({ record }) => (record.status === 'sealed' ? 'A sealed crate stays.' : undefined),
    },
    seal: {
      allow: own('owner'),
      from: 'filling',
      to: 'sealed',
      check: ({ record }) => record.room > 0 || 'It has no room.',
      emit: event('crateSealed'),
    },
  },
})

export const Piece = resource('Piece', {
  prefix: 'piece',
  fields: {
    crate: one('Crate', { cascade: 'regardless' }),
    name: text({ max: 40 }),
    weight: integer({ min: 0, max: 2_000_000_000, default: 0 }),
    serial: optional(bigint()),
    price: optional(decimal({ precision: 18, scale: 2 })),
    ratio: optional(float()),
  },
  protect: { price: { read: through('crate', own('owner')) } },
  filter: { crate: is, name: is },
  where: ['weight', 'crate.label', 'price'],
  sort: ['name'],
  actions: {
    read: { allow: through('crate', anyOf(own('owner'), when({ isOpen: true }), may('read_any'))) },
    create: { allow: through('crate', own('owner')), accept: ['crate', 'name', 'weight', 'serial', 'price', 'ratio'] },
    delete: { allow: nobody },
  },
})

/** What a job's code may use. */
export interface JobMoment {
  readonly id: string
  readonly actor: { readonly id: string } | null
  readonly records: Records
  readonly crate: string | null
  note(text: string): void
}
/** What the code of jobs does, by name. */
export const jobs = new Map<string, (moment: JobMoment) => Promise<unknown>>()

export const Job = resource('Job', {
  prefix: 'job',
  fields: { what: text({ max: 40 }), crate: optional(one('Crate')), note: optional(text({ max: 400 })) },
  actions: {
    read: { allow: signedIn },
    create: {
      allow: signedIn,
      accept: ['what', 'crate'],
      effect: async ({ id, actor, input, records, assign }) => {
        const work = jobs.get(input.what)
        if (work === undefined) throw new Error(`No test says what ${input.what} does.`)
        const answer = await work({ id, actor, records, crate: input.crate, note: (note) => assign({ note }) })
        return typeof answer === 'string' ? answer : undefined
      },
    },
  },
})

export const warehouse = service({
  resources: { User, Crate, Piece, Job },
  accounts,
  roles: { CLERK: {}, CHIEF: { crates: ['read_any'] } },
})

/** Ann's crates, one of them open to all, and Ben's. */
export const stock = {
  ann: { User: {} },
  ben: { User: {} },
  chief: { User: { role: 'CHIEF' } },
  hers: { Crate: { owner: '{ann}', label: 'hers', isOpen: false, status: 'filling' } },
  shown: { Crate: { owner: '{ann}', label: 'shown', isOpen: true, status: 'filling' } },
  his: { Crate: { owner: '{ben}', label: 'his', isOpen: false, status: 'filling' } },
  bolt: { Piece: { crate: '{hers}', name: 'bolt', weight: 7, price: '10.10', serial: '9007199254740993', ratio: 0.5 } },
  nut: { Piece: { crate: '{shown}', name: 'nut', weight: 5, price: '0.20', serial: '2', ratio: 0.25 } },
  screw: { Piece: { crate: '{his}', name: 'screw', weight: 3, price: '100.00', serial: '-5', ratio: 1 } },
} as const
