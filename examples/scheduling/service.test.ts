// Starts the service on a database in memory and asks it what clients would.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { demoPassword, type StartedService, start } from 'duet-api'
import { type Client, createClient } from 'duet-api/client'
import { fillDemo } from './demo.ts'
import type { freeTimes } from './free-times.ts'
import { api } from './service.ts'

let service: StartedService
let guest: Client<typeof api>
const people = {} as Record<'ann' | 'bob' | 'cat', Client<typeof api>>

before(async () => {
  const environment = {
    PORT: '0',
    DATABASE_URL: 'sqlite::memory:',
    LIMIT_LOGIN_PER_MINUTE: '0',
    LIMIT_IP_PER_MINUTE: '0',
  }
  service = await start(api, { environment, demo: fillDemo })
  guest = createClient<typeof api>(service.url)
  for (const name of ['ann', 'bob', 'cat'] as const) {
    people[name] = createClient<typeof api>(service.url)
    await people[name].signIn({ email: `${name}@example.com`, password: demoPassword })
  }
})
after(() => service.stop())

const typeOf = async (title: string, client = guest) =>
  (await client.eventTypes.page()).data.find((each) => each.title === title)!
/** A Monday in the future, when both hosts work from nine to five. */
const at = (time: string) => new Date(`2027-01-04T${time}:00Z`)
const attendees = [{ name: 'Gus', email: 'gus@example.com' }]

/** Of these hours on that Monday, in UTC. */
const book = async (title: string, time: string, client = guest) =>
  client.bookings.create({ eventTypeId: (await typeOf(title)).id, startsAt: at(time), attendees })
const withCode = (accessCode: string) => createClient<typeof api>(service.url, { accessCode })

test('a guest books a public event type, and its host sees when it ends', async () => {
  const booking = await book('Introduction', '09:00')
  const stored = await people.ann.bookings.get(booking.id)
  assert.equal(stored.status, 'ACCEPTED')
  assert.equal(stored.endsAt, at('09:30').toISOString())
  await assert.rejects(people.cat.bookings.get(booking.id), { code: 'NOT_FOUND' })
  await assert.rejects(guest.bookings.get(booking.id), { code: 'UNAUTHENTICATED' })
})

test('free times are those that can be booked, through both faces', async () => {
  const { id, minutes } = await typeOf('Introduction')
  const day = '2027-03-01'
  const inRest = async (client = guest) =>
    (await client.request<typeof freeTimes>('GET', '/api/v1/free-times', { query: { event_type_id: id, day } })).data
      .slots
  const inGraphql = async () => {
    const query = `{ freeTimes(eventTypeId: "${id}", day: "${day}") { slots { startsAt endsAt } } }`
    return (await guest.graphql<{ freeTimes: { slots: { startsAt: string }[] } }>(query)).freeTimes.slots
  }
  const all = await inRest()
  assert.deepEqual([all.length, all[0]!.starts_at, minutes], [16, `${day}T09:00:00.000Z`, 30])
  await guest.bookings.create({ eventTypeId: id, startsAt: new Date(`${day}T09:15:00Z`), attendees })
  const left = (await inGraphql()).map(({ startsAt }) => startsAt)
  assert.deepEqual(
    left,
    all.slice(2).map((each) => each.starts_at),
  )
  await guest.bookings.create({ eventTypeId: id, startsAt: new Date(left[0]!), attendees })
  assert.equal((await inRest()).length, 13)
  const hidden = await typeOf('Board', people.ann)
  const ofHidden = { query: { event_type_id: hidden.id, day } }
  await assert.rejects(guest.request('GET', '/api/v1/free-times', ofHidden), { code: 'NOT_FOUND' })
})

test('of fifty guests who ask for one time at once, one is booked', async () => {
  const { id } = await typeOf('Introduction')
  const outcomes = await Promise.allSettled(
    Array.from({ length: 50 }, (_, minute) =>
      guest.bookings.create({
        eventTypeId: id,
        startsAt: new Date(at('10:00').getTime() + (minute % 20) * 60_000),
        attendees,
      }),
    ),
  )
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
  for (const outcome of outcomes) if (outcome.status === 'rejected') assert.equal(outcome.reason.code, 'CONFLICT')
})

