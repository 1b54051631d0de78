import { createHandler } from 'duet-api'
import { createApp } from './app.ts'
import { api } from './service.ts'

const handler = await createHandler(api, { environment: process.env, basePath: '/backend' })
const server = createApp(handler).listen(Number(process.env['PORT'] ?? 3000))
server.on('upgrade', handler.upgrade)
process.once('SIGTERM', async () => {
  await handler.close()
  server.close()
})
