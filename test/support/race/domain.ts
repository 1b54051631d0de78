// What writers race for, in no tenant or so many levels deep in one: records that checks, effects and ends of writes lock again,
// and holders whose numbers and lists rules ask.

import {
  anyOf,
  argument,
  boolean,
  choice,
  email,
  hasToken,
  integer,
  is,
  many,
  one,
  optional,
  password,
  resource,
  type Service,
  service,
  signedIn,
  state,
  text,
  through,
  timestamp,
  token,
} from 'duet-api'

import { type Defined, holders, type Moment } from './holders.ts'
import { type Depth, hookOf, placeAt, tenants } from './tenants.ts'

// Their relations differ by depth, so that types cannot follow.
const define = resource as unknown as (name: string, definition: object) => Defined

/** With `hook`, every write calls a hook that writes other records. */
export function raceService(depth: Depth, hook = false): Service<unknown> {
  const top = placeAt(depth)
  const place = top === null ? {} : { [top.field]: one(top.name, { cascade: 'regardless' }) }
  const placed = Object.keys(place)
  const within = top === null ? {} : { within: top.field }
  const below = (holder: string) => (depth === 0 ? {} : { within: holder })
  const read = { allow: signedIn }

  const User = define('User', {
    prefix: 'usr',
    fields: {
      email: email({ unique: true }),
      name: optional(text({ max: 100 })),
      password: password({ min: 8, max: 200 }),
      role: choice(['VIEWER', 'EDITOR', 'ADMIN'], { default: 'VIEWER' }),
      status: state('ACTIVE'),
      emailVerified: optional(boolean()),
      ...(depth === 0 ? {} : { memberships: many('Membership', 'user') }),
    },
    actions: { read: { allow: signedIn } },
  })
  const { Membership, resources: tenancy } = tenants({ define, place, within, below }, depth)
  /** Where each writer has a record of its own, so that they meet nowhere else. */
  const Desk = define('Desk', {
    prefix: 'dsk',
    ...within,
    fields: { ...place, sheets: many('Sheet', 'desk') },
    actions: { read },
  })
  const Plain = define('Plain', {
    prefix: 'pla',
    plural: 'plains',
    ...within,
    fields: {
      ...place,
      note: text({ max: 40, default: '-' }),
      number: integer({ default: 0 }),
      dueAt: optional(timestamp()),
    },
    filter: { note: is },
    actions: {
      read,
      update: { allow: signedIn, accept: ['note', 'dueAt'] },
      bump: { allow: signedIn, set: { number: ({ record }: Moment) => record.number + 1 } },
      mark: {
        allow: signedIn,
        effect: async ({ record, records }: Moment) => {
          const { number } = await records.get(Plain, record.id)
          await records.run(Plain, record.id, 'bump')
          if (number < 0) return 'It is negative.'
          return undefined
        },
      },
    },
  })
  const Memo = define('Memo', {
    prefix: 'mmo',
    ...below('plain'),
    fields: { plain: one('Plain', { cascade: 'regardless' }) },
    actions: { read },
  })
  /** What a writer makes of a plain record: within it, or at a desk of its own while code names it. */
  const ofPlain = (name: string, prefix: string, create: object, fields: object = {}, more: object = {}) =>
    define(name, {
      prefix,
      ...below('plain'),
      fields: { plain: one('Plain', { cascade: 'regardless' }), ...fields },
      actions: { read, create: { allow: signedIn, accept: ['plain'], ...create }, ...more },
    })
  const ofDesk = (name: string, prefix: string, create: object, more: object = {}) =>
    define(name, {
      prefix,
      ...below('desk'),
      fields: {
        desk: one('Desk', { cascade: 'regardless' }),
        about: argument(text({ max: 80 })),
        member: argument(optional(text({ max: 80 }))),
      },
      actions: { read, create: { allow: signedIn, accept: ['desk', 'about', 'member'], ...create }, ...more },
    })
  const noted = async ({ input, records }: Moment) =>
    records.change(Plain, input.about ?? input.plain, { note: 'noted' })
  const Blank = ofPlain('Blank', 'bla', { effect: async () => undefined })
  /** What a hook of the service does with it, is in the hook. */
  const Notice = ofPlain(
    'Notice',
    'ntc',
    {},
    { note: text({ max: 20, default: '-' }) },
    { update: { allow: signedIn, accept: ['note'] } },
  )
  /** Its move follows a time of the plain record. */
  const Reminder = define('Reminder', {
    prefix: 'rem',
    ...below('desk'),
    fields: {
      desk: one('Desk', { cascade: 'regardless' }),
      plain: one('Plain', { cascade: 'regardless' }),
      note: text({ max: 20, default: '-' }),
      status: state('waiting', 'due'),
    },
    actions: {
      read,
      create: { allow: signedIn, accept: ['desk', 'plain'] },
      update: { allow: signedIn, accept: ['plain', 'note'] },
      note: {
        allow: signedIn,
        effect: async ({ record, records }: Moment) => records.change(Plain, record.plain, { note: 'reminded' }),
      },
      remind: { at: 'plain.dueAt', from: 'waiting', to: 'due', shown: 'to all' },
    },
  })
  const Noter = ofPlain('Noter', 'ntr', { effect: noted })
  /** Of those in one room, no two may overlap. */
  const Slot = define('Slot', {
    prefix: 'slo',
    ...below('plain'),
    fields: {
      plain: one('Plain', { cascade: 'regardless' }),
      room: text({ max: 40 }),
      first: integer(),
      after: integer(),
    },
    exclude: [{ fields: ['room'], overlap: ['first', 'after'] }],
    actions: { read, create: { allow: signedIn, accept: ['plain', 'room', 'first', 'after'] } },
  })
  const Booker = ofPlain('Booker', 'bkr', {
    effect: async (moment: Moment) => {
      await noted(moment)
      const { plain } = moment.input
      await moment.records.create(Slot, { plain, room: plain, first: 1, after: 9 })
    },
  })
  const Checker = ofDesk('Checker', 'chk', {
    check: async ({ input, records }: Moment) => (await records.get(Plain, input.about)) !== null || 'Missing.',
    effect: noted,
  })
  const Lister = ofDesk('Lister', 'lis', {
    check: async ({ records }: Moment) => (await records.list(Plain, { limit: 5 })).records.length > 0 || 'Missing.',
    effect: noted,
  })
  const RoleReader = ofDesk('RoleReader', 'rol', {
    check: async ({ actor, records, input }: Moment) =>
      (await records.tenantRole(input.about, actor.id)) === 'OWNER' || 'Not an owner.',
    effect: async ({ input, records }: Moment) => records.change(Membership, input.member, { title: 'seen' }),
  })
  const Auditor = ofDesk('Auditor', 'aud', {
    check: async ({ input, records }: Moment) => {
      for (const each of input.about === 'forward' ? [Plain, Sheet] : [Sheet, Plain]) await records.count(each)
      return true
    },
  })
  const Namer = ofDesk('Namer', 'nam', {
    effect: async (moment: Moment) => {
      await moment.records.create(Memo, { plain: moment.input.about })
      await noted(moment)
    },
  })
  const Mover = ofDesk('Mover', 'mov', {
    effect: async ({ input, records }: Moment) => {
      await records.create(Memo, { plain: input.about })
      await records.run(Plain, input.about, 'bump')
    },
  })
  const Adder = ofDesk('Adder', 'add', {
    effect: async ({ input, records }: Moment) => {
      const { number } = await records.get(Plain, input.about)
      await records.change(Plain, input.about, { number: number + 1 })
    },
  })
  const OwnAdder = ofDesk('OwnAdder', 'oad', {
    effect: async ({ input, records }: Moment) =>
      records.change(Plain, input.about, ({ number }: { number: number }) => ({ number: number + 1 })),
  })
  const ListAdder = ofDesk('ListAdder', 'lad', {
    effect: async ({ input, records }: Moment) => {
      for await (const { id, number } of records.each(Plain))
        if (id === input.about) await records.change(Plain, id, { number: number + 1 })
    },
  })
  const Follower = define('Follower', {
    prefix: 'fol',
    ...below('desk'),
    fields: {
      desk: one('Desk', { cascade: 'regardless' }),
      plain: one('Plain', { cascade: 'regardless' }),
      status: state('open', 'done'),
    },
    actions: {
      read,
      create: { allow: signedIn, accept: ['desk', 'plain'], mayFollow: ['finish'] },
      finish: {
        allow: signedIn,
        from: 'open',
        to: 'done',
        effect: async ({ record, records }: Moment) => records.change(Plain, record.plain, { note: 'done' }),
      },
    },
  })
  const Sheet = define('Sheet', {
    prefix: 'she',
    ...below('desk'),
    fields: { desk: one('Desk', { cascade: 'regardless' }), note: text({ max: 20, default: '-' }) },
    actions: { read },
  })
  const Line = define('Line', {
    prefix: 'lin',
    ...below('desk'),
    fields: {
      desk: one('Desk', { cascade: 'regardless' }),
      sheet: one('Sheet', { cascade: 'regardless', same: 'desk' }),
    },
    actions: {
      read,
      create: {
        allow: signedIn,
        accept: ['desk', 'sheet'],
        effect: async ({ input, records }: Moment) => records.change(Sheet, input.sheet, { note: 'used' }),
      },
    },
  })
  const Room = define('Room', {
    prefix: 'rom',
    ...within,
    fields: { ...place, name: text({ max: 20, default: '-' }), code: token({ prefix: 'room', maxUses: 5 }) },
    actions: {
      read: { allow: anyOf(signedIn, hasToken('code')) },
      create: { allow: signedIn, accept: placed },
      enter: { allow: hasToken('code'), set: { name: 'entered' } },
    },
  })
  const Visit = define('Visit', {
    prefix: 'vis',
    ...below('room'),
    fields: { room: one('Room', { cascade: 'regardless' }) },
    actions: { read: { allow: signedIn }, create: { allow: through('room', hasToken('code')), accept: ['room'] } },
  })

  const own = {
    Desk,
    Plain,
    Reminder,
    Memo,
    Blank,
    Notice,
    Noter,
    Checker,
    Lister,
    Auditor,
    Namer,
    Mover,
    Adder,
    OwnAdder,
    ListAdder,
    Follower,
    Slot,
    Booker,
    Sheet,
    Line,
    Room,
    Visit,
  }
  const counted = holders({ define, place, within, below })
  const roles = depth === 0 ? {} : { RoleReader }
  return (service as unknown as (definition: object) => Service<unknown>)({
    resources: { User, ...tenancy, ...own, ...roles, ...counted },
    ...(hook ? { onWrite: hookOf({ Plain, Trace: counted.Trace }) } : {}),
    accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
    roles: { VIEWER: {}, EDITOR: {}, ADMIN: 'everything' },
    ...(depth === 0 ? {} : { tenantRoles: { Organization: { OWNER: 'everything' } } }),
  })
}
