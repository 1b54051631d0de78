// The kinds of writes that race, each by many writers for the same few records, and what must hold when they have ended.

import { quota } from './holders.ts'
import type { Depth } from './tenants.ts'

export interface Request {
  readonly line: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}
/** Names of the records of one race, which its fixtures make where a request names them. */
export const own = (name: string, writer: number): string => `{${name} ${writer}}`
export interface Kind {
  /** Kinds of one group meet in its records. */
  readonly group: 'plain' | 'room' | 'box' | 'course' | 'tenant'
  readonly send: (writer: number) => Request
  /** Sent once before the race. */
  readonly before?: Request
  /** What it may answer beside success, such as a rule that holds no longer. */
  readonly refusals?: readonly number[]
  /** How many of so many writers succeed when the kind is alone; absent where that is open. */
  readonly successes?: (writers: number) => number
  /** It adds one to the number of the plain record. */
  readonly adds?: true
  /** Where it can be sent; absent if everywhere. */
  readonly depths?: readonly Depth[]
  readonly needsHook?: true
}
/** Where kinds race. */
export interface Place {
  readonly depth: Depth
  readonly hook: boolean
}

const plain = (send: Kind['send'], more: Partial<Kind> = {}): Kind => ({
  group: 'plain',
  send,
  successes: (writers) => writers,
  ...more,
})
const box = (send: Kind['send'], more: Partial<Kind> = {}): Kind => ({ ...plain(send, more), group: 'box' })
const course = (send: Kind['send'], more: Partial<Kind> = {}): Kind => ({
  group: 'course',
  send,
  refusals: [403, 409, 422],
  ...more,
})
const tenant = (send: Kind['send'], more: Partial<Kind> = {}): Kind => ({
  ...plain(send, more),
  group: 'tenant',
  depths: [1, 2, 3],
})
const atDesk =
  (path: string, about = 'plain') =>
  (writer: number): Request => ({ line: `POST ${path}`, body: { desk_id: own('desk', writer), about: `{${about}}` } })
/** Every other writer sends them in the other order. */
const inTurn = <T>(writer: number, all: readonly T[]): readonly T[] => (writer % 2 === 0 ? all : all.toReversed())
const things = (count: number) => Array.from({ length: count }, (_, at) => ({ points: at + 1 }))

