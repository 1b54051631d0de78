// A standby takes over from a primary that is killed amid writes: two instances go on there, without a restart, and hear of each
// other's events. (contract 0.1.12)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { anyone, event, resource, service, start, text } from 'duet-api'
import { Client } from 'pg'
import { TestStream } from '../support/client/event-stream.ts'
import { createClient } from '../support/client/http-client.ts'
import { accounts, User } from '../support/domain/account.ts'
import { startPostgresServer, startStandby, withoutPostgresServer } from '../support/server/postgres-server.ts'

const Note = resource('Note', {
  prefix: 'note',
  fields: { title: text({ max: 50 }) },
  actions: { read: { allow: anyone }, create: { allow: anyone, accept: ['title'], emit: event('noteCreated') } },
})
const definition = service({ resources: { User, Note }, roles: { ANY: 'everything' }, accounts })

for (const attributes of ['', '?target_session_attrs=primary'])
  test(`0.1.12 a failover needs no restart${attributes}`, {
    skip: withoutPostgresServer(),
    timeout: 600_000,
  }, async (t) => {
    const primary = await startPostgresServer()
    t.after(() => primary.remove())
    const standby = await startStandby(primary)
    t.after(() => standby.remove())
    const hosts = [standby, primary].map(({ url }) => new URL(url).host).join()
    const environment = {
      PORT: '0',
      DATABASE_URL: `postgres://postgres@${hosts}/postgres${attributes}`,
      LIMIT_IP_PER_MINUTE: '0',
      LOG_LEVEL: 'off',
    }
    const [running, other] = [await start(definition, { environment }), await start(definition, { environment })]
    t.after(() => Promise.all([running.stop(), other.stop()]))
    const { send, close } = createClient(running.url)
    t.after(close)
    const stream = await TestStream.open(`${other.url}/api/v1/event-stream?events=noteCreated`)
    t.after(() => stream.leave())
    await listeners(primary.url, 2)

    const acknowledged: string[] = []
    let isOver = false
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let at = 0; !isOver; at++) {
        const { status, body } = await send('POST /api/v1/notes', { body: { title: `${writer} ${at}` } })
        assert([201, 503].includes(status), `${status}`)
        if (status === 201) acknowledged.push(body.data.id)
        else await wait(20)
      }
    })
    const until = async (count: number) => {
      while (acknowledged.length < count) await wait(5)
    }
    await until(200)
    await primary.stop('immediate')
    await standby.promote()
    await listeners(standby.url, 2)
    const before = acknowledged.length
    await until(before + 200)
    isOver = true
    await Promise.all(writers)
    const found = new Set<string>()
    for (const id of acknowledged) if ((await send(`GET /api/v1/notes/${id}`)).status === 200) found.add(id)
    assert.equal(found.size, acknowledged.length)
    assert.equal((await send('GET /health/ready')).status, 200)
    // Of the others, the database does not know whether they were answered.
    const happened = new Set<string>()
    while (acknowledged.some((id) => !happened.has(id))) {
      const happening = await stream.happened()
      const { id } = JSON.parse(happening.data).data
      assert(!happened.has(id), 'an event comes once')
      happened.add(id)
    }
  })

/** Resolves once so many instances listen to the events of others. */
async function listeners(connectionString: string, count: number): Promise<void> {
  const client = new Client({ connectionString })
  await client.connect()
  const listening = `select count(*)::integer from pg_stat_activity where application_name = 'duet listener' and query like 'listen %'`
  for (;;) {
    const { rows } = await client.query({ text: listening, rowMode: 'array' })
    if (rows[0]![0] === count) break
    await wait(20)
  }
  await client.end()
}