test('outside of hours, in the past, on a day of absence and without guests nothing is booked', async () => {
  const closed = { code: 'BUSINESS_RULE_VIOLATION', message: 'The host does not work then.' }
  await assert.rejects(book('Introduction', '08:45'), closed)
  await assert.rejects(book('Introduction', '16:45'), closed)
  const { id } = await typeOf('Consultation')
  const startsAt = new Date('2027-02-03T10:00:00Z')
  await assert.rejects(guest.bookings.create({ eventTypeId: id, startsAt, attendees }), closed)
  const past = { eventTypeId: id, startsAt: new Date('2020-01-06T10:00:00Z'), attendees }
  await assert.rejects(guest.bookings.create(past), { message: 'It has begun already.' })
  const alone = { eventTypeId: id, startsAt: at('15:00'), attendees: [] }
  await assert.rejects(guest.bookings.create(alone), { message: 'Someone has to attend.' })
})

test('a booking that needs approval holds its time until it is rejected', async () => {
  const booking = await book('Consultation', '11:00')
  assert.equal(booking.status, 'PENDING')
  await assert.rejects(book('Consultation', '11:15'), { code: 'CONFLICT' })
  await assert.rejects(people.ann.bookings.accept(booking.id), { code: 'FORBIDDEN' })
  await people.bob.bookings.reject(booking.id)
  const next = await book('Consultation', '11:15')
  assert.equal((await people.bob.bookings.accept(next.id)).status, 'ACCEPTED')
})

test('the code of a booking lets its guest read, move and cancel it', async () => {
  const { id, code } = await book('Introduction', '12:00')
  await book('Introduction', '13:00')
  const mine = withCode(code)
  assert.equal((await mine.bookings.get(id)).status, 'ACCEPTED')
  await assert.rejects(mine.bookings.reschedule(id, { startsAt: at('12:45') }), { code: 'CONFLICT' })
  const moved = await mine.bookings.reschedule(id, { startsAt: at('12:15') })
  assert.equal(moved.endsAt, at('12:45').toISOString())
  assert.equal((await mine.bookings.cancel(id)).status, 'CANCELLED')
  await book('Introduction', '12:15')
})

test('a private link opens one booking of a hidden event type', async () => {
  const hidden = await typeOf('Board', people.ann)
  assert.equal(await typeOf('Board'), undefined)
  const { code } = await people.ann.privateLinks.create({ eventTypeId: hidden.id })
  const invited = withCode(code)
  assert.equal((await invited.eventTypes.get(hidden.id)).title, 'Board')
  const sent = { eventTypeId: hidden.id, startsAt: at('14:00'), attendees }
  await assert.rejects(guest.bookings.create(sent), { code: 'BUSINESS_RULE_VIOLATION' })
  await invited.bookings.create(sent)
  await assert.rejects(invited.bookings.create({ ...sent, startsAt: at('15:00') }))
})

test('hours of one day do not overlap, nor do absences', async () => {
  const [team] = (await people.bob.teams.page()).data
  const hours = { teamId: team!.id, weekday: 'MONDAY', opensAt: 1_000, closesAt: 1_200 } as const
  await assert.rejects(people.bob.availabilities.create(hours), { code: 'CONFLICT' })
  await people.bob.availabilities.create({ ...hours, opensAt: 1_020 })
  await assert.rejects(people.bob.availabilities.create({ ...hours, weekday: 'SUNDAY', closesAt: 1_000 }), {
    code: 'BUSINESS_RULE_VIOLATION',
  })
  const away = { teamId: team!.id, firstDay: '2027-02-07' }
  await assert.rejects(people.bob.absences.create(away), { code: 'CONFLICT' })
  await people.bob.absences.create({ ...away, firstDay: '2027-02-08' })
})

test('a payment is settled from two of its values', async () => {
  const { id } = await book('Introduction', '16:00')
  await assert.rejects(people.ann.bookings.settle(id), { code: 'CONFLICT' })
  await people.ann.bookings.bill(id)
  assert.equal((await people.ann.bookings.settle(id)).payment, 'PAID')
})

test('a host asks for what begins before it was booked, and for this week', async () => {
  const count = async (where: string) => (await people.ann.bookings.page({ where })).data.length
  assert.equal(await count('starts_at <= created_at'), 0)
  assert.equal(await count('starts_at >= startOf("week") AND starts_at < startOf("week") + 7d'), 0)
  assert.ok((await count('created_at < starts_at AND status = "ACCEPTED"')) > 3)
})
