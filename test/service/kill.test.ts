// A process that is killed amid its writes loses none that it has answered and leaves none half done. `KILLS` says how
// often, on each database.

import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { defaultLimits } from '../../src/limits.ts'
import { openForReading } from '../../src/service/open/open-store.ts'
import { bind, type Program, query, type StoredRow } from '../../src/store/store.ts'
import { type Client, createClient } from '../support/client/http-client.ts'
import { type Subjects, signIn, type Written, wanted, writeUntilGone } from '../support/process/busy-writer.ts'
import { repository } from '../support/process/command.ts'
import { programArguments } from '../support/process/program.ts'
import { type ServiceProcess, startProcess } from '../support/process/service-process.ts'
import { createDatabase, forEachEngine, type TestDatabase } from '../support/server/databases.ts'

const kills = Number(process.env['KILLS'] ?? 2)
const stock = 1_000_000

forEachEngine((engine) => {
  test(`loses nothing when it is killed ${kills} times`, { timeout: 60_000 + kills * 60_000 }, async (t) => {
    const database = await createDatabase(engine)
    let { service, url } = await started(database)
    t.after(async () => {
      await service.end('SIGKILL')
      await database.drop()
    })
    let client = createClient(url)
    const adminToken = (await signIn(client, 'admin')).access
    const subjects = await prepare(client, adminToken)
    const ordersBefore = await number(database, 'select count(*) from orders')
    const kinds = { answered: 0, unanswered: 0, lostRefresh: 0 }
    for (let round = 0; round < kills; round++) {
      let left = randomInt(1, 120)
      let ended: Promise<unknown> | null = null
      // A token lasts for fifteen minutes, and many rounds for longer.
      subjects.adminToken = (await signIn(client, 'admin')).access
      client.close()
      const written = await writeUntilGone(url, subjects, `round ${round}`, () => {
        if (--left === 0) ended = service.end('SIGKILL')
      })
      await ended
      ;({ service, url } = await started(database))
      client = createClient(url)
      kinds.answered += written.creates.filter(({ id }) => id !== null).length
      kinds.unanswered += written.creates.filter(({ id }) => id === null).length
      subjects.renamed = await assertKept(written, database)
      await assertWhole(database, ordersBefore, subjects.productId)
      await assertRepeatable(written, client, subjects.adminToken)
      await assertWhole(database, ordersBefore, subjects.productId)
      if (!(await continues(client, written.session))) kinds.lostRefresh++
    }
    t.diagnostic(`${kills} kills on ${engine}: ${JSON.stringify(kinds)}`)
    client.close()
    assert.equal(await service.end('SIGTERM'), 0)
  })
})

async function started(database: TestDatabase): Promise<{ service: ServiceProcess; url: string }> {
  const off = { LIMIT_IP_PER_MINUTE: '0', LIMIT_USER_PER_HOUR: '0', LIMIT_LOGIN_PER_MINUTE: '0' }
  const service = startProcess(programArguments('reference/main.ts'), {
    folder: repository,
    environment: { DATABASE_URL: database.url, BASE_URL: 'http://localhost', ...off },
  })
  return { service, url: await service.listening() }
}

async function prepare(
  client: Client,
  adminToken: string,
): Promise<{ -readonly [Name in keyof Subjects]: Subjects[Name] }> {
  const headers = { Authorization: `Bearer ${adminToken}` }
  const product = { name: 'Pan', category: 'kitchen', price: 1, currency: 'EUR', stock }
  const { data } = wanted(await client.send('POST /api/v2/products', { headers, body: product }), 201)
  const body = { title: 'name 0', content: 'Words.' }
  const post = wanted(await client.send('POST /api/v2/posts', { headers, body }), 201)
  return { adminToken, productId: data.id, postId: post.data.id, renamed: 0 }
}

