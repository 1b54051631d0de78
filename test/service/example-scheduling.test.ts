// What must hold of the example of bookings, sentence by sentence, on both databases and through both faces.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scheduling } from '../support/domain/example.ts'
import { withService } from '../support/server/service.ts'
import { storyOf, user } from '../support/server/story.ts'

withService(
  'examples/scheduling',
  (running) => {
    const hours = (host: string) =>
      Object.fromEntries(
        ['MONDAY', 'TUESDAY'].map((weekday) => [
          `${host} ${weekday}`,
          { Availability: { team: '{acme}', host: `{${host}}`, weekday, opensAt: 540, closesAt: 1_020 } },
        ]),
      )
    const type = (host: string, more: object = {}) => ({
      EventType: { team: '{acme}', host: `{${host}}`, title: 'T', minutes: 30, ...more },
    })
    const people = {
      ann: user(),
      bob: user(),
      cat: user(),
      acme: { Team: { name: 'Acme', slug: 'acme-{word}' } },
      annOwns: { Membership: { team: '{acme}', user: '{ann}', role: 'OWNER' } },
      bobHosts: { Membership: { team: '{acme}', user: '{bob}', role: 'HOST' } },
      ...hours('ann'),
      ...hours('bob'),
      open: type('ann'),
      short: type('ann', { minutes: 15 }),
      careful: type('bob', { needsApproval: true }),
      hidden: type('ann', { isPublic: false }),
    }
    const begin = () => storyOf(running(), people)
    // A Monday.
    const at = (minutes: number) => new Date(Date.UTC(2027, 0, 4, 9, minutes)).toISOString()
    const attendees = [{ name: 'Gus', email: 'gus@example.com' }]
    const restBody = (event_type_id: string, minutes: number) => ({ event_type_id, starts_at: at(minutes), attendees })
    const book = (id: string, minutes: number, headers: Record<string, string> = {}) =>
      running().send('POST /api/v1/bookings', { body: restBody(id, minutes), headers })

    // The payment, which `speak` selects, is not for guests.
    const document = 'mutation ($input: CreateBookingInput!) { createBooking(input: $input) { id } }'
    const bookInGraphql = async (eventTypeId: string, minutes: number) => {
      const input = { eventTypeId, startsAt: at(minutes), attendees }
      const { body } = await running().graphql(document, { variables: { input } })
      return (body.errors?.[0].extensions.code ?? null) as string | null
    }
    const bookInRest = async (eventTypeId: string, minutes: number) =>
      ((await book(eventTypeId, minutes)).body.error?.code ?? null) as string | null

    for (const [face, ask] of [
      ['REST', bookInRest],
      ['GraphQL', bookInGraphql],
    ] as const)
      test(`of 50 guests through ${face} who book one host at once, one succeeds`, async () => {
        const { ids } = await begin()
        const codes = await Promise.all(
          Array.from({ length: 50 }, (_, n) => ask(n % 2 === 0 ? ids.open : ids.short, n % 10)),
        )
        assert.deepEqual([...new Set(codes)].toSorted(), ['CONFLICT', null])
        assert.equal(codes.filter((code) => code === null).length, 1)
        assert.equal(await ask(ids.careful, 0), null)
      })

    test('bookings that follow each other, and those of another host, are no conflict', async () => {
      const { ids } = await begin()
      for (const minutes of [0, 30, 60]) assert.equal((await book(ids.open, minutes)).status, 201)
      assert.equal((await book(ids.careful, 0)).status, 201)
      const overlap = await book(ids.short, 45)
      assert.equal(overlap.status, 409)
      assert.deepEqual(
        overlap.body.error.details.map(({ field }: { field: string }) => field),
        ['host_id', 'starts_at', 'ends_at'],
      )
    })

    test('the effect decides where a booking begins, and only its host moves it on', async () => {
      const { ids, codes } = await begin()
      assert.equal((await book(ids.open, 0)).body.data.status, 'ACCEPTED')
      const careful = (await book(ids.careful, 0)).body.data
      assert.equal(careful.status, 'PENDING')
      assert.equal(await codes('ann', (voice) => voice.move('accept', 'Booking', careful.id)), 'FORBIDDEN')
      assert.equal(await codes('cat', (voice) => voice.move('accept', 'Booking', careful.id)), 'NOT_FOUND')
      assert.equal((await running().send(`POST /api/v1/bookings/${careful.id}/accept`)).status, 401)
    })

    test('a private link opens one booking, and the code of the booking what became of it', async () => {
      const { ids, get, fixtures } = await begin()
      const link = await running().send('POST /api/v1/private-links', {
        as: '{ann}',
        fixtures,
        body: { event_type_id: ids.hidden },
      })
      assert.equal(link.status, 201, link.text)
      const code = { 'X-Access-Code': link.body.data.code as string }
      assert.equal((await book(ids.hidden, 0)).status, 422)
      const booking = await book(ids.hidden, 0, code)
      assert.equal(booking.status, 201, booking.text)
      assert.notEqual((await book(ids.hidden, 60, code)).status, 201)
      const own = { 'X-Access-Code': booking.body.data.code as string }
      const { id } = booking.body.data
      const read = await running().send(`GET /api/v1/bookings/${id}`, { headers: own })
      assert.equal(read.body.data.status, 'ACCEPTED')
      assert.equal(read.body.data.payment, undefined)
      assert.equal((await running().send(`POST /api/v1/bookings/${id}/cancel`, { headers: own })).status, 200)
      assert.equal((await get('bob', `bookings/${id}`)).data.status, 'CANCELLED')
      assert.equal((await book(ids.open, 0)).status, 201)
    })
  },
  { definition: scheduling },
)
