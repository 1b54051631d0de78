import { type HttpBindings, serve } from '@hono/node-server'
import { createHandler } from 'duet-api'
import { createApp } from './app.ts'
import { api } from './service.ts'

const basePath = '/backend'
const handler = await createHandler(api, {
  environment: process.env,
  basePath,
  clientAddress: (_request, { incoming }: HttpBindings) => incoming.socket.remoteAddress ?? null,
})
const { fetch } = createApp(handler, basePath)
const server = serve({ fetch, port: Number(process.env['PORT'] ?? 3000) })
server.on('upgrade', handler.upgrade)
process.once('SIGTERM', async () => {
  await handler.close()
  server.close()
})