export const kinds: Readonly<Record<string, Kind>> = {
  'create with an effect': plain(() => ({ line: 'POST blanks', body: { plain_id: '{plain}' } })),
  'effect changes what is named': plain(() => ({ line: 'POST noters', body: { plain_id: '{plain}' } })),
  'effect changes what a check gets': plain(atDesk('checkers')),
  'effect changes what a check lists': plain(atDesk('listers')),
  'checks count two resources in either order': plain((writer) => ({
    line: 'POST auditors',
    body: { desk_id: own('desk', writer), about: writer % 2 === 0 ? 'forward' : 'backward' },
  })),
  'effect changes a membership whose role a check asks': plain(
    (writer) => ({
      line: 'POST role-readers',
      body: { desk_id: own('desk', writer), about: '{organization}', member: '{membership}' },
    }),
    { depths: [1, 2, 3] },
  ),
  'effect creates what names a record, and changes that': plain(atDesk('namers')),
  'effect creates what names a record, and moves that': plain(atDesk('movers'), { adds: true }),
  'effect gets and changes': plain(atDesk('adders'), { adds: true }),
  'effect changes what it makes of a record': plain(atDesk('own-adders'), { adds: true }),
  'effect lists and changes': plain(atDesk('list-adders'), { adds: true }),
  'effect of a move that follows': plain((writer) => ({
    line: 'POST followers',
    body: { desk_id: own('desk', writer), plain_id: '{plain}', finish: true },
  })),
  'effect changes what has something in common': plain(() => ({
    line: 'POST lines',
    body: { desk_id: '{desk}', sheet_id: '{sheet}' },
  })),
  update: plain((writer) => ({ line: `PATCH plains/{plain}`, body: { note: `n${writer}` } })),
  'change of a time that others follow': plain((writer) => ({
    line: 'PATCH plains/{plain}',
    body: { due_at: `2100-01-01T00:00:${10 + writer}.000Z` },
  })),
  'create of what follows a time': plain((writer) => ({
    line: 'POST reminders',
    body: { desk_id: own('desk', writer), plain_id: '{plain}' },
  })),
  'change of what follows a time': plain((writer) => ({
    line: `PATCH reminders/${own('reminder', writer)}`,
    body: { plain_id: '{plain}', note: `n${writer}` },
  })),
  'effect of what follows a time changes whose time it is': plain((writer) => ({
    line: `POST reminders/${own('reminder', writer)}/note`,
  })),
  'move with an effect that runs a move': plain(() => ({ line: 'POST plains/{plain}/mark' }), { adds: true }),
  'hook changes what is named': plain(() => ({ line: 'POST notices', body: { plain_id: '{plain}' } }), {
    adds: true,
    needsHook: true,
  }),
  'hook changes the holder of what is changed': plain(
    (writer) => ({ line: `PATCH notices/${own('notice', writer)}`, body: { note: `n${writer}` } }),
    { adds: true, needsHook: true },
  ),
  'hook changes what a batch names': plain(
    () => ({ line: 'POST notices/batch', body: { notices: [{ plain_id: '{plain}' }] } }),
    { adds: true, needsHook: true },
  ),

  'creates that overlap': plain(
    (writer) => ({ line: 'POST slots', body: { plain_id: '{plain}', room: '{key}', first: writer, after: 50 } }),
    { refusals: [409], successes: () => 1 },
  ),
  'batches that overlap in either order': plain(
    (writer) => ({
      line: 'POST slots/batch',
      body: {
        slots: inTurn(writer, ['{key}a', '{key}b']).map((room) => ({ plain_id: '{plain}', room, first: 1, after: 2 })),
      },
    }),
    { refusals: [409], successes: () => 1 },
  ),
  'effect creates what overlaps': plain(() => ({ line: 'POST bookers', body: { plain_id: '{plain}' } }), {
    refusals: [409],
    successes: () => 1,
  }),

  // Before those that it is paired with, which take what the tenant has room for.
  'create by a rule about a number of its tenant': tenant(() => ({ line: 'POST permits', body: {} }), {
    refusals: [403],
    successes: () => quota,
  }),
  'create that its tenant counts': tenant(() => ({ line: 'POST tickets', body: { points: 3 } })),
  'batch that its tenant counts': tenant(() => ({ line: 'POST tickets/batch', body: { tickets: [{}, {}] } })),
  'change of what its tenant adds up': tenant((writer) => ({
    line: `PATCH tickets/${own('ticket', writer)}`,
    body: { points: writer },
  })),
  'move that its tenant counts': tenant((writer) => ({ line: `POST tickets/${own('ticket', writer)}/finish` })),
  'delete that its tenant counts': tenant((writer) => ({ line: `DELETE tickets/${own('spare ticket', writer)}` })),
  'effect writes what its tenant counts': tenant((writer) => ({
    line: 'POST openers',
    body: { desk_id: own('desk', writer), about: '{place}', ticket: own('effect ticket', writer) },
  })),

  'create by a token with uses': {
    group: 'room',
    send: () => ({ line: 'POST visits', body: { room_id: '{room}' }, headers: { 'X-Access-Code': '{code}' } }),
    refusals: [403, 404, 422],
    successes: () => 5,
  },
  'creates by two tokens with uses in either order': {
    group: 'room',
    send: (writer) => ({
      line: 'POST visits/batch',
      body: { visits: inTurn(writer, ['{room}', '{other room}']).map((room_id) => ({ room_id })) },
      headers: { 'X-Access-Code': inTurn(writer, ['{code}', '{other code}']).join(', ') },
    }),
    refusals: [403, 404, 422],
    successes: () => 5,
  },
  'move by a token with uses': {
    group: 'room',
    send: () => ({ line: `POST rooms/{room}/enter`, headers: { 'X-Access-Code': '{code}' } }),
    refusals: [403, 404],
    successes: () => 5,
  },

  'create in a list that is counted': box(() => ({
    line: 'POST things',
    body: { box_id: '{box}', shelf_id: '{shelf}' },
  })),
  'change of what is added up': box((writer) => ({
    line: `PATCH things/${own('thing', writer)}`,
    body: { points: writer },
  })),
  'change of one by all': box((writer) => ({ line: `PATCH things/{thing}`, body: { points: writer } }), {
    refusals: [404],
  }),
  'change of what is not counted': box((writer) => ({
    line: `PATCH things/${own('thing', writer)}`,
    body: { note: 'x' },
  })),
  'move to another holder': box((writer) => ({
    line: `PATCH things/${own('thing', writer)}`,
    body: { shelf_id: writer % 2 === 0 ? '{shelf}' : '{other shelf}' },
  })),
  'move of one to another holder by all': box(
    (writer) => ({ line: `PATCH things/{thing}`, body: { shelf_id: writer % 2 === 0 ? '{shelf}' : '{other shelf}' } }),
    { refusals: [404] },
  ),
  'move to a state that is counted': box((writer) => ({ line: `POST things/${own('thing', writer)}/finish` }), {
    refusals: [404],
  }),
  'delete from a list that is counted': box((writer) => ({ line: `DELETE things/${own('spare', writer)}` }), {
    refusals: [404],
  }),
  'batch of creates': box(() => ({
    line: 'POST things/batch',
    body: { things: [1, 2, 3].map((at) => ({ box_id: '{box}', shelf_id: at === 2 ? '{shelf}' : '{other shelf}' })) },
  })),
  'batch of changes': box(
    (writer) => ({
      line: `PATCH things`,
      body: { ids: [own('thing', writer), own('thing', writer + 1)], points: writer },
    }),
    { refusals: [404] },
  ),
  'change by a condition': box((writer) => ({
    line: "PATCH things?where=note='{key}'",
    body: { points: writer },
    headers: { 'X-Thing': own('thing', writer) },
  })),
  'replaced children': box((writer) => ({ line: `PATCH boxes/{box}`, body: { things: things((writer % 3) + 1) } }), {
    refusals: [422],
  }),
  'replaced children by key': box(
    (writer) => ({
      line: 'PATCH {tenant}boxes/by/code/{key}',
      body: { parts: [{ size: writer + 1 }] },
      headers: { 'X-Box': '{box}' },
    }),
    {
      refusals: [422],
    },
  ),
  'new parents with children': box((writer) => ({
    line: 'POST boxes',
    body: {
      code: `{key}-${writer}`,
      things: [{ shelf_id: '{shelf}' }, { shelf_id: '{other shelf}' }],
      parts: [{}],
    },
  })),
  'replaced links': box((writer) => ({
    line: `PATCH boxes/{box}`,
    body: { label_ids: writer % 2 === 0 ? ['{label}', '{other label}'] : ['{other label}'] },
  })),
  'replaced links from the other side': box((writer) => ({
    line: `PATCH labels/{label}`,
    body: { holder_ids: writer % 2 === 0 ? ['{box}', '{other box}'] : ['{other box}'] },
  })),
  'creates with links': box((writer) => ({
    line: 'POST boxes',
    body: { code: `{key}l${writer}`, label_ids: ['{label}', '{other label}'] },
  })),
  'effect writes what is counted': box((writer) => ({
    line: 'POST packers',
    body: { desk_id: own('desk', writer), box: '{box}', thing: own('packed', writer) },
  })),
  'new parents with children whose effects write': box((writer) => ({
    line: 'POST boxes',
    body: { code: `{key}e${writer}`, crates: [{ shelf_id: '{shelf}' }, { shelf_id: '{other shelf}' }] },
  })),
  'replaced children whose effects write': box((writer) => ({
    line: 'PATCH boxes/{box}',
    body: { crates: writer % 2 === 0 ? [{ shelf_id: '{shelf}' }] : [{ shelf_id: '{other shelf}' }, {}] },
  })),
  'move whose effect creates in the tenant': box(() => ({ line: 'POST shelves/{shelf}/tidy' }), { refusals: [404] }),
  'upsert of a new key': box(
    (writer) => ({
      line: 'PUT {tenant}boxes/by/code/{key}u',
      body: { label_ids: writer % 2 === 0 ? ['{label}'] : ['{other label}'], things: things(2) },
    }),
    { depths: [0, 1] },
  ),
  'upsert of an existing key': box(
    (writer) => ({ line: 'PUT {tenant}boxes/by/code/{key}', body: { label_ids: [], things: things(writer % 3) } }),
    { depths: [0, 1], refusals: [422] },
  ),
  'upserts of many new keys': box(
    (writer) => ({
      line: 'POST boxes/batch?by=code',
      body: { boxes: inTurn(writer, ['{key}m', '{key}n']).map((code) => ({ code, label_ids: ['{label}'] })) },
    }),
    { depths: [0, 1] },
  ),
  'upserts of many, of which one exists': box(
    (writer) => ({
      line: 'POST boxes/batch?by=code',
      body: {
        boxes: inTurn(writer, ['{key}', '{key}p']).map((code) => ({ code, label_ids: ['{other label}'] })),
      },
      headers: { 'X-Box': '{box}' },
    }),
    { depths: [0, 1] },
  ),
  'delete of a holder': box((writer) => ({ line: `DELETE ${writer % 2 === 0 ? `boxes/{box}` : `shelves/{shelf}`}` }), {
    refusals: [404],
    successes: () => 2,
  }),

  'create by a rule about a number': course(() => ({ line: 'POST seats', body: { course_id: '{course}' } }), {
    successes: () => quota,
  }),
  'move by a check about a number': course(() => ({ line: `POST courses/{course}/start` }), { successes: () => 1 }),
  'create by a check that counts': course(() => ({ line: 'POST turns', body: { course_id: '{course}' } }), {
    successes: () => quota,
  }),
  'move by a rule about a list': course(() => ({ line: `POST courses/{course}/close` }), { successes: () => 1 }),
  'move by a rule about links': course(() => ({ line: `POST courses/{course}/seal` }), { successes: () => 1 }),
  'links to what a list must not have': course((writer) => ({
    line: 'PATCH courses/{course}',
    body: { mark_ids: [own('loose mark', writer)] },
  })),
  'change of what is linked to what a list must not have': course(
    (writer) => ({ line: `POST marks/${own('mark', writer)}/loosen` }),
    {
      before: {
        line: 'PATCH courses/{course}',
        body: { mark_ids: Array.from({ length: 20 }, (_, writer) => own('mark', writer)) },
      },
      successes: (writers) => writers,
    },
  ),
  'move by a rule that requires one of a list': course(() => ({ line: `POST courses/{course}/pin` }), {
    successes: () => 1,
  }),
  'delete of what one of a list requires': course(() => ({ line: `DELETE pegs/{peg}` }), {
    refusals: [404],
    successes: () => 1,
  }),
  'delete that clears one of a list': course(() => ({ line: `DELETE clips/{clip}` }), {
    refusals: [404],
    successes: () => 1,
  }),
  'create of what a list must not have': course(
    () => ({ line: 'POST places', body: { course_id: '{course}', loose: true } }),
    {
      successes: (writers) => writers,
    },
  ),
  'change to what a list must not have': course(
    (writer) => ({ line: `PATCH places/${own('place', writer)}`, body: { loose: true } }),
    { successes: (writers) => writers },
  ),
  'effect that changes to what a list must not have': course((writer) => ({
    line: 'POST takers',
    body: { desk_id: own('desk', writer), place: own('place', writer) },
  })),
  'batch by a rule about a number': course(
    () => ({
      line: 'POST seats/batch',
      body: { seats: [1, 2].map(() => ({ course_id: '{course}' })) },
    }),
    { successes: () => 1 },
  ),
  'children by a check that counts': course(
    (writer) => ({
      line: `PATCH courses/{course}`,
      body: { turns: Array.from({ length: 2 }, () => ({})), last: `w${writer}` },
    }),
    { successes: (writers) => writers },
  ),
}

