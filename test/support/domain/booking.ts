// Rooms for some days, which no two bookings share.

import { actor, atLeast, atMost, date, is, one, own, resource, signedIn, text } from 'duet-api'

/** A room for some days: no two bookings of a room overlap. README.md shows its check. */
export const Booking = resource('Booking', {
  prefix: 'bkg',
  fields: {
    room: text({ max: 40 }),
    firstDay: date(),
    lastDay: date(),
    guest: one('User', { cascade: 'regardless', default: actor }),
  },
  filter: { room: is, startsBy: atMost('firstDay'), endsFrom: atLeast('lastDay') },
  actions: {
    read: { allow: signedIn },
    create: {
      allow: signedIn,
      accept: ['room', 'firstDay', 'lastDay'],
      check: async ({ input, records }) => {
        const { room, firstDay, lastDay } = input
        const overlapping = await records.here.count({
          filter: { room, startsBy: lastDay, endsFrom: firstDay },
        })
        return overlapping === 0 || 'The room is taken on one of these days.'
      },
    },
    delete: { allow: own('guest') },
  },
})
