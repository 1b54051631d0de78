import assert from 'node:assert/strict'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createDatabase, postgresMissing } from '../../test/support/databases.ts'
import { defaultLimits } from '../limits.ts'
import { openStore } from './open.ts'

const open = (url: string) =>
  openStore(url, { limits: { ...defaultLimits, connectTimeoutMs: 1_000 }, log: { warn: () => undefined } })

for (const url of [
  '',
  'sqlite:',
  'sqlite',
  './data/duet.db',
  'mysql://root@127.0.0.1/duet',
  'postgres:',
  'postgres://[',
]) {
  test(`says what DATABASE_URL must be instead of "${url}"`, async () => {
    await assert.rejects(open(url), /^Error: DATABASE_URL must be sqlite:PATH, sqlite::memory: or postgres:\/\//)
  })
}

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

test('says why a SQLite file cannot be opened', async () => {
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

test('says why a PostgreSQL database cannot be used, without the password', async () => {
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
