import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createDatabase, postgresMissing } from '../../../test/support/server/databases.ts'
import { defaultLimits } from '../../limits.ts'
import { bind, command, type Program, query, type StoredRow } from '../../store/store.ts'
import { openForReading, openStore } from './open-store.ts'

const open = (url: string) =>
  openStore(url, {
    limits: { ...defaultLimits, connectTimeoutMs: 1_000 },
    log: { warn: () => undefined, error: () => undefined },
  })

for (const url of [
  '',
  'sqlite:',
  'sqlite',
  './data/duet.db',
  'mysql://root@127.0.0.1/duet',
  'postgres:',
  'postgres://[',
]) {
  test(`reports what DATABASE_URL must be instead of "${url}"`, async () => {
    await assert.rejects(open(url), /^Error: DATABASE_URL must be sqlite:PATH, sqlite::memory: or postgres:\/\//)
  })
}

for (const url of ['postgres://127.0.0.1:1,127.0.0.1:2/duet', 'postgres://u:p,q@127.0.0.1:1,127.0.0.2:1/duet']) {
  test(`0.1.12 names the hosts of "${url}", none of which answers`, async () => {
    await assert.rejects(
      open(url),
      /^Error: DATABASE_URL names the database duet at 127[^ ]+,127[^ ]+, which cannot be used: connect /,
    )
  })
}

test('takes a comma in a password for what it is', async () => {
  await assert.rejects(open('postgres://u:a,b@127.0.0.1:1/duet'), /which cannot be used: connect ECONNREFUSED/)
})

test('makes the folders of a SQLite file, for its owner alone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'duet-open-'))
  const path = join(folder, 'some', 'data', 'duet.db')
  const store = await open(`sqlite:${path}`)
  await store.ping()
  await store.close()
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  assert.equal((await stat(join(folder, 'some', 'data'))).mode & 0o777, 0o700)
  await rm(folder, { recursive: true })
})

test('opens a database in memory', async () => {
  const store = await open('sqlite::memory:')
  assert.equal(store.engine, 'sqlite')
  await store.ping()
  await store.close()
})

test('reports why a SQLite file cannot be opened', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'duet-open-'))
  const text = join(folder, 'notes.txt')
  await writeFile(text, 'This has never been a database. '.repeat(200))
  await assert.rejects(open(`sqlite:${text}`), {
    message: `DATABASE_URL names ${text}, which SQLite cannot open: file is not a database.`,
  })
  await assert.rejects(open(`sqlite:${folder}`), /^Error: DATABASE_URL names .*EISDIR/)
  await assert.rejects(open(`sqlite:${join(text, 'x.db')}`), /^Error: DATABASE_URL names /)
  await rm(folder, { recursive: true })
})

test('reports why a PostgreSQL database cannot be used, without the password', async () => {
  const url = 'postgres://somebody:hidden@127.0.0.1:1/duet'
  await assert.rejects(open(url), (error: Error) => {
    assert.equal(
      error.message,
      'DATABASE_URL names the database duet at 127.0.0.1:1, which cannot be used: connect ECONNREFUSED 127.0.0.1:1.',
    )
    return true
  })
})

test('opens a PostgreSQL database, and refuses one that is missing', { skip: postgresMissing }, async () => {
  const database = await createDatabase('postgres')
  const store = await open(database.url)
  assert.equal(store.engine, 'postgres')
  await store.close()
  await database.drop()
  await assert.rejects(
    open(database.url),
    /^Error: DATABASE_URL names the database duet_test_\w+ at .* does not exist\.$/,
  )
})

const options = { limits: defaultLimits, log: { warn: assert.fail, error: assert.fail } }
function* run(sql: string): Program<readonly StoredRow[]> {
  return yield bind(sql.startsWith('select') ? query(sql) : command(sql))
}

test('a file that is opened for reading is read and never written, and none is made', async () => {
  const { url, drop } = await createDatabase('sqlite')
  try {
    await assert.rejects(openForReading(url, options), /^Error: The file \S+test\.db is not there: start /)
    assert.ok(!existsSync(url.slice('sqlite:'.length)))

    const store = await openStore(url, options)
    await store.write(() => run('create table thing (id text)'))
    await store.write(() => run("insert into thing values ('a')"))
    const warnings: string[] = []
    const log = { ...options.log, warn: (sentence: string) => warnings.push(sentence) }
    const reader = await openForReading(url, { ...options, log })
    try {
      assert.deepEqual(await reader.read(run('select id from thing')), [['a']])
      await assert.rejects(
        reader.write(() => run("insert into thing values ('b')")),
        { code: 'SERVICE_UNAVAILABLE' },
      )
      assert.deepEqual(warnings, ['The database takes no writes: attempt to write a readonly database'])
      assert.deepEqual(await store.read(run('select id from thing')), [['a']])
    } finally {
      await reader.close()
      await store.close()
    }
  } finally {
    await drop()
  }
})

test('a database in memory can be read by no other user', async () => {
  await assert.rejects(openForReading('sqlite::memory:', options), /in memory, which no other process can read\.$/)
})