/** Of every race, those that each run of the suite has: all kinds of locks, in the fewest cells. */
export const sample: readonly (readonly string[])[] = [
  ['create with an effect', 'effect changes what is named'],
  ['effect changes what a check gets', 'effect changes a membership whose role a check asks'],
  ['checks count two resources in either order'],
  ['effect creates what names a record, and changes that', 'effect creates what names a record, and moves that'],
  ['effect gets and changes'],
  ['change of a time that others follow', 'change of what follows a time'],
  ['change of a time that others follow', 'create of what follows a time'],
  ['change of a time that others follow', 'effect of what follows a time changes whose time it is'],
  ['creates that overlap'],
  ['batches that overlap in either order'],
  ['effect creates what overlaps', 'creates that overlap'],
  ['creates by two tokens with uses in either order'],
  ['replaced children', 'change of what is added up'],
  ['replaced links', 'replaced links from the other side'],
  ['effect writes what is counted', 'move of one to another holder by all'],
  ['change of what is added up', 'move to another holder'],
  ['change by a condition', 'change of what is added up'],
  ['change of one by all', 'move of one to another holder by all'],
  ['create in a list that is counted', 'delete of a holder'],
  ['upsert of a new key', 'upsert of an existing key'],
  ['upserts of many new keys', 'upserts of many, of which one exists'],
  ['replaced children whose effects write', 'create in a list that is counted'],
  ['new parents with children whose effects write', 'move whose effect creates in the tenant'],
  ['create that its tenant counts', 'effect writes what its tenant counts'],
  ['create by a rule about a number of its tenant'],
  ['create by a rule about a number'],
  ['create by a check that counts'],
  ['batch by a rule about a number'],
  ['children by a check that counts'],
  ['move by a check about a number', 'create by a rule about a number'],
  ['move by a rule about a list', 'create of what a list must not have'],
  ['move by a rule about a list', 'change to what a list must not have'],
  ['move by a rule about a list', 'effect that changes to what a list must not have'],
  ['move by a rule about links', 'links to what a list must not have'],
  ['move by a rule about links', 'change of what is linked to what a list must not have'],
  ['move by a rule that requires one of a list', 'delete of what one of a list requires'],
  ['move by a rule that requires one of a list', 'delete that clears one of a list'],
]

/** The same of a service with a hook. */
export const hookSample: readonly (readonly string[])[] = [
  ['hook changes what is named', 'hook changes what a batch names'],
  ['hook changes the holder of what is changed', 'hook changes what is named'],
  ['create in a list that is counted', 'replaced children whose effects write'],
  ['create that its tenant counts', 'effect writes what its tenant counts'],
  ['new parents with children whose effects write', 'move whose effect creates in the tenant'],
  ['upsert of a new key', 'upsert of an existing key'],
  ['upserts of many new keys', 'upserts of many, of which one exists'],
]

/** Whether all of these can be sent here. */
export const canRace = (names: readonly string[], { depth, hook }: Place): boolean =>
  names.every((name) => {
    const { depths, needsHook = false } = kinds[name]!
    return (depths?.includes(depth) ?? true) && (hook || !needsHook)
  })

/** Each alone, and with each other one that meets it. */
export const allRaces = (): readonly (readonly string[])[] => {
  const names = Object.keys(kinds)
  return names.flatMap((name, at) => [
    [name],
    ...names.slice(at + 1).flatMap((other) => (kinds[name]!.group === kinds[other]!.group ? [[name, other]] : [])),
  ])
}
