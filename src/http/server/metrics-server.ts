// Serves metrics on a port of their own, as they need no credential and are for the operator only.

import type { AddressInfo } from 'node:net'
import { http } from '../../dependency/node-http.ts'
import type { Limits } from '../../limits.ts'

export interface MetricsServer {
  readonly url: string
  close(): Promise<void>
}
export interface MetricsServerOptions {
  readonly port: number
  readonly host: string
  /** The body of `GET /metrics`. Never rejects. */
  readonly expose: () => Promise<string>
  readonly mediaType: string
  readonly limits: Pick<Limits, 'headersTimeoutMs' | 'metricsConnections'>
}

export async function openMetricsServer({
  port,
  host,
  expose,
  mediaType,
  limits,
}: MetricsServerOptions): Promise<MetricsServer> {
  const server = http.createServer({ headersTimeout: limits.headersTimeoutMs, requestTimeout: limits.headersTimeoutMs })
  server.maxConnections = limits.metricsConnections
  server.on('request', async ({ method, url }, response) => {
    const isKnown = url?.split('?', 1)[0] === '/metrics'
    const isRead = method === 'GET' || method === 'HEAD'
    if (!isKnown || !isRead) {
      response.writeHead(isKnown ? 405 : 404, { 'Content-Length': 0, ...(isKnown ? { Allow: 'GET, HEAD' } : {}) }).end()
      return
    }
    const body = Buffer.from(await expose())
    response.writeHead(200, { 'Content-Type': mediaType, 'Content-Length': body.length, 'Cache-Control': 'no-store' })
    response.end(method === 'HEAD' ? undefined : body)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      // As in the API server, no error here may end the process.
      server.on('error', () => undefined)
      resolve()
    })
  })
  // Only the API keeps the process alive.
  server.unref()
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
