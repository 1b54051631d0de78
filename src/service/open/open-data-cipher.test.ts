// Where the key comes from that encrypts, and what is said where there is none. (contract 0.1.7)

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { defaultLimits } from '../../limits.ts'
import { reactionTables } from '../../reaction/tables.ts'
import { bind, command } from '../../store/store.ts'
import { readConfiguration } from '../configuration/configuration.ts'
import type { Environment } from '../configuration/unknown-variables.ts'
import { dataKeyTable } from './encrypted-values.ts'
import { openDataCipher } from './open-data-cipher.ts'
import { openStore } from './open-store.ts'

const key = Buffer.alloc(32, 7).toString('base64')
const handing = { name: 'mail', tokens: ['code'] }

const model = { resources: [], unlisted: [], accounts: { methods: null } }

async function open(environment: Environment, definitions: readonly object[] = [handing]) {
  const lines: string[] = []
  const log = { info: (line: string) => void lines.push(line) }
  const reactions = new Map(definitions.entries())
  const configuration = readConfiguration(environment)
  const store = await openStore('sqlite::memory:', { limits: defaultLimits, log: { warn: () => {}, error: () => {} } })
  await store.write(function* () {
    for (const text of [...dataKeyTable.create.sqlite, ...reactionTables.create.sqlite]) yield bind(command(text))
  })
  const cipher = await openDataCipher({ configuration, model, reactions, log } as never, { store }).finally(() =>
    store.close(),
  )
  return { cipher, lines }
}
const production = { NODE_ENV: 'production', BASE_URL: 'https://api.example.com' }

test('0.1.7 the key is requested where something is encrypted, and nowhere else', async () => {
  assert.equal((await open(production, [])).cipher, null)
  assert.equal((await open(production, [{ name: 'mail', tokens: [] }])).cipher, null)
  await assert.rejects(open(production), {
    message: 'DATA_KEY must be set in production: the code that the reaction mail is handed is encrypted with it.',
  })
  const { cipher } = await open({ ...production, DATA_KEY: key })
  assert.equal(cipher!.decrypt(cipher!.encrypt('x', 'a'), 'a'), 'x')
  await assert.rejects(open({ DATABASE_URL: 'postgres://localhost/x' }), {
    message:
      'DATA_KEY must be set: the code that the reaction mail is handed is encrypted with it, and there is no database file to keep a key next to.',
  })
  await assert.rejects(open({ DATA_KEY: 'short' }), {
    message: 'DATA_KEY must be 32 bytes in base64, or several such keys between commas.',
  })
})

test('0.1.7 development keeps one key beside its database file, for its owner alone', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'duet-key-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'data', 'my.db.key')
  const environment = { DATABASE_URL: `sqlite:${join(folder, 'data', 'my.db')}` }
  const first = await open(environment)
  const words = 'the code that the reaction mail is handed is encrypted'
  assert.deepEqual(first.lines, [`DATA_KEY is not set: ${file} holds a new key, with which ${words}.`])
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const second = await open(environment)
  assert.deepEqual(second.lines, [])
  assert.equal(second.cipher!.decrypt(first.cipher!.encrypt('x', 'a'), 'a'), 'x')
  const moved = await open({ ...environment, DATA_KEY: readFileSync(file, 'utf8').trim() })
  assert.equal(moved.cipher!.decrypt(first.cipher!.encrypt('x', 'a'), 'a'), 'x')
  writeFileSync(file, 'nonsense')
  await assert.rejects(
    open(environment),
    /^Error: The file .* holds no key of 32 bytes: put the key back that it held\.$/,
  )
  const memory = await open({ DATABASE_URL: 'sqlite::memory:' })
  assert.deepEqual(memory.lines, [])
  assert.equal(memory.cipher!.decrypt(memory.cipher!.encrypt('x', 'a'), 'a'), 'x')
})
