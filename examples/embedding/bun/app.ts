import type { Handler } from 'duet-api'

/** Bun's server with a route of its own. What is below the base path is answered by the handler. */
export const serveApp = (handler: Handler<Bun.Server>, basePath: string, port: number): Bun.Server =>
  Bun.serve({
    port,
    hostname: '127.0.0.1',
    routes: {
      '/about': () => Response.json({ about: 'a route of Bun' }),
      [`${basePath}/*`]: (request, server) => handler.fetch(request, server),
    },
  })

/** Who has sent a request, as Bun knows it. */
export const clientAddress = (request: Request, server: Bun.Server): string | null =>
  server.requestIP(request)?.address ?? null
