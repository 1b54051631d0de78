// What stands between a client and the service in tests: an address that stays while instances come and go, that counts
// what passes, loses an answer when told to, and serves pages for browsers.

import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'

export interface Front {
  readonly url: string
  /** Sends what comes to this address, or, with null, to nobody. */
  lead(to: string | null): void
  /** How many requests have passed, such as `POST /auth/refresh`; WebSockets count as `UPGRADE /graphql`. */
  count(line: string): number
  /** The next request of this kind is carried out, and its answer lost. */
  loseAnswer(line: string): void
  /** Whether upgrades are refused, as by a proxy that knows no WebSockets. */
  refuseUpgrades(isRefused: boolean): void
  /** Ends every connection that is open, in the middle of whatever it does. */
  cut(): void
  stop(): Promise<void>
}

export async function startFront(
  pages: Readonly<Record<string, readonly [type: string, text: string]>> = {},
): Promise<Front> {
  let target: URL | null = null
  let isWithoutUpgrades = false
  const counts = new Map<string, number>()
  const lost: string[] = []
  const connections = new Set<Socket>()

  const server = createServer((incoming, answer) => {
    const page = pages[incoming.url ?? '']
    if (page === undefined) return void forward(incoming, answer)
    answer.writeHead(200, { 'Content-Type': page[0] }).end(page[1])
  })
  server.on('connection', (socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    take('UPGRADE', incoming)
    if (isWithoutUpgrades) return void socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
    if (target === null) return socket.destroy()
    const there = connect(Number(target.port), target.hostname)
    const lines = incoming.rawHeaders.flatMap((each, index, all) =>
      index % 2 === 0 ? [`${each}: ${all[index + 1]}`] : [],
    )
    there.write(`GET ${incoming.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
    there.write(head)
    there.pipe(socket).pipe(there)
    for (const [one, other] of [
      [socket, there],
      [there, socket],
    ] as const) {
      one.on('error', () => other.destroy()).on('close', () => other.destroy())
    }
  })

  function take(method: string, incoming: IncomingMessage): boolean {
    const line = `${method} ${incoming.url?.split('?')[0]}`
    counts.set(line, (counts.get(line) ?? 0) + 1)
    const at = lost.indexOf(line)
    if (at !== -1) lost.splice(at, 1)
    return at !== -1
  }

  function forward(incoming: IncomingMessage, answer: ServerResponse): void {
    const isLost = take(incoming.method!, incoming)
    if (target === null) return void incoming.socket.destroy()
    const { method, url: path, headers } = incoming
    const sent = request({ host: target.hostname, port: target.port, method, path, headers })
    sent.on('error', () => incoming.socket.destroy())
    sent.on('response', (answered) => {
      if (isLost) return void answered.resume().on('end', () => incoming.socket.destroy())
      // A browser asks again by itself where a connection that was kept breaks, whatever the method; where it was not, it
      // leaves that to the client.
      answer.writeHead(answered.statusCode!, { ...answered.headers, connection: 'close' })
      answered.on('error', () => incoming.socket.destroy())
      answer.on('close', () => sent.destroy())
      answered.pipe(answer)
    })
    incoming.pipe(sent)
  }

  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lead(to) {
      target = to === null ? null : new URL(to)
    },
    count: (line) => counts.get(line) ?? 0,
    loseAnswer: (line) => void lost.push(line),
    refuseUpgrades(isRefused) {
      isWithoutUpgrades = isRefused
    },
    cut() {
      for (const socket of connections) socket.destroy()
    },
    async stop() {
      for (const socket of connections) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
