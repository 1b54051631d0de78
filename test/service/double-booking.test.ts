// The check that README.md shows: of bookings that overlap, one is made, however many are sent at once.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { service } from 'duet-api'
import { faceNames, speak } from '../support/client/both-faces.ts'
import { accounts, User } from '../support/domain/account.ts'
import { Booking } from '../support/domain/booking.ts'
import { repository } from '../support/process/command.ts'
import { withService } from '../support/server/service.ts'

const definition = service({
  resources: { User, Booking },
  accounts,
  roles: { ANY: {} },
})

withService(
  'double bookings',
  (running) => {
    for (const face of faceNames)
      test(`of eight through ${face} that overlap, one is made`, async () => {
        const fixtures = running().fixtures({ ann: { User: {} } })
        await fixtures.idOf('ann')
        const ann = speak(face, running(), { as: '{ann}' as never, fixtures })
        const book = (firstDay: string, lastDay: string) =>
          ann.create('Booking', { room: face, firstDay: `2027-01-${firstDay}`, lastDay: `2027-01-${lastDay}` })
        const codes = (await Promise.all(Array.from({ length: 8 }, () => book('10', '12')))).map(({ code }) => code)
        assert.equal(codes.filter((code) => code === null).length, 1)
        assert.equal(codes.filter((code) => code === 'BUSINESS_RULE_VIOLATION').length, 7)
        assert.equal((await book('12', '13')).message, 'The room is taken on one of these days.')
        assert.equal((await book('13', '13')).code, null)
      })
  },
  { definition },
)

test('README.md shows the check', () => {
  const [check = ''] = /check: async[\s\S]*?\n {6}\},/.exec(
    readFileSync(join(repository, 'test/support/domain/booking.ts'), 'utf8'),
  )!
  const lines = check.replaceAll('\n      ', '\n')
  assert.ok(readFileSync(join(repository, 'README.md'), 'utf8').includes(lines), lines)
})
