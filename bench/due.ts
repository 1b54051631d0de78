// How long due records wait: `node --conditions=duet-source bench/due.ts [database URL] [records]` makes that many due at once, next to live
// traffic, and prints when each was moved.

import { event, optional, resource, service, signedIn, start, state, text, timestamp } from 'duet-api'
import { accounts, User } from '../test/support/domain/account.ts'
import { sized } from './scale.ts'

const [url = 'sqlite::memory:', records = sized('10000', '20')] = process.argv.slice(2)
const batchMax = 500
const Hold = resource('Hold', {
  prefix: 'hold',
  fields: {
    title: text({ max: 40 }),
    status: state('reserved', 'expired'),
    reservedUntil: optional(timestamp()),
  },
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['title', 'reservedUntil'] },
    expire: { at: 'reservedUntil', from: 'reserved', to: 'expired', emit: event('holdExpired') },
  },
})
const api = service({ resources: { User, Hold }, accounts, roles: { ANY: {} } })
const running = await start(api, { environment: { DATABASE_URL: url, PORT: '0' } })
const { records: own } = running.asService
const count = Number(records)
for (let made = 0; made < count; made += batchMax)
  await own.once(`made ${process.pid} ${made}`, async (inside) => {
    for (let each = made; each < Math.min(made + batchMax, count); each++)
      await inside.create(Hold, { title: `h${each}` })
  })
const dueAt = new Date(Date.now() + 2_000)
await own.once(`due ${process.pid}`, async ({ sql }) => {
  await sql`update ${Hold} set ${Hold.fields.reservedUntil} = ${dueAt}`
})
if (Date.now() > dueAt.getTime()) throw new Error('They were due before this was written: run it on a quiet machine.')
await new Promise((resolve) => setTimeout(resolve, dueAt.getTime() - Date.now()))
const usage = process.cpuUsage()
let writes = 0
let isOver = false
const traffic = (async () => {
  while (!isOver) {
    await own.create(Hold, { title: 'traffic' } as never)
    writes++
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
})()
for (;;) {
  const left =
    await own.sql`select count(*) as left from holds where status = 'reserved' and reserved_until is not null`
  const waiting = Number((left as unknown as readonly { readonly left: number }[])[0]!.left)
  process.stdout.write(`${Date.now() - dueAt.getTime()} ms: ${waiting} wait, ${writes} other writes\n`)
  if (waiting === 0) break
  await new Promise((resolve) => setTimeout(resolve, 50))
}
isOver = true
const { user, system } = process.cpuUsage(usage)
process.stdout.write(`${Math.round((user + system) / 1_000)} ms of processor time\n`)
await traffic
await running.stop()
