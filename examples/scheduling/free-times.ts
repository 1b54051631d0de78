import { anyone, date, list, object, one, route, timestamp } from 'duet-api'
import { Booking } from './booking.ts'
import { EventType } from './event-type.ts'
import { Absence, Availability, weekdayOf } from './hours.ts'

/** When an event type can be booked on a day. It shows that the host is busy to those who may book, and not with what. */
export const freeTimes = route('GET', '/api/v1/free-times', {
  summary: 'List the free times of a day',
  field: 'freeTimes',
  access: anyone,
  query: { eventType: one('EventType'), day: date() },
  answer: { slots: list(object({ startsAt: timestamp(), endsAt: timestamp() }), { max: 288 }) },
  async handle({ query: { eventType, day }, records, asService, now }) {
    await records.get(EventType, eventType) // 404 unless the caller may read it
    const { host, minutes } = await asService.records.get(EventType, eventType)
    const from = new Date(`${day}T00:00:00Z`)
    const until = after(from, 24 * 60)
    const away = await asService.records.count(Absence, {
      where: {
        hostId: { eq: host },
        firstDay: { lte: day },
        or: [{ returnsOn: { gt: day } }, { returnsOn: { isNull: true } }],
      },
    })
    if (away > 0) return { slots: [] }
    const hours = asService.records.each(Availability, {
      where: { hostId: { eq: host }, weekday: { eq: weekdayOf(from) } },
    })
    const bookings = asService.records.each(Booking, {
      where: {
        hostId: { eq: host },
        status: { in: ['PENDING', 'ACCEPTED'] },
        startsAt: { gte: from, lt: until },
      },
    })
    const busy = await Array.fromAsync(bookings)
    const slots: { startsAt: Date; endsAt: Date }[] = []
    for await (const { opensAt, closesAt } of hours)
      for (let minute = opensAt; minute + minutes <= closesAt; minute += minutes) {
        const [startsAt, endsAt] = [after(from, minute), after(from, minute + minutes)]
        const isTaken = busy.some((each) => each.startsAt < endsAt && each.endsAt! > startsAt)
        if (startsAt > now && !isTaken) slots.push({ startsAt, endsAt })
      }
    return { slots: slots.toSorted((one, other) => one.startsAt.getTime() - other.startsAt.getTime()) }
  },
})

const after = (moment: Date, minutes: number) => new Date(moment.getTime() + minutes * 60_000)
