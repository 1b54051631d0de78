// One instance tells the others of events. (contract 6.1.2)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDatabase, postgresMissing } from '../../test/support/server/databases.ts'
import { defaultLimits } from '../limits.ts'
import { openStore } from '../service/open/open-store.ts'
import { listen } from '../store/postgres/listen.ts'
import { createAnnouncer, eventChannel } from './announcement.ts'

test('others hear an announcement, its sender knows its own, and many at once are few', {
  skip: postgresMissing,
}, async (t) => {
  const log = { warn: assert.fail, error: assert.fail }
  const database = await createDatabase('postgres')
  const store = await openStore(database.url, { limits: defaultLimits, log })
  const [one, other] = [createAnnouncer(store, 1, log), createAnnouncer(store, 1, log)]
  const heard: (string | undefined)[] = []
  let wake = () => {}
  const next = () =>
    new Promise<void>((resolve) => {
      wake = resolve
    })
  const begun = next()
  const listener = listen(database.url, {
    channel: eventChannel,
    log,
    limits: defaultLimits,
    wake: (payload) => {
      heard.push(payload)
      wake()
    },
  })
  t.after(async () => {
    await listener.stop()
    await store.close()
    await database.drop()
  })
  await begun
  assert.deepEqual([heard[0], one.isNews(heard[0])], [undefined, true], 'something may have been missed before')

  const announcement = next()
  const before = store.counts.statements
  for (let count = 0; count < 100; count++) one.announce()
  await announcement
  await one.close()
  assert.deepEqual([one.isNews(heard[1]), other.isNews(heard[1])], [false, true])
  const cost = store.counts.statements - before
  assert.ok(cost >= 1 && cost <= 2, `100 announcements at once took ${cost} statements`)
})
