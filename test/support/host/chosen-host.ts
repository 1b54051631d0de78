// Which way requests come to the services that tests start: our own server, or a host's. `TEST_HOST=express npm test -- test/contract`
// sends the tables of the contract through Express.

import type { Service } from '../../../src/resource/language/service.ts'
import { type RunningService, startService } from '../../../src/service/service.ts'
import type { StartServiceOptions } from '../../../src/service/start/options.ts'
import type { StartOnHost } from './start-on-host.ts'

/** Hosts, each loaded where it is chosen. */
const hosts: Readonly<Record<string, () => Promise<{ readonly open: StartOnHost }>>> = {
  express: () => import('./express.ts'),
  fastify: () => import('./fastify.ts'),
  hono: () => import('./hono.ts'),
  bun: () => import('./bun.ts'),
  deno: () => import('./deno.ts'),
  next: () => import('./next.ts'),
}

/** True where the service runs in another process, on a runtime for which SQLite is not there, and is told the time by us. */
export const isElsewhere = ['bun', 'deno'].includes(process.env['TEST_HOST'] ?? '')

/** Starts a service behind the host that `TEST_HOST` names. */
export async function startOnHost(definition: Service<unknown>, options: StartServiceOptions): Promise<RunningService> {
  const name = process.env['TEST_HOST'] ?? 'own'
  if (name === 'own') return startService(definition, options)
  const load = hosts[name]
  if (load === undefined)
    throw new Error(`TEST_HOST: there is no "${name}", only ${Object.keys(hosts).join(', ')} and own.`)
  return (await load()).open(definition, options)
}
