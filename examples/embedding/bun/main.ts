import { createHandler } from 'duet-api'
import { clientAddress, serveApp } from './app.ts'
import { api } from './service.ts'

const basePath = '/backend'
const handler = await createHandler(api, { environment: process.env, basePath, clientAddress })
const server = serveApp(handler, basePath, Number(process.env['PORT'] ?? 3000))
process.once('SIGTERM', async () => {
  await handler.close()
  await server.stop()
})
