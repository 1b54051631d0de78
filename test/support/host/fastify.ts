// Fastify as a host.

import { createApp } from '../../../examples/embedding/fastify/app.ts'
import { openHost } from './host.ts'

export const open = openHost(async (handler) => {
  const app = createApp(handler, '')
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app.server
})
