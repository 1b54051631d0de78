import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import pg from 'pg'
import { fillDemo } from '../reference/demo.ts'
import { api } from '../reference/service.ts'
import { createClient } from '../test/support/client/http-client.ts'
import { repository } from '../test/support/process/command.ts'
import { programArguments } from '../test/support/process/program.ts'
import { startProcess } from '../test/support/process/service-process.ts'
import { dataKey } from '../test/support/server/data-key.ts'
import { createDatabase, postgresMissing } from '../test/support/server/databases.ts'
import { demoPassword, ServiceDefinitionError, start } from './index.ts'

const environment = { PORT: '0', LOG_LEVEL: 'error', DATABASE_URL: 'sqlite::memory:' }

// Some wait for processes of their own.
describe('the start', { concurrency: 3 }, () => {
  test('a service starts inside another program, at the time that it is given, and stops', async () => {
    const service = await start(api, { environment, clock: () => new Date('2030-01-01T12:00:00.000Z'), demo: fillDemo })
    const client = createClient(service.url)
    try {
      const { body: tokens } = await client.send('POST /auth/login', {
        body: { email: 'editor@example.com', password: demoPassword },
      })
      const headers = { Authorization: `Bearer ${tokens.access_token}` }
      const { body } = await client.send('POST /api/v2/posts', { headers, body: { title: 'T', content: 'C' } })
      assert.equal(body.data.created_at.slice(0, 13), '2030-01-01T12')
    } finally {
      client.close()
      await service.stop()
    }
    await assert.rejects(fetch(`${service.url}/health`))
  })

  test('a service that cannot start says why, and reads no other environment', async () => {
    await assert.rejects(start(api, { environment: { PORT: 'x' } }), /^Error: PORT must be a whole number/)
    const broken = { ...api, roles: {} } as never
    await assert.rejects(start(broken, { environment }), ServiceDefinitionError)
  })

  test('0.1.1 what cannot be opened or listened to is reported in one sentence, which names the variable', async () => {
    const taken = await start(api, { environment })
    try {
      const wrong: [Record<string, string>, RegExp][] = [
        [{ DATABASE_URL: 'sqlite:/dev/null/x' }, /^DATABASE_URL names \S+, which SQLite cannot open: .+\.\n$/],
        [{ DATABASE_URL: 'postgres://127.0.0.1:1/x' }, /^DATABASE_URL names .+, which cannot be used: .+\.\n$/],
        [{ ...environment, PORT: new URL(taken.url).port }, /^HOST and PORT name 127\.0\.0\.1:\d+, .+: .+\.\n$/],
      ]
      const assertRefused = async ([environment, sentence]: (typeof wrong)[number]) => {
        const service = startProcess(programArguments('reference/main.ts'), {
          folder: repository,
          environment,
        })
        await assert.rejects(service.listening())
        assert.match(service.printed(), sentence)
        assert.equal(await service.end('SIGTERM'), 1)
      }
      await Promise.all(wrong.map(assertRefused))
    } finally {
      await taken.stop()
    }
  })

  test('what had been opened when a start fails is closed, so that the process ends', {
    skip: postgresMissing,
  }, async (t) => {
    const database = await createDatabase('postgres')
    t.after(() => database.drop())
    const taken = await start(api, { environment })
    t.after(() => taken.stop())
    const service = startProcess(programArguments('reference/main.ts'), {
      folder: repository,
      environment: { DATABASE_URL: database.url, PORT: new URL(taken.url).port },
    })
    await assert.rejects(service.listening())
    assert.equal(await service.end('SIGTERM'), 1)
    // The same inside another program: what it left open would keep this one.
    const inside = start(api, {
      environment: { DATA_KEY: dataKey, DATABASE_URL: database.url, PORT: new URL(taken.url).port },
    })
    await assert.rejects(inside, /HOST and PORT name/)
    await noneConnected(database.url)
  })

  test('what is printed at the start can be typed', async () => {
    const service = startProcess(programArguments('reference/main.ts'), {
      folder: repository,
      environment: { DATABASE_URL: 'sqlite::memory:', DEMO_PASSWORD: "it's secret" },
    })
    try {
      const client = createClient(await service.listening())
      assert.match(
        service.printed(),
        /^Demo accounts: admin@example\.com, editor@example\.com, viewer@example\.com; password: /m,
      )
      const commands = [
        ...service.printed().matchAll(/curl -s http:\/\/[^/]+(\S+) -H 'Content-Type: application\/json' -d '(.+)'/g),
      ]
      assert.deepEqual(
        commands.map(([, path]) => path),
        ['/auth/login', '/graphql'],
      )
      for (const [, path, quoted] of commands) {
        // As a shell reads it.
        const body = quoted!.replaceAll(`'\\''`, "'")
        const answer = await client.send(`POST ${path}`, { body })
        assert.equal(answer.status, 200, answer.text)
        assert.equal(answer.body.errors, undefined, answer.text)
      }
      client.close()
    } finally {
      assert.equal(await service.end('SIGTERM'), 0)
    }
  })
})

/** Resolves when nobody else is connected to this database. */
async function noneConnected(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const others = 'select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
  while ((await client.query(others)).rows.length > 0);
  await client.end()
}
