// Ports for servers that tests stop and start again at the same address.

import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

const size = 100
/** Processes of one run, whose ids are close together, have different blocks: nobody takes a port while its server is down. */
const block = 10_000 + (process.pid % 220) * size
let next = randomInt(size)

/**
 * A port of the loopback on which nobody listens. It lies below those that systems give to outgoing connections: one of
 * those would take it while its server is down.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = block + (next++ % size)
    const server = createServer()
    try {
      await once(server.listen(port, '127.0.0.1'), 'listening')
      return port
    } catch {
      // Somebody else's: another one is tried.
    } finally {
      server.close()
    }
  }
}
