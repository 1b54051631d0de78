import { ApiKey, Session, service } from 'duet-api'
import { Attendee, Booking, Note } from './booking.ts'
import { EventType, PrivateLink } from './event-type.ts'
import { freeTimes } from './free-times.ts'
import { Absence, Availability } from './hours.ts'
import { Membership, Team } from './team.ts'
import { User } from './user.ts'

export const api = service({
  resources: {
    User,
    Team,
    Membership,
    EventType,
    PrivateLink,
    Availability,
    Absence,
    Booking,
    Attendee,
    Note,
    ApiKey,
    Session,
  },
  routes: [freeTimes],
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  roles: { USER: { teams: ['create'] } },
  tenantRoles: {
    Team: {
      OWNER: 'everything',
      HOST: {
        eventTypes: ['create'],
        privateLinks: ['create', 'read'],
        availabilities: ['create'],
        absences: ['create'],
        bookings: ['read'],
        notes: ['create', 'read'],
      },
    },
  },
})
