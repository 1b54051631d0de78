// Three instances behind nginx are started again, one after the other, while others write and read: no request fails.
// `ROLLING_RESTARTS` says how often all three are. (contract 0.3.2)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createClient, type Sending } from '../support/client/http-client.ts'
import { createSupervised, supervisedPassword } from '../support/process/supervised-service.ts'
import { createDatabase, postgresMissing } from '../support/server/databases.ts'
import { nginxPort, startNginx, withoutNginx } from '../support/server/nginx.ts'

const rounds = Number(process.env['ROLLING_RESTARTS'] ?? 1)
const unlimited = { LIMIT_IP_PER_MINUTE: '0', LIMIT_USER_PER_HOUR: '0', LIMIT_LOGIN_PER_MINUTE: '0' }

test('0.3.2 behind nginx no request fails while instances are replaced', {
  skip: postgresMissing || withoutNginx(),
  // Six starts of a process, each of which takes ten seconds where much else is running.
  timeout: 180_000 * rounds,
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
  const answering = new Set<string>()
  const send = async (line: string, sending: Sending, expected: number): Promise<void> => {
    const { status, text, headers } = await client.send(line, sending)
    answering.add(`http://${String(headers['x-instance']).split(', ').at(-1)}`)
    if (status === expected) return
    // An instance that gets no processor for a second sheds load, which is not what stopping causes. (contract 8.5.1)
    if (!text.includes('too busy')) return void failures.push(`${status} ${text}`)
    await wait(Number(headers['retry-after']) * 1_000)
    return send(line, sending, expected)
  }
  const write = () =>
    send('POST /api/v2/posts', { headers, body: { title: `Restart ${++titles}`, content: 'Words.' } }, 201)
  const writers = Array.from({ length: 6 }, async () => {
    while (!isOver) await write()
  })
  const readers = Array.from({ length: 2 }, async () => {
    while (!isOver) await send('GET /api/v2/posts?limit=1', {}, 200)
  })
  // Leaves connections behind that are idle when an instance ends.
  const bursts = (async () => {
    while (!isOver) await Promise.all([...Array.from({ length: 24 }, write), wait(150)])
  })()

  for (let round = 0; round < rounds; round++) {
    for (const instance of instances) {
      assert.equal(await instance.end('SIGTERM'), 0)
      await instance.start()
      // nginx asks it again up to a second after it was away.
      answering.delete(instance.url)
      while (!answering.has(instance.url)) await wait(50)
    }
  }
  isOver = true
  await Promise.all([...writers, ...readers, bursts])
  assert.deepEqual(failures, [])
  assert(titles > 100 * rounds, `${titles} writes`)
})
