import {
  acrossTenants,
  actor,
  after,
  allOf,
  anyOf,
  anyone,
  atLeast,
  before,
  choice,
  email,
  event,
  hasToken,
  many,
  may,
  now,
  one,
  oneOf,
  optional,
  own,
  readable,
  resource,
  signedIn,
  startOf,
  state,
  text,
  timestamp,
  token,
  when,
} from 'duet-api'
import { EventType } from './event-type.ts'
import { Absence, Availability, minuteOf, weekdayOf } from './hours.ts'

/** Of the bookings of a host that are not called off, no two overlap, however many guests ask at once. */
export const Booking = resource('Booking', {
  prefix: 'bok',
  within: 'eventType',
  fields: {
    eventType: one('EventType'),
    host: optional(one('User')), // that of the event type, as the end is
    startsAt: timestamp(),
    endsAt: optional(timestamp()),
    status: state(['PENDING', 'ACCEPTED', 'REJECTED', 'CANCELLED'], { begins: ['PENDING', 'ACCEPTED'] }),
    payment: choice(['NONE', 'DUE', 'FAILED', 'PAID'], { default: 'NONE' }),
    code: token({ prefix: 'guest_' }),
    attendees: many('Attendee', 'booking'),
    notes: many('Note', 'booking'),
  },
  exclude: [
    { fields: ['host'], overlap: ['startsAt', 'endsAt'], where: when({ status: oneOf('PENDING', 'ACCEPTED') }) },
  ],
  protect: { payment: { read: may('read') } },
  // Lists are asked by team, by event type, or by condition: each further word is an index that every booking writes.
  sort: { startsAt: { within: 'team' } },
  where: ['status', 'startsAt', 'createdAt', 'host', 'attendees.email'],
  queries: {
    today: {
      allow: signedIn,
      where: allOf(
        when({ startsAt: atLeast(startOf('day')) }),
        when({ startsAt: before(startOf('day').plus({ days: 1 })) }),
      ),
      sort: ['startsAt'],
    },
  },
  actions: {
    read: { allow: anyOf(may('read'), acrossTenants(hasToken('code'))) },
    create: {
      allow: acrossTenants(readable('eventType')),
      accept: ['eventType', 'startsAt', 'attendees'],
      check: async ({ input, now, records }) => {
        const { startsAt, eventType: id, attendees } = input
        const { host, minutes } = await records.all.get(EventType, id)
        if (attendees.length === 0) return 'Someone has to attend.'
        if (startsAt <= now) return 'It has begun already.'
        return (await isOpen(host, startsAt, minutes, records.all)) || 'The host does not work then.'
      },
      effect: async ({ input, records, assign }) => {
        const { host, minutes, needsApproval } = await records.all.get(EventType, input.eventType)
        assign({ host, endsAt: endOf(input.startsAt, minutes), status: needsApproval ? 'PENDING' : 'ACCEPTED' })
      },
      emit: event('bookingCreated', { by: 'eventType' }),
    },
    reschedule: {
      allow: anyOf(own('host'), acrossTenants(hasToken('code'))),
      accept: ['startsAt'],
      from: ['PENDING', 'ACCEPTED'],
      effect: async ({ record, input, records, assign }) => {
        const { minutes } = await records.all.get(EventType, record.eventType)
        assign({ endsAt: endOf(input.startsAt, minutes) })
      },
      emit: event('bookingMoved', { by: 'eventType', changed: ['startsAt'] }),
    },
    accept: { allow: own('host'), from: 'PENDING', to: 'ACCEPTED' },
    reject: { allow: own('host'), from: 'PENDING', to: 'REJECTED' },
    cancel: {
      allow: anyOf(own('host'), acrossTenants(allOf(hasToken('code'), when({ startsAt: after(now) })))),
      from: ['PENDING', 'ACCEPTED'],
      to: 'CANCELLED',
    },
    bill: { allow: own('host'), from: { payment: oneOf('NONE', 'FAILED') }, set: { payment: 'DUE' } },
    settle: { allow: own('host'), from: { payment: oneOf('DUE', 'FAILED') }, set: { payment: 'PAID' } },
  },
})

const endOf = (startsAt: Date, minutes: number) => new Date(startsAt.getTime() + minutes * 60_000)

/** Within hours of the host, and on no day of absence. */
async function isOpen(
  host: string,
  startsAt: Date,
  minutes: number,
  records: { count(resource: typeof Availability | typeof Absence, which: object): Promise<number> },
): Promise<boolean> {
  const from = minuteOf(startsAt)
  const day = startsAt.toISOString().slice(0, 10)
  const hours = { hostId: { eq: host }, weekday: { eq: weekdayOf(startsAt) }, opensAt: { lte: from } }
  const open = await records.count(Availability, { where: { ...hours, closesAt: { gte: from + minutes } } })
  const away = await records.count(Absence, {
    where: {
      hostId: { eq: host },
      firstDay: { lte: day },
      or: [{ returnsOn: { gt: day } }, { returnsOn: { isNull: true } }],
    },
  })
  return open > 0 && away === 0
}

/** Guests of a booking. Who may read the booking may add one. */
export const Attendee = resource('Attendee', {
  prefix: 'att',
  within: 'booking',
  fields: { booking: one('Booking'), name: text({ max: 100 }), email: email() },
  actions: {
    read: { allow: acrossTenants(readable('booking')) },
    create: { allow: acrossTenants(anyone), accept: ['booking', 'name', 'email'] },
  },
})

/** For the team alone. */
export const Note = resource('Note', {
  prefix: 'nte',
  within: 'booking',
  fields: { booking: one('Booking'), author: one('User', { default: actor }), body: text({ max: 2_000 }) },
  actions: {
    read: { allow: may('read') },
    create: { allow: may('create'), accept: ['booking', 'body'] },
  },
})
