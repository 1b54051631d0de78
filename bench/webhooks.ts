// How long webhooks wait next to receivers that hang: `node --conditions=duet-source bench/webhooks.ts [database URL]`. A thousand webhooks
// of fifty accounts are sent 500 messages a second, first while all receivers answer, then while a hundred of them never do.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { start, Webhook } from 'duet-api'
import { heldNow } from '../test/support/check/heap.ts'
import { noticeboard } from '../test/support/domain/noticeboard.ts'
import { dataKey } from '../test/support/server/data-key.ts'
import { secondsOf, sized } from './scale.ts'

const perAccount = 20
const messagesPerSecond = 500

if (process.argv[2] === 'receiver') receive()
else await measure(process.argv[2] ?? 'sqlite::memory:')

/** The receivers of all webhooks, in a process of their own. Sends the waits of each phase, in milliseconds. */
function receive(): void {
  let waits: number[] = []
  let isHanging = false
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (isHanging && request.url === '/hanging') return
      const { timestamp } = JSON.parse(Buffer.concat(chunks).toString())
      waits.push(Date.now() - Date.parse(timestamp))
      response.writeHead(204).end()
    })
  })
  server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
  process.on('message', (phase: 'waits' | 'hang') => {
    if (phase === 'hang') isHanging = true
    process.send!(waits)
    waits = []
  })
  process.once('disconnect', () => process.exit())
}

async function measure(url: string): Promise<void> {
  const receiver = fork(import.meta.filename, ['receiver'])
  const [port] = (await once(receiver, 'message')) as [number]
  const { User, Note } = noticeboard.resources
  const accounts: string[] = []
  const running = await start(noticeboard, {
    environment: { PORT: '0', LOG_LEVEL: 'error', DATA_KEY: dataKey, DATABASE_URL: url },
    demo(seed, password) {
      for (let made = 0; made < sized(50, 2); made++)
        accounts.push(seed.create(User, { email: `${made}@example.com`, password, createdAt: new Date() }))
    },
  })
  for (const id of accounts)
    for (let index = 0; index < perAccount; index++)
      await running.as(id).records.create(Webhook, {
        url: `http://127.0.0.1:${port}/${index % 10 === 0 ? 'hanging' : 'answering'}`,
        events: ['noteCreated'],
        apiVersion: 'v2',
      })
  const ask = async (phase: 'waits' | 'hang') => {
    receiver.send(phase)
    return ((await once(receiver, 'message')) as [number[]])[0]
  }
  /** Only the author of a note receives it, by all webhooks of theirs. */
  async function send(seconds: number): Promise<void> {
    const notes = Math.max(2, Math.round((seconds * messagesPerSecond) / perAccount))
    const begunAt = performance.now()
    for (let made = 0; made < notes; made++) {
      await running.as(accounts[made % accounts.length]!).records.create(Note, { title: `Note ${made}` })
      await wait(Math.max(0, begunAt + ((made + 1) * 1_000 * perAccount) / messagesPerSecond - performance.now()))
    }
    await wait(sized(1_500, 300))
  }
  try {
    await send(secondsOf(3))
    await ask('waits')
    const before = heldNow()
    const processor = process.cpuUsage()
    await send(secondsOf(20))
    const usual = await ask('hang')
    await send(secondsOf(20))
    const besides = await ask('waits')
    const { user, system } = process.cpuUsage(processor)
    const perMessage = ((user + system) / 1_000 / (usual.length + besides.length)).toFixed(2)
    const [p99Usual, p99] = [at(usual, 0.99), at(besides, 0.99)]
    const megabytes = ((heldNow() - before) / 2 ** 20).toFixed(1)
    process.stdout.write(
      `${usual.length} messages to ${accounts.length * perAccount} webhooks: p50 ${at(usual, 0.5)} ms, p99 ${p99Usual} ms\n` +
        `${besides.length} messages while ${accounts.length * (perAccount / 10)} receivers hang: p50 ${at(besides, 0.5)} ms, p99 ${p99} ms, ` +
        `${(p99 / Math.max(1, p99Usual)).toFixed(2)} times as long, ${megabytes} MB more\n` +
        `${perMessage} ms of processor time per message\n`,
    )
  } finally {
    receiver.disconnect()
    await running.stop()
  }
}

function at(waits: readonly number[], part: number): number {
  const place = Math.floor((waits.length - 1) * part)
  return [...waits].sort((one, other) => one - other)[place] ?? 0
}
