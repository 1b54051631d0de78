// Three instances behind nginx are started again, one after the other, while others write and read: no request fails.
// `ROLLING_RESTARTS` says how often all three are. (contract 0.3.2)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createClient } from '../support/client/http-client.ts'
import { createSupervised, supervisedPassword } from '../support/process/supervised-service.ts'
import { createDatabase, postgresMissing } from '../support/server/databases.ts'
import { nginxPort, startNginx, withoutNginx } from '../support/server/nginx.ts'

const rounds = Number(process.env['ROLLING_RESTARTS'] ?? 1)
const unlimited = { LIMIT_IP_PER_MINUTE: '0', LIMIT_USER_PER_HOUR: '0', LIMIT_LOGIN_PER_MINUTE: '0' }

test('0.3.2 behind nginx no request fails while instances are replaced', {
  skip: postgresMissing || withoutNginx(),
}, async (t) => {
  const database = await createDatabase('postgres')
  t.after(() => database.drop())
  const port = await nginxPort()
  const environment = {
    ...unlimited,
    DATABASE_URL: database.url,
    BASE_URL: `http://127.0.0.1:${port}`,
    TRUST_PROXY: '127.0.0.1',
  }
  const instances = await Promise.all([1, 2, 3].map(() => createSupervised(environment)))
  t.after(() => Promise.all(instances.map((instance) => instance.end('SIGKILL'))))
  await Promise.all(instances.map((instance) => instance.start()))
  const nginx = await startNginx(
    port,
    instances.map(({ url }) => url),
  )
  t.after(() => nginx.stop())
  const client = createClient(nginx.url)
  t.after(() => client.close())
  const credentials = { email: 'editor@example.com', password: supervisedPassword }
  const { body: tokens } = await client.send('POST /auth/login', { body: credentials })
  const headers = { Authorization: `Bearer ${tokens.access_token}` }

  let isOver = false
  let titles = 0
  const failures: string[] = []
  const note = ({ status, text }: { readonly status: number; readonly text: string }, expected: number) =>
    status === expected || failures.push(`${status} ${text}`)
  const write = async () => {
    const body = { title: `Restart ${++titles}`, content: 'Words.' }
    note(await client.send('POST /api/v2/posts', { headers, body }), 201)
  }
  const writers = Array.from({ length: 6 }, async () => {
    while (!isOver) await write()
  })
  const readers = Array.from({ length: 2 }, async () => {
    while (!isOver) note(await client.send('GET /api/v2/posts?limit=1'), 200)
  })
  // Leaves connections behind that are idle when an instance ends.
  const bursts = (async () => {
    while (!isOver) await Promise.all([...Array.from({ length: 24 }, write), wait(150)])
  })()

  for (let round = 0; round < rounds; round++) {
    for (const instance of instances) {
      assert.equal(await instance.end('SIGTERM'), 0)
      await instance.start()
      // nginx asks one that was away again after a second.
      await wait(1_200)
    }
  }
  isOver = true
  await Promise.all([...writers, ...readers, bursts])
  assert.deepEqual(failures, [])
  assert(titles > 100 * rounds, `${titles} writes`)
})
