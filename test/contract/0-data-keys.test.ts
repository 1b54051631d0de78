// A service that cannot read what is stored does not start, rather than fail once it is asked for.

import assert from 'node:assert/strict'
import { existsSync, renameSync } from 'node:fs'
import { test } from 'node:test'
import { anyone, resource, type StartedService, secret, service, start, text } from 'duet-api'
import { accounts, User } from '../support/domain/account.ts'
import { createDatabase, forEachEngine } from '../support/server/databases.ts'

const Hook = resource('Hook', {
  prefix: 'hook',
  fields: { name: text({ max: 60 }), key: secret() },
  actions: { read: { allow: anyone }, create: { allow: anyone, accept: ['name', 'key'] } },
})
const vault = service({ resources: { User, Hook }, accounts, roles: { ANY: {} } })
const [first, second] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64')) as [string, string]

forEachEngine((engine) => {
  async function withStarts(work: (starts: Starts) => Promise<void>): Promise<void> {
    const database = await createDatabase(engine)
    const starting = (more: object) =>
      start(vault, {
        environment: { PORT: '0', LOG_LEVEL: 'error', DATABASE_URL: database.url, NODE_ENV: 'test', ...more },
      })
    try {
      await work({
        url: database.url,
        async runs(more, body) {
          const running = await starting(more)
          if (body !== undefined) await create(running, body)
          await running.stop()
        },
        refused: (more) =>
          starting(more).then(
            () => assert.fail('it starts'),
            ({ message }: Error) => message,
          ),
      })
    } finally {
      await database.drop()
    }
  }
  const lacking = (count: string, remedy = 'Put it behind the first') =>
    new RegExp(`^${count} of Hook\\.key cannot be read: DATA_KEY lacks the key [0-9a-f]{8}\\. ${remedy}\\.$`)
  const production = { NODE_ENV: 'production', BASE_URL: 'https://api.example.com' }

  test('0.1.8 a key that does not read what is stored stops the start, and reports it as duet doctor does', () =>
    withStarts(async ({ runs, refused }) => {
      // Nothing is encrypted yet.
      await runs({ DATA_KEY: second })
      await runs({ DATA_KEY: first }, { name: 'H', key: 'k' })
      assert.match(await refused({ DATA_KEY: second }), lacking('1 value'))
      assert.match(await refused({ ...production, DATA_KEY: second }), lacking('1 value'))
      await runs({ DATA_KEY: `${second},${first}` }, { name: 'I', key: 'k' })
      assert.match(await refused({ DATA_KEY: second }), lacking('1 value'))
      assert.match(await refused({ DATA_KEY: first }), lacking('1 value'))
      await runs({ DATA_KEY: `${first},${second}` })
    }))

  if (engine === 'sqlite')
    test('0.1.8 the key file of development is not replaced while values need it', () =>
      withStarts(async ({ url, runs, refused }) => {
        const file = `${url.slice('sqlite:'.length)}.key`
        await runs({}, { name: 'H', key: 'k' })
        renameSync(file, `${file}.away`)
        assert.match(await refused({}), lacking('1 value', `Put back the file .*`))
        assert.equal(existsSync(file), false)
        renameSync(`${file}.away`, file)
        await runs({})
      }))
})

interface Starts {
  readonly url: string
  /** Starts, makes a record if there is one to make, and stops. */
  runs(more: object, body?: object): Promise<void>
  /** What a start says that is refused. */
  refused(more: object): Promise<string>
}

async function create({ url }: StartedService, body: object): Promise<void> {
  const headers = { 'Content-Type': 'application/json' }
  const answer = await fetch(`${url}/api/v1/hooks`, { method: 'POST', headers, body: JSON.stringify(body) })
  assert.equal(answer.status, 201)
}
