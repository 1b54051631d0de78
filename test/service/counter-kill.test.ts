// 200 numbers by 50 writers, some of whom are refused, while the process is killed: none is given twice, and none is missing.
// `KILLS` says how often it is killed, on each database.

import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { defaultLimits } from '../../src/limits.ts'
import { openForReading } from '../../src/service/open/open-store.ts'
import { bind, type Program, query, type StoredRow } from '../../src/store/store.ts'
import { repository } from '../support/process/command.ts'
import { programArguments } from '../support/process/program.ts'
import { type ServiceProcess, startProcess } from '../support/process/service-process.ts'
import { createDatabase, forEachEngine, type TestDatabase } from '../support/server/databases.ts'

const kills = Number(process.env['KILLS'] ?? 2)
const writers = 50
const issuedMin = 200

interface Made {
  readonly id: string
  readonly number: number
  readonly entry: number
}

forEachEngine((engine) => {
  test(`11.3.5 counts without a gap when it is killed ${kills} times`, {
    timeout: 90_000 + kills * 60_000,
  }, async (t) => {
    const database = await createDatabase(engine)
    let { service, url } = await started(database)
    t.after(async () => {
      await service.end('SIGKILL')
      await database.drop()
    })
    const book = (await sent(url, { note: 'N', slug: 'taken' }))!
    const answered: Made[] = []
    for (let round = 0; round < kills; round++) {
      let left = randomInt(1, 150)
      let ended: Promise<unknown> | null = null
      const made = await write(url, book.id, () => {
        if (--left === 0) ended = service.end('SIGKILL')
        return ended === null
      })
      await ended
      answered.push(...made)
      ;({ service, url } = await started(database))
    }
    answered.push(...(await write(url, book.id, (made) => made < issuedMin)))
    assert.equal(await service.end('SIGTERM'), 0)

    const rows = await read(database, 'select id, number, entry from invoices')
    const numbers = rows.flatMap(([, number]) => (number === null ? [] : [Number(number)]))
    assert.ok(numbers.length >= issuedMin, `${numbers.length} were issued`)
    assertWithoutGap(numbers)
    assertWithoutGap(rows.map(([, , entry]) => Number(entry)))
    assertWithoutGap((await read(database, 'select position from lines')).map(([position]) => Number(position)))
    const byId = new Map(rows.map(([id, number, entry]) => [String(id), [Number(number), Number(entry)]]))
    for (const { id, number, entry } of answered) assert.deepEqual(byId.get(id), [number, entry])
    t.diagnostic(`${numbers.length} numbers on ${engine}, ${answered.length} of them answered`)
  })
})

const assertWithoutGap = (numbers: readonly number[]): void =>
  assert.deepEqual(
    numbers.toSorted((one, other) => one - other),
    numbers.map((_, at) => at + 1),
  )

/** What was made and answered, by writers that go on until they shall not, or the service is gone. */
async function write(url: string, book: string, goesOn: (made: number) => boolean): Promise<readonly Made[]> {
  const made: Made[] = []
  const one = async () => {
    while (goesOn(made.length)) {
      const kind = randomInt(6)
      const body = [{ note: 'refused' }, { note: 'N', slug: 'taken' }, { note: 'fails late', issue: true }][kind]
      if (kind === 3) await send(`${url}/api/v2/lines`, { invoice_id: book, what: 'W' })
      const answer = await sent(url, body ?? { note: 'N', issue: true })
      if (answer !== null && answer.number !== null) made.push(answer)
    }
  }
  await Promise.all(Array.from({ length: writers }, () => one().catch(() => undefined)))
  return made
}

/** Null where it was refused. */
async function sent(url: string, body: object): Promise<Made | null> {
  const { status, data } = await send(`${url}/api/v2/invoices`, body)
  assert.ok([201, 409, 422, 503].includes(status), String(status))
  return status === 201 ? data! : null
}

async function send(url: string, body: object): Promise<{ readonly status: number; readonly data?: Made }> {
  const headers = { 'Content-Type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, ...((await response.json()) as { data?: Made }) }
}

async function started(database: TestDatabase): Promise<{ service: ServiceProcess; url: string }> {
  const off = { LIMIT_IP_PER_MINUTE: '0', LIMIT_USER_PER_HOUR: '0', LIMIT_LOGIN_PER_MINUTE: '0' }
  const service = startProcess(programArguments('test/support/process/invoicing-main.ts'), {
    folder: repository,
    environment: { DATABASE_URL: database.url, BASE_URL: 'http://localhost', ...off },
  })
  return { service, url: await service.listening() }
}

async function read({ url }: TestDatabase, sql: string): Promise<readonly StoredRow[]> {
  const store = await openForReading(url, { limits: defaultLimits, log: { warn: () => {}, error: () => {} } })
  try {
    return await store.read(ask(sql))
  } finally {
    await store.close()
  }
}

function* ask(sql: string): Program<readonly StoredRow[]> {
  return yield bind(query(sql))
}
