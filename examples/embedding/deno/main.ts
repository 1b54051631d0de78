import { createHandler } from 'duet-api'
import { clientAddress, serveApp } from './app.ts'
import { api } from './service.ts'

const basePath = '/backend'
const handler = await createHandler(api, { environment: Deno.env.toObject(), basePath, clientAddress })
const server = serveApp(handler, basePath, Number(Deno.env.get('PORT') ?? 3000))
Deno.addSignalListener('SIGTERM', async () => {
  await handler.close()
  await server.shutdown()
})
