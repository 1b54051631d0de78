// What is wrong with a variable is reported before anything is connected to: the database named here never answers.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { anyone, resource, secret, service, start, text } from 'duet-api'
import { accounts, User } from '../support/domain/account.ts'

const Hook = resource('Hook', {
  prefix: 'hook',
  fields: { name: text({ max: 60 }), key: secret() },
  actions: { read: { allow: anyone } },
})
const vault = service({ resources: { User, Hook }, accounts, roles: { ANY: {} } })
const key = Buffer.alloc(32, 1).toString('base64')
const production = { NODE_ENV: 'production', BASE_URL: 'https://api.example.com' }
const broken = join(tmpdir(), `duet-documents-${process.pid}.json`)

test('0.1.9 what needs no database is judged before one is connected to', async (t) => {
  let connections = 0
  const silent = createServer((socket) => {
    connections++
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  t.after(() => silent.close())
  const { port } = silent.address() as { port: number }
  writeFileSync(broken, '{')
  const environment = { DATABASE_URL: `postgres://duet@127.0.0.1:${port}/duet`, PORT: '0', LOG_LEVEL: 'warn' }
  for (const [more, name] of [
    [{}, 'DATA_KEY'],
    [production, 'DATA_KEY'],
    [{ DATA_KEY: 'short' }, 'DATA_KEY'],
    [{ NODE_ENV: 'production' }, 'BASE_URL'],
    [{ DATA_KEY: key, BASE_URL: 'ftp://x' }, 'BASE_URL'],
    [{ DATA_KEY: key, JWT_ALGORITHM: 'HS256' }, 'JWT_SECRET'],
    [{ DATA_KEY: key, JWT_ALGORITHM: 'none' }, 'JWT_ALGORITHM'],
    [{ DATA_KEY: key, REDIS_URL: 'http://x' }, 'REDIS_URL'],
    [{ DATA_KEY: key, SMTP_URL: 'mail' }, 'SMTP_URL'],
    [{ DATA_KEY: key, PASSWORD_RESET_URL: 'https://x' }, 'PASSWORD_RESET_URL'],
    [{ DATA_KEY: key, TRUST_PROXY: 'everywhere' }, 'TRUST_PROXY'],
    [{ DATA_KEY: key, ALLOWED_ORIGINS: 'x' }, 'ALLOWED_ORIGINS'],
    [{ DATA_KEY: key, TRUSTED_DOCUMENTS: '/nowhere.json' }, 'TRUSTED_DOCUMENTS'],
    [{ DATA_KEY: key, TRUSTED_DOCUMENTS: broken }, 'TRUSTED_DOCUMENTS'],
    [{ DATA_KEY: key, REFRESH_TOKEN_IN: 'url' }, 'REFRESH_TOKEN_IN'],
    [{ DATA_KEY: key, DEMO_PASSWORD: 'x' }, 'DEMO_PASSWORD'],
    [{ DATA_KEY: key, LIMIT_PAGE_SIZE: '0' }, 'LIMIT_PAGE_SIZE'],
    [{ DATA_KEY: key, LIMIT_PAGES: '1' }, 'LIMIT_PAGES'],
    [{ DATA_KEY: key, METRICS_PORT: 'x' }, 'METRICS_PORT'],
    [{ DATA_KEY: key, DRAIN_SECONDS: '-1' }, 'DRAIN_SECONDS'],
    [{ DATA_KEY: key, LOG_LEVEL: 'loud' }, 'LOG_LEVEL'],
  ] as const) {
    const variables: Record<string, string> = { ...environment, ...more }
    const message = await start(vault, { environment: variables }).then(
      () => assert.fail('it starts'),
      (error: Error) => error.message,
    )
    assert.match(message, new RegExp(`^${name}\\b`))
  }
  assert.equal(connections, 0)
})
