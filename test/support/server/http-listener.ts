// A server for a request listener, as a host has one.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TestContext } from 'node:test'

type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/** A host's server on a free port until the test ends; returns its address. */
export async function serve(t: TestContext, listener: RequestListener, upgrade?: Upgrade): Promise<string> {
  const server = createServer(listener)
  if (upgrade !== undefined) server.on('upgrade', upgrade)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(async () => {
    server.closeAllConnections()
    await once(server.close(), 'close')
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
