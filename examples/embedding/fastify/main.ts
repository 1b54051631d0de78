import { createHandler } from 'duet-api'
import { createApp } from './app.ts'
import { api } from './service.ts'

const basePath = '/backend'
const handler = await createHandler(api, { environment: process.env, basePath })
const app = createApp(handler, basePath)
app.server.on('upgrade', handler.upgrade)
// Before it waits for its connections: subscriptions end with the handler.
app.addHook('preClose', () => handler.close())
await app.listen({ port: Number(process.env['PORT'] ?? 3000) })
process.once('SIGTERM', () => app.close())
