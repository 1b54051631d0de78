// A proxy that plants one fault in a service: it alters what is sent or what is received.

import { once } from 'node:events'
import { createServer, request as forward, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export interface Sent {
  method: string
  target: string
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

export interface Received {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

export interface Fault {
  readonly name: string
  /** The clauses that a service with it breaks, as `--only` takes them. */
  readonly breaks: string
  request?(sent: Sent): void
  answer?(received: Received, sent: Readonly<Sent>): void
}

export interface FaultyProxy {
  readonly url: string
  plant(fault: Fault | null): void
  close(): Promise<void>
}

export async function startFaultyProxy(service: string): Promise<FaultyProxy> {
  const { hostname, port } = new URL(service)
  let fault: Fault | null = null
  const server = createServer(async (incoming, outgoing) => {
    const sent = { ...requestOf(incoming), body: await buffer(incoming) }
    const original = { ...sent }
    fault?.request?.(sent)
    if (sent.body.length > 0 || original.body.length > 0) {
      sent.headers['content-length'] = String(sent.body.length)
      delete sent.headers['transfer-encoding']
    }
    for (const [name, value] of Object.entries(sent.headers)) if (value === undefined) delete sent.headers[name]
    const request = forward({ hostname, port, method: sent.method, path: sent.target, headers: sent.headers })
    request.on('error', () => outgoing.destroy())
    request.end(sent.body)
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    const received = { status: response.statusCode!, headers: { ...response.headers }, body: await buffer(response) }
    fault?.answer?.(received, original)
    if (received.body.length > 0) received.headers['content-length'] = String(received.body.length)
    delete received.headers['transfer-encoding']
    delete received.headers['connection']
    outgoing.writeHead(received.status, received.headers)
    outgoing.end(received.body)
  })
  server.on('checkContinue', (_, outgoing) => outgoing.writeHead(417).end())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    plant(next) {
      fault = next
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const requestOf = ({ method, url, headers }: IncomingMessage): Omit<Sent, 'body'> => ({
  method: method!,
  target: url!,
  headers: { ...headers },
})