/** What was answered is there. Answers the number in the name that is there. */
async function assertKept({ creates, renames, cancelled }: Written, database: TestDatabase): Promise<number> {
  const ids = new Set((await rows(database, 'select id from posts union all select id from orders')).map(([id]) => id))
  for (const { id, line } of creates) assert(id === null || ids.has(id), `${line} was answered with ${id}`)
  const [[title]] = (await rows(database, "select title from posts where title like 'name %'")) as [[string]]
  const name = Number(title.slice('name '.length))
  assert(name === renames.answered || name === renames.sent, `${title}: ${JSON.stringify(renames)}`)
  const gone = new Set((await rows(database, "select id from orders where status = 'cancelled'")).map(([id]) => id))
  for (const id of cancelled) assert(gone.has(id), `${id} was cancelled`)
  return name
}

/** Nothing is half done: every record has what was written with it, and nothing is there without its record. */
async function assertWhole(database: TestDatabase, ordersBefore: number, productId: string): Promise<void> {
  const ours = "from posts p where p.title like 'round %'"
  const none: Readonly<Record<string, string>> = {
    'a post without its event': `select p.id ${ours} and p.id not in (select record_id from duet_event where name = 'postCreated')`,
    'an event without its post': `select record_id from duet_event where name = 'postCreated' and record_id not in (select id from posts)`,
    'a part of a batch': `select substr(p.title, 1, length(p.title) - 2) ${ours} and p.title like '%/%' group by 1 having count(*) <> 3`,
    'two posts of one key': `select p.title ${ours} group by p.title having count(*) > 1`,
    'a session without its one token': `select s.id from sessions s where s.deleted_at is null and (select count(*) from duet_refresh_token t where t.session_id = s.id and t.used_at is null) <> 1`,
    'a token without its session': `select t.session_id from duet_refresh_token t where not exists (select 1 from sessions s where s.id = t.session_id and s.deleted_at is null)`,
  }
  for (const [what, sql] of Object.entries(none)) assert.deepEqual(await rows(database, sql), [], what)
  const posts = await number(database, `select count(*) ${ours} and p.title not like '%/%'`)
  const batches = (await number(database, `select count(*) ${ours} and p.title like '%/%'`)) / 3
  const orders = (await number(database, 'select count(*) from orders')) - ordersBefore
  assert.equal(await number(database, 'select count(*) from duet_idempotency'), posts + batches + orders)
  const living = await number(
    database,
    `select count(*) from orders where status <> 'cancelled' and cast(items as text) like '%${productId}%'`,
  )
  assert.equal(await number(database, `select stock from products where id = '${productId}'`), stock - living)
}

/** Whoever got no answer asks again and is served once; whoever got one gets it again. */
async function assertRepeatable({ creates }: Written, client: Client, token: string): Promise<void> {
  const repeated = [...creates.filter(({ id }) => id === null), ...creates.filter(({ id }) => id !== null).slice(-3)]
  for (const { line, key, body, id } of repeated) {
    const headers = { Authorization: `Bearer ${token}`, 'Idempotency-Key': key }
    const again = await client.send(line, { headers, body })
    assert([200, 201].includes(again.status), again.text)
    if (id === null) continue
    assert.equal(again.status, 200, again.text)
    const data = again.body.data
    assert.equal((Array.isArray(data) ? data[0] : data).id, id)
  }
}

/** False where the answer to a refresh was lost on its way: then the token was used, and only then. */
async function continues(client: Client, { token, isAsking }: Written['session']): Promise<boolean> {
  const { status, body, text } = await client.send('POST /auth/refresh', { body: { refresh_token: token } })
  if (status === 200) return true
  assert(isAsking && body.error.code === 'TOKEN_REUSED', text)
  return false
}

const number = async (database: TestDatabase, sql: string): Promise<number> =>
  Number((await rows(database, sql))[0]![0])

async function rows({ url }: TestDatabase, sql: string): Promise<readonly StoredRow[]> {
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
