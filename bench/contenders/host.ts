// The reference service behind the app of an example, or behind our own server.

import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type HttpBindings, serve } from '@hono/node-server'
import { createApp as createExpress } from '../../examples/embedding/express/app.ts'
import { createApp as createFastify } from '../../examples/embedding/fastify/app.ts'
import { createApp as createHono } from '../../examples/embedding/hono/app.ts'
import type { Handler } from '../../src/http/host/handler.ts'
import type { Service } from '../../src/resource/language/service.ts'
import { type OpenHandlerOptions, openHandler } from '../../src/service/open-handler.ts'
import type { RunningService } from '../../src/service/service.ts'

/** Starts it behind this host on a free port; answers where it listens. */
export const startBehind =
  (host: string) =>
  async (definition: Service<unknown>, options: OpenHandlerOptions): Promise<Pick<RunningService, 'url' | 'stop'>> => {
    if (host === 'next') return (await import('../../test/support/host/next.ts')).open(definition, options)
    const clientAddress = (_: Request, bindings: unknown) =>
      (bindings as HttpBindings).incoming.socket.remoteAddress ?? null
    const { handler } = await openHandler(definition, { ...options, clientAddress })
    const server = await listen(host, handler)
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      async stop() {
        await handler.close()
        server.close()
      },
    }
  }

async function listen(host: string, handler: Handler): Promise<Server> {
  if (host === 'fastify') {
    const app = createFastify(handler, '')
    await app.listen({ port: 0, host: '127.0.0.1' })
    return app.server
  }
  const server =
    host === 'express'
      ? createExpress(handler).listen(0, '127.0.0.1')
      : serve({ fetch: createHono(handler as Handler<HttpBindings>, '').fetch, port: 0, hostname: '127.0.0.1' })
  await once(server, 'listening')
  return server as Server
}
