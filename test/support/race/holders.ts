// Holders whose numbers and lists writers race for, and what is in these.

import {
  argument,
  atMost,
  boolean,
  integer,
  is,
  many,
  manyToMany,
  not,
  one,
  optional,
  present,
  type resource,
  signedIn,
  some,
  state,
  text,
  through,
  when,
} from 'duet-api'

export const quota = 3

export type Defined = ReturnType<typeof resource>
// biome-ignore lint/suspicious/noExplicitAny: relations differ by depth, so that types cannot follow
export type Moment = any
/** Where a record is that is within no other record of the race. */
export interface Placing {
  readonly define: (name: string, definition: object) => Defined
  readonly place: object
  /** What a record that is in no other one says of its tenant. */
  readonly within: object
  readonly below: (holder: string) => object
}
const read = { allow: signedIn }
const remove = { allow: signedIn }

export function holders({ define, place, within, below }: Placing) {
  const placed = Object.keys(place)
  const Box = define('Box', {
    prefix: 'box',
    ...within,
    fields: {
      ...place,
      code: text({ max: 20, unique: true }),
      things: many('Thing', 'box'),
      parts: many('Part', 'box'),
      crates: many('Crate', 'box'),
      traces: many('Trace', 'box'),
      labels: manyToMany('Label', 'holders'),
    },
    keys: [['code']],
    counts: {
      things: 'things',
      open: { of: 'things', where: when({ status: 'open' }) },
      parts: 'parts',
      traces: 'traces',
      labels: { of: 'labels', shown: 'to all' },
    },
    sums: { points: 'things.points' },
    computed: {
      state: {
        as: text({ max: 100 }),
        from: ['code', 'thingsCount', 'openCount', 'points', 'labelsCount'],
        stored: true,
        make: ({ code, ...numbers }: Moment) => `${code}: ${Object.values(numbers).join()}`,
      },
    },
    sort: ['state'],
    actions: {
      read,
      create: { allow: signedIn, accept: [...placed, 'code', 'things', 'parts', 'crates', 'labels'] },
      update: { allow: signedIn, accept: ['code', 'things', 'parts', 'crates', 'labels'] },
      delete: remove,
    },
  })
  const Shelf = define('Shelf', {
    prefix: 'shf',
    plural: 'shelves',
    ...within,
    fields: { ...place, things: many('Thing', 'shelf') },
    counts: { things: 'things' },
    actions: {
      read,
      delete: remove,
      tidy: {
        allow: signedIn,
        effect: async ({ record, records }: Moment) => {
          await records.create(Label, Object.fromEntries(placed.map((field) => [field, record[field]])))
        },
      },
    },
  })
  const Label = define('Label', {
    prefix: 'lab',
    ...within,
    fields: { ...place, holders: manyToMany('Box', 'labels') },
    counts: { holders: { of: 'holders', shown: 'to all' } },
    actions: { read, update: { allow: signedIn, accept: ['holders'] }, delete: remove },
  })
  const Thing = define('Thing', {
    prefix: 'thi',
    ...below('box'),
    fields: {
      box: one('Box', { cascade: 'regardless' }),
      shelf: optional(one('Shelf')),
      points: integer({ default: 1 }),
      note: text({ max: 20, default: '-' }),
      status: state('open', 'done'),
    },
    computed: {
      mark: {
        as: text({ max: 60 }),
        from: ['points', 'note', 'status'],
        stored: true,
        make: ({ points, note, status }: Moment) => `${points} ${note} ${status}`,
      },
    },
    filter: { box: is },
    where: ['note', 'points', 'mark'],
    actions: {
      read,
      create: { allow: signedIn, accept: ['box', 'shelf', 'points', 'note'] },
      update: { allow: signedIn, accept: ['shelf', 'points', 'note'] },
      finish: { allow: signedIn, from: 'open', to: 'done' },
      reopen: { allow: signedIn, from: 'done', to: 'open' },
      delete: remove,
    },
  })
  const Part = define('Part', {
    prefix: 'prt',
    ...below('box'),
    fields: { box: one('Box', { cascade: 'regardless' }), size: integer({ default: 1 }) },
    actions: {
      read,
      create: {
        allow: signedIn,
        accept: ['box', 'size'],
        check: async ({ record, records }: Moment) => (await records.get(Box, record.box)) !== null || 'Missing.',
      },
      update: { allow: signedIn, accept: ['size'] },
      delete: remove,
    },
  })
  /** Children whose effects write what their parent counts. */
  const Crate = define('Crate', {
    prefix: 'crt',
    ...below('box'),
    fields: { box: one('Box', { cascade: 'regardless' }), shelf: optional(one('Shelf')) },
    actions: {
      read,
      create: {
        allow: signedIn,
        accept: ['box', 'shelf'],
        effect: async ({ record, records }: Moment) => {
          await records.create(Thing, { box: record.box, shelf: record.shelf, points: 2 })
        },
      },
      delete: {
        allow: signedIn,
        effect: async ({ record, records }: Moment) => {
          await records.create(Thing, { box: record.box, shelf: record.shelf, points: 3 })
        },
      },
    },
  })
  /** Only a hook creates these. */
  const Trace = define('Trace', {
    prefix: 'trc',
    ...below('box'),
    fields: { box: one('Box', { cascade: 'regardless' }) },
    actions: { read },
  })
  const Packer = define('Packer', {
    prefix: 'pck',
    ...below('desk'),
    fields: {
      desk: one('Desk', { cascade: 'regardless' }),
      box: argument(text({ max: 80 })),
      thing: argument(optional(text({ max: 80 }))),
    },
    actions: {
      read,
      create: {
        allow: signedIn,
        accept: ['desk', 'box', 'thing'],
        effect: async ({ input, records }: Moment) => {
          const { id } = await records.create(Thing, { box: input.box, points: 2 })
          if (input.thing !== undefined && input.thing !== null) await records.change(Thing, input.thing, { points: 3 })
          await records.change(Thing, id, { points: 5 })
          await records.remove(Thing, id)
        },
      },
    },
  })

  const Course = define('Course', {
    prefix: 'crs',
    ...within,
    fields: {
      ...place,
      seats: many('Seat', 'course'),
      turns: many('Turn', 'course'),
      places: many('Place', 'course'),
      bonds: many('Bond', 'course'),
      marks: manyToMany('Mark', 'courses'),
      status: state('open', 'started', 'closed', 'sealed', 'pinned'),
      last: optional(text({ max: 20 })),
    },
    counts: { seats: 'seats' },
    actions: {
      read,
      update: { allow: when({ status: 'open' }), accept: ['last', 'seats', 'turns', 'places', 'marks'] },
      create: { allow: signedIn, accept: [...placed, 'seats', 'turns', 'places'] },
      start: {
        allow: signedIn,
        from: 'open',
        to: 'started',
        check: ({ record }: Moment) => record.seatsCount === 0 || 'It has seats.',
      },
      close: { allow: not(some('places', when({ loose: true }))), from: 'open', to: 'closed' },
      seal: { allow: not(some('marks', when({ loose: true }))), from: 'open', to: 'sealed' },
      // Notes what it finds after the lock.
      pin: {
        allow: some('bonds', when({ clip: present })),
        from: 'open',
        to: 'pinned',
        effect: async ({ record, assign, records }: Moment) => {
          const bonds = await records.list(Bond, { filter: { course: record.id } })
          assign({ last: `${bonds.records.filter(({ clip }: Moment) => clip !== null).length} bonds` })
        },
      },
    },
  })
  /** By a rule about a kept number. */
  const Seat = define('Seat', {
    prefix: 'sea',
    ...below('course'),
    fields: { course: one('Course', { cascade: 'regardless' }), note: text({ max: 20, default: '-' }) },
    actions: {
      read,
      create: {
        allow: through('course', when({ seatsCount: atMost(quota - 1), status: 'open' })),
        accept: ['course', 'note'],
      },
      delete: remove,
    },
  })
  /** By a check that counts. */
  const Turn = define('Turn', {
    prefix: 'trn',
    ...below('course'),
    fields: { course: one('Course', { cascade: 'regardless' }), note: text({ max: 20, default: '-' }) },
    filter: { course: is },
    actions: {
      read,
      create: {
        allow: signedIn,
        accept: ['course', 'note'],
        check: async ({ record, input, records }: Moment) =>
          (await records.here.count({ filter: { course: record?.course ?? input.course } })) < quota || 'It is full.',
      },
      delete: remove,
    },
  })
  /** Asked by a rule about a list. */
  const Place = define('Place', {
    prefix: 'plc',
    ...below('course'),
    fields: {
      course: one('Course', { cascade: 'regardless' }),
      loose: boolean({ default: false }),
      bound: boolean({ default: false }),
    },
    actions: {
      read,
      create: { allow: through('course', when({ status: 'open' })), accept: ['course', 'loose'] },
      update: { allow: through('course', when({ status: 'open' })), accept: ['loose'] },
      delete: remove,
    },
  })
  const Mark = define('Mark', {
    prefix: 'mrk',
    ...within,
    fields: { ...place, loose: boolean({ default: false }), courses: manyToMany('Course', 'marks') },
    actions: {
      read,
      update: { allow: signedIn, accept: ['loose', 'courses'] },
      loosen: { allow: not(some('courses', when({ status: 'sealed' }))), set: { loose: true } },
    },
  })
  /** Deleted with its peg, and cleared with its clip. */
  const Bond = define('Bond', {
    prefix: 'bnd',
    ...below('course'),
    fields: {
      course: one('Course', { cascade: 'regardless' }),
      peg: one('Peg', { cascade: 'regardless' }),
      clip: optional(one('Clip')),
    },
    filter: { course: is },
    actions: { read },
  })
  const Peg = define('Peg', { prefix: 'peg', ...within, fields: { ...place }, actions: { read, delete: remove } })
  const Clip = define('Clip', { prefix: 'clp', ...within, fields: { ...place }, actions: { read, delete: remove } })
  /** Takes places in its effect. */
  const Taker = define('Taker', {
    prefix: 'tak',
    ...below('desk'),
    fields: { desk: one('Desk', { cascade: 'regardless' }), place: argument(text({ max: 80 })) },
    actions: {
      read,
      create: {
        allow: signedIn,
        accept: ['desk', 'place'],
        effect: async ({ input, records }: Moment) => {
          const { course } = await records.get(Place, input.place)
          const [locked] = await records.lockExisting(Course, [course])
          if (locked.status === 'open') await records.change(Place, input.place, { loose: true })
        },
      },
    },
  })
  return {
    Box,
    Shelf,
    Label,
    Thing,
    Part,
    Crate,
    Trace,
    Packer,
    Course,
    Seat,
    Turn,
    Place,
    Mark,
    Bond,
    Peg,
    Clip,
    Taker,
  }
}
