// A host in this process: a handler, and whatever serves it.

import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ClientAddress } from '../../../src/http/host/fetch-listener.ts'
import type { Handler } from '../../../src/http/host/handler.ts'
import { openHandler } from '../../../src/service/open-handler.ts'
import type { StartOnHost } from './start-on-host.ts'

/** Opens a handler and hands it to a host, which listens on a free port of the loopback. */
export const openHost =
  (serve: (handler: Handler) => Promise<Server>, clientAddress?: ClientAddress): StartOnHost =>
  async (definition, options) => {
    const { handler, inner } = await openHandler(definition, { ...options, clientAddress })
    const server = await serve(handler)
    server.on('upgrade', (request, socket, head) => void handler.upgrade(request, socket, head))
    return {
      ...inner,
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      metricsUrl: null,
      async stop() {
        await handler.close()
        const closed = new Promise((resolve) => server.close(resolve))
        server.closeAllConnections()
        await closed
      },
    }
  }
