import {
  actor,
  anyOf,
  choice,
  date,
  integer,
  is,
  may,
  member,
  one,
  optional,
  own,
  resource,
  startOf,
  when,
} from 'duet-api'

const weekdays = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'] as const
export const weekdayOf = (moment: Date) => weekdays[moment.getUTCDay()]!
/** Since midnight, in UTC. */
export const minuteOf = (moment: Date) => moment.getUTCHours() * 60 + moment.getUTCMinutes()

/** The hours of a host on one day of the week: they do not overlap. */
export const Availability = resource('Availability', {
  prefix: 'avl',
  within: 'team',
  fields: {
    team: one('Team'),
    host: one('User', { default: actor }),
    weekday: choice(weekdays),
    opensAt: integer({ min: 0, max: 1_439 }),
    closesAt: integer({ min: 1, max: 1_440 }),
  },
  exclude: [{ fields: ['host', 'weekday'], overlap: ['opensAt', 'closesAt'] }],
  filter: { host: is },
  where: ['host', 'weekday', 'opensAt', 'closesAt'],
  actions: {
    read: { allow: member('team') },
    create: { allow: may('create'), accept: ['team', 'weekday', 'opensAt', 'closesAt'] },
    update: { allow: own('host'), accept: ['weekday', 'opensAt', 'closesAt'] },
    delete: { allow: own('host') },
  },
})

/** Days on which a host is away: until further notice, if no end is known. */
export const Absence = resource('Absence', {
  prefix: 'abs',
  within: 'team',
  fields: {
    team: one('Team'),
    host: one('User', { default: actor }),
    firstDay: date(),
    returnsOn: optional(date()),
  },
  exclude: [{ fields: ['host'], overlap: ['firstDay', 'returnsOn'] }],
  filter: { host: is },
  where: ['host', 'firstDay', 'returnsOn'],
  queries: { today: { allow: anyOf(may('create')), where: when({ firstDay: startOf('day') }) } },
  actions: {
    read: { allow: member('team') },
    create: { allow: may('create'), accept: ['team', 'firstDay', 'returnsOn'] },
    update: { allow: own('host'), accept: ['firstDay', 'returnsOn'] },
    delete: { allow: own('host') },
  },
})
