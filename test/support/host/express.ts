// Express as a host.

import { once } from 'node:events'
import { createApp } from '../../../examples/embedding/express/app.ts'
import { openHost } from './host.ts'

export const open = openHost(async (handler) => {
  const server = createApp(handler).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
})
