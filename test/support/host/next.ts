// Next in this process, as it is in production: its route handler finds the service whose server has taken the request.

import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Handler } from '../../../src/http/host/handler.ts'
import { folderOf } from './fetched-host.ts'
import { openHost } from './host.ts'
import { nextApp } from './next-app.ts'

interface Arrival {
  readonly handler: Handler
  readonly request: IncomingMessage
}
interface NextServer {
  prepare(): Promise<void>
  getRequestHandler(): (request: IncomingMessage, response: ServerResponse) => Promise<void>
}

const arrivals = new AsyncLocalStorage<Arrival>()

/** What the route handler calls. The address stands for that of a proxy's header: Next tells none. */
function duetHandler(request: Request): Promise<Response> {
  const { handler, request: incoming } = arrivals.getStore()!
  return handler.fetch(request, incoming)
}
Object.assign(globalThis, { duetHandler })

const next = createRequire(join(folderOf('next'), 'package.json'))('next') as (options: object) => NextServer
const app = next({ dev: false, dir: nextApp })
await app.prepare()
const answer = app.getRequestHandler()

/** Takes out of `Vary` what Next has put there, which docs/embedding.md says: what the service says is left. */
function leaveOutNext(response: ServerResponse): void {
  const { writeHead } = response
  response.writeHead = (...args: readonly unknown[]) => {
    const names = [response.getHeader('Vary') ?? []].flat().join(', ').split(', ')
    const others = names.filter((name) => !/^(?:rsc|next-router-.*|)$/.test(name))
    if (others.length > 0) response.setHeader('Vary', others.join(', '))
    else response.removeHeader('Vary')
    return Reflect.apply(writeHead, response, args)
  }
}

export const open = openHost(
  async (handler) => {
    const server = createServer((request, response) => {
      leaveOutNext(response)
      arrivals.run({ handler, request }, () => void answer(request, response))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return server
  },
  (_, host) => (host as IncomingMessage).socket.remoteAddress ?? null,
)
