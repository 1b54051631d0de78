import type { Handler } from 'duet-api'

/** Deno's server with a route of its own. What is below the base path is answered by the handler. */
export const serveApp = (handler: Handler<Deno.ServeHandlerInfo>, basePath: string, port: number): Deno.HttpServer =>
  Deno.serve({ port, hostname: '127.0.0.1' }, (request, info) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/about') return Response.json({ about: 'a route of Deno' })
    if (pathname.startsWith(`${basePath}/`)) return handler.fetch(request, info)
    return new Response('Not found', { status: 404 })
  })

/** Who has sent a request, as Deno knows it. */
export const clientAddress = (_request: Request, { remoteAddr }: Deno.ServeHandlerInfo): string | null =>
  'hostname' in remoteAddr ? remoteAddr.hostname : null
