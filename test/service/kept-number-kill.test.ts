// Writers of everything that changes a kept number, at once, while the process is killed: in the end each number is what there is.
// `KILLS` says how often it is killed, on each database.

import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { defaultLimits } from '../../src/limits.ts'
import { openForReading } from '../../src/service/open/open-store.ts'
import type { StoredRow } from '../../src/store/store.ts'
import { wrongNumbers } from '../support/oracle/board-numbers.ts'
import { repository } from '../support/process/command.ts'
import { programArguments } from '../support/process/program.ts'
import { type ServiceProcess, startProcess } from '../support/process/service-process.ts'
import { createDatabase, forEachEngine, type TestDatabase } from '../support/server/databases.ts'

const kills = Number(process.env['KILLS'] ?? 2)
const writers = 50
const writesMin = 400

forEachEngine((engine) => {
  test(`13.2.2, 13.2.4 numbers are what there is when it is killed ${kills} times amid everything that changes them`, {
    timeout: 90_000 + kills * 60_000,
  }, async (t) => {
    const database = await createDatabase(engine)
    let { service, url } = await started(database)
    t.after(async () => {
      await service.end('SIGKILL')
      await database.drop()
    })
    const statuses = new Map<number, number>()
    for (let round = 0; round < kills; round++) {
      let left = randomInt(50, 250)
      let ended: Promise<unknown> | null = null
      await write(url, statuses, () => {
        if (--left === 0) ended = service.end('SIGKILL')
        return ended === null
      })
      await ended
      assert.deepEqual(await wrong(database), [])
      ;({ service, url } = await started(database))
    }
    let left = writesMin
    await write(url, statuses, () => --left > 0)
    assert.equal(await service.end('SIGTERM'), 0)
    assert.deepEqual(await wrong(database), [])
    for (const status of [200, 201, 204]) assert.ok((statuses.get(status) ?? 0) > 20, `many are ${status}`)
    t.diagnostic(`${engine}: ${[...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')}`)
  })
})

type Made = Record<'threads' | 'keepers' | 'entries' | 'likes', string[]>

/** Writes at random until it shall not, or the service is gone. Few holders, so that many writers meet at each. */
async function write(url: string, statuses: Map<number, number>, goesOn: () => boolean): Promise<void> {
  const made: Made = { threads: [], keepers: [], entries: [], likes: [] }
  async function send(line: string, body?: object): Promise<string | null> {
    const [method, path] = line.split(' ') as [string, string]
    const headers = { 'Content-Type': 'application/json' }
    const sent = body === undefined ? {} : { headers, body: JSON.stringify(body) }
    const response = await fetch(`${url}/api/v2/${path}`, { method, ...sent })
    const text = await response.text()
    assert.ok([200, 201, 204, 404, 409, 422, 503].includes(response.status), `${line}: ${response.status} ${text}`)
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
    const id = response.status === 201 ? JSON.parse(text).data.id : undefined
    return typeof id === 'string' ? id : null
  }
  async function create(path: keyof Made, body: object): Promise<void> {
    const id = await send(`POST ${path}`, body)
    if (id !== null) made[path].push(id)
  }
  const one = (path: keyof Made) => made[path][randomInt(made[path].length || 1)] ?? 'none_1'
  const values = () => ({
    amount: ['1.25', '100.00', '-3.10'][randomInt(3)],
    pieces: [null, 2, -1][randomInt(3)],
    weight: ['0', '9007199254740993'][randomInt(2)],
    keeper_id: randomInt(2) === 0 ? null : one('keepers'),
    note: randomInt(2) === 0 ? 'secret' : 'open',
  })
  const deeds: readonly (() => Promise<unknown>)[] = [
    () => create('entries', { thread_id: one('threads'), publish: randomInt(2) === 0, ...values() }),
    () => create('entries', { thread_id: one('threads'), ...values() }),
    () => create('likes', { thread_id: one('threads'), by: String(randomInt(1_000_000)) }),
    () => create('likes', { thread_id: one('threads'), by: String(randomInt(3)) }),
    () => create('likes', { thread_id: one('threads'), by: String(randomInt(1_000_000)) }),
    () => send(`DELETE likes/${one('likes')}`),
    () => send(`PATCH entries/${one('entries')}`, { thread_id: one('threads') }),
    () => send(`PATCH entries/${one('entries')}`, values()),
    () => send(`POST entries/${one('entries')}/${['publish', 'withdraw'][randomInt(2)]}`),
    () => send(`DELETE entries/${one('entries')}`),
    () => send(`POST threads/${one('threads')}/fill`),
    () => send(`PATCH threads/${one('threads')}`, { title: 'New' }),
    () =>
      send('POST entries/batch', {
        entries: Array.from({ length: 5 }, () => ({ thread_id: one('threads'), ...values() })),
      }),
    () => send('PATCH entries', { ids: [...new Set([one('entries'), one('entries')])], thread_id: one('threads') }),
    async () => {
      if (randomInt(4) > 0) return
      await send(`DELETE threads/${one('threads')}`)
      await create('threads', { title: 'T' })
    },
    async () => {
      if (randomInt(4) > 0) return
      await send(`DELETE keepers/${one('keepers')}`)
      await create('keepers', { name: 'K' })
    },
  ]
  for (let at = 0; at < 4; at++) await create('threads', { title: 'T' })
  for (let at = 0; at < 3; at++) await create('keepers', { name: 'K' })
  const broken: unknown[] = []
  const writer = async () => {
    while (goesOn()) await deeds[randomInt(deeds.length)]!()
  }
  await Promise.all(
    Array.from({ length: writers }, () =>
      writer().catch((error: unknown) => {
        // What it is asked once it is killed fails to be sent.
        if (!(error instanceof TypeError)) broken.push(error)
      }),
    ),
  )
  assert.deepEqual(broken, [])
}

async function started(database: TestDatabase): Promise<{ service: ServiceProcess; url: string }> {
  const off = { LIMIT_IP_PER_MINUTE: '0', LIMIT_USER_PER_HOUR: '0', LIMIT_LOGIN_PER_MINUTE: '0' }
  const service = startProcess(programArguments('test/support/process/board-main.ts'), {
    folder: repository,
    environment: { DATABASE_URL: database.url, BASE_URL: 'http://localhost', ...off },
  })
  return { service, url: await service.listening() }
}

async function wrong({ url, engine }: TestDatabase): Promise<readonly StoredRow[]> {
  const store = await openForReading(url, { limits: defaultLimits, log: { warn: () => {}, error: () => {} } })
  try {
    return await store.read(wrongNumbers(engine))
  } finally {
    await store.close()
  }
}
