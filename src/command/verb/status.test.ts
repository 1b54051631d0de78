import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { on } from 'duet-api'
import { Post } from '../../../reference/post.ts'
import { assertRefused, repository, startsNothing } from '../../../test/support/process/command.ts'
import { withService } from '../../../test/support/server/service.ts'
import { statusCommand } from './status.ts'

async function status(args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const printed: string[] = []
  const write = (text: string) => void printed.push(text)
  const environment = { folder: repository, variables, now: () => new Date(), write, note: () => {}, ...startsNothing }
  return [await statusCommand(args, environment), printed.join('')] as const
}

withService('duet status', (service) => {
  test('reports that a service is ready, and how what it needs is', async () => {
    const { url } = service()
    assert.deepEqual(await status(['--url', url]), [0, `${url} is ready\n  database: ok\n`])
    assert.deepEqual(await status([], { BASE_URL: url }), [0, `${url} is ready\n  database: ok\n`])
    const [, text] = await status(['--url', `${url}/`, '--json'])
    assert.deepEqual(JSON.parse(text), { address: `${url}/`, status: 'ok', dependencies: { database: 'ok' } })
  })
})

const created = on(Post, 'postCreated', async () => {})
withService(
  'duet status of what the service does by itself',
  (service) => {
    test('14.2.7 lists reactions, timed moves and schedules, if the database is named', async () => {
      const { url, databaseUrl } = service()
      const variables = { BASE_URL: url, DATABASE_URL: databaseUrl }
      const [, text] = await status([], variables)
      const lines = text.slice(text.indexOf('\n\n') + 2).split('\n')
      assert.deepEqual(
        lines.map((each) => each.split(/ {2,}/).slice(0, 4).join(' ')),
        ['reaction waiting running dead letters', 'Order.expire 0 0 0', 'archive 0 0 0', 'postCreated 0 0 0', ''],
      )
      const [, json] = await status(['--json'], variables)
      assert.deepEqual(
        JSON.parse(json).work.map(({ name, doneAt }: Record<string, unknown>) => [name, doneAt]),
        [
          ['Order.expire', null],
          ['archive', null],
          ['postCreated', null],
        ],
      )
      assert.equal((await status(['--url', url], variables))[1], `${url} is ready\n  database: ok\n`)
      const unread = { BASE_URL: url, DATABASE_URL: 'sqlite:/nowhere/duet.sqlite' }
      assert.deepEqual(await status([], unread), [0, `${url} is ready\n  database: ok\n`])
    })
  },
  { reactions: [created] },
)

test('ends with 1 where a service is not ready', async () => {
  const body = '{"data":{"status":"unavailable","dependencies":{"database":"lost"}}}'
  const server = createServer((_, response) => response.writeHead(503).end(body)).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  assert.deepEqual(await status(['--url', url]), [1, `${url} cannot do its work\n  database: lost\n`])
  await new Promise((resolve) => server.close(resolve))
})

test('reports what is wrong where no service answers', async () => {
  await assertRefused(
    status(['--url', 'http://127.0.0.1:1']),
    /^Nothing answers at http:\/\/127\.0\.0\.1:1\/health\/ready: /,
  )
  await assertRefused(status(['--url', 'nowhere']), /^nowhere is no address of a service\.$/, 2)
  const server = createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await assertRefused(status(['--url', url]), /is no service of Duet: it answered 200\.$/)
  await new Promise((resolve) => server.close(resolve))
})
