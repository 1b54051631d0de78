// Where the key comes from that encrypts, and what is said where there is none. (contract 0.1.7)

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfiguration } from './configuration.ts'
import { openDataCipher } from './open-data-cipher.ts'
import type { Environment } from './unknown-variables.ts'

const key = Buffer.alloc(32, 7).toString('base64')
const handing = { name: 'mail', tokens: ['code'] }

const model = { resources: [], unlisted: [] }

function open(environment: Environment, definitions: readonly object[] = [handing]) {
  const lines: string[] = []
  const log = { info: (line: string) => void lines.push(line) }
  const reactionDefinitions = new Map(definitions.entries())
  const configuration = readConfiguration(environment)
  return { cipher: openDataCipher({ configuration, model, reactionDefinitions, log } as never), lines }
}
const production = { NODE_ENV: 'production', BASE_URL: 'https://api.example.com' }

test('0.1.7 the key is asked for where something is encrypted, and nowhere else', () => {
  assert.equal(open(production, []).cipher, null)
  assert.equal(open(production, [{ name: 'mail', tokens: [] }]).cipher, null)
  assert.throws(() => open(production), {
    message: 'DATA_KEY must be set in production: the code that the reaction mail is handed is encrypted with it.',
  })
  const { cipher } = open({ ...production, DATA_KEY: key })
  assert.equal(cipher!.decrypt(cipher!.encrypt('x', 'a'), 'a'), 'x')
  assert.throws(() => open({ DATABASE_URL: 'postgres://localhost/x' }), {
    message:
      'DATA_KEY must be set: the code that the reaction mail is handed is encrypted with it, and there is no database file to keep a key beside.',
  })
  assert.throws(() => open({ DATA_KEY: 'short' }), {
    message: 'DATA_KEY must be 32 bytes in base64, or several such keys between commas.',
  })
})

test('0.1.7 development keeps one key beside its database file, for its owner alone', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'duet-key-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'data', 'my.db.key')
  const environment = { DATABASE_URL: `sqlite:${join(folder, 'data', 'my.db')}` }
  const first = open(environment)
  const words = 'the code that the reaction mail is handed is encrypted'
  assert.deepEqual(first.lines, [`DATA_KEY is not set: ${file} holds a new key, with which ${words}.`])
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const second = open(environment)
  assert.deepEqual(second.lines, [])
  assert.equal(second.cipher!.decrypt(first.cipher!.encrypt('x', 'a'), 'a'), 'x')
  const moved = open({ ...environment, DATA_KEY: readFileSync(file, 'utf8').trim() })
  assert.equal(moved.cipher!.decrypt(first.cipher!.encrypt('x', 'a'), 'a'), 'x')
  writeFileSync(file, 'nonsense')
  assert.throws(
    () => open(environment),
    /^Error: The file .* holds no key of 32 bytes: put the key back that it held\.$/,
  )
  const memory = open({ DATABASE_URL: 'sqlite::memory:' })
  assert.deepEqual(memory.lines, [])
  assert.equal(memory.cipher!.decrypt(memory.cipher!.encrypt('x', 'a'), 'a'), 'x')
})
