// An HTTP server of its own for one test, with a pipeline that shows what it was given.

import type { TestContext } from 'node:test'
import type { Reply } from '../../../src/http/message/exchange.ts'
import { parseTrustProxy } from '../../../src/http/server/address.ts'
import type { ConnectionsOptions } from '../../../src/http/server/connections.ts'
import type { ServerExchange } from '../../../src/http/server/http-exchange.ts'
import { HttpServer } from '../../../src/http/server/server.ts'
import { defaultLimits, type Limits } from '../../../src/limits.ts'

export interface TestServer {
  readonly port: number
  readonly server: HttpServer
  /** What the log was told, oldest first. */
  readonly log: { readonly level: string; readonly fields: object; readonly message: string }[]
  /** The exchanges that reached the pipeline, as `GET /path`. */
  readonly seen: string[]
}

type Overrides = Partial<Omit<ConnectionsOptions, 'limits'>> & { readonly limits?: Partial<Limits> }

/** Listens on a free port of the loopback until the test ends. */
export async function startServer(
  t: TestContext,
  { limits, answer = echo, ...overrides }: Overrides = {},
): Promise<TestServer> {
  const log: TestServer['log'] = []
  const seen: string[] = []
  const server = new HttpServer({
    limits: { ...defaultLimits, drainMs: 1_000, lingerMs: 1_000, ...limits },
    now: () => new Date(0),
    trustProxy: parseTrustProxy(undefined),
    log: {
      warn: (fields, message) => log.push({ level: 'warn', fields, message }),
      error: (fields, message) => log.push({ level: 'error', fields, message }),
    },
    answer: (exchange) => {
      seen.push(`${exchange.method} ${exchange.path}`)
      return answer(exchange)
    },
    ...overrides,
  })
  const { port } = await server.listen(0, '127.0.0.1')
  t.after(() => server.close())
  return { port, server, log, seen }
}

/** Answers with what it was asked; a body is read where there is one, up to 1,000 bytes, except under `/unread`. */
export async function echo(exchange: ServerExchange): Promise<Reply> {
  const { method, path, query, address, hasBody } = exchange
  const body = hasBody && path !== '/unread' ? await exchange.json(1_000) : null
  const data = { method, path, query, address, body }
  return { status: 200, headers: { 'Cache-Control': 'private, no-cache' }, body: JSON.stringify({ data }) }
}

/** Lets requests to `/slow` wait until they are released. */
export function gate() {
  const released = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<ServerExchange>()
  const answer = async (exchange: ServerExchange) => {
    if (exchange.path === '/slow') {
      reached.resolve(exchange)
      await released.promise
    }
    return echo(exchange)
  }
  return { answer, reached: reached.promise, release: released.resolve }
}
