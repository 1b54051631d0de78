// Hono as a host.

import type { Server } from 'node:http'
import { type HttpBindings, serve } from '@hono/node-server'
import { createApp } from '../../../examples/embedding/hono/app.ts'
import type { Handler } from '../../../src/http/host/handler.ts'
import { openHost } from './host.ts'

export const open = openHost(
  (handler) =>
    new Promise((resolve) => {
      const { fetch } = createApp(handler as Handler<HttpBindings>, '')
      const server = serve({ fetch, port: 0, hostname: '127.0.0.1' }, () => resolve(server as Server))
    }),
  (_, host) => (host as HttpBindings).incoming.socket.remoteAddress ?? null,
)
