// Which way requests come to the services that tests start: our own server, or a host's. `DOOR=express npm test -- test/contract`
// sends the tables of the contract through Express.

import type { Service } from '../../../src/resource/language/service.ts'
import type { StartServiceOptions } from '../../../src/service/options.ts'
import { type RunningService, startService } from '../../../src/service/service.ts'
import type { OpenDoor } from './open-door.ts'

/** Hosts, each loaded where it is chosen. */
const doors: Readonly<Record<string, () => Promise<{ readonly open: OpenDoor }>>> = {
  express: () => import('./express.ts'),
  fastify: () => import('./fastify.ts'),
  hono: () => import('./hono.ts'),
  bun: () => import('./bun.ts'),
  deno: () => import('./deno.ts'),
  next: () => import('./next.ts'),
}

/** True where the service runs in another process, on a runtime for which SQLite is not there, and is told the time by us. */
export const isElsewhere = ['bun', 'deno'].includes(process.env['DOOR'] ?? '')

/** Starts a service behind the door that `DOOR` names. */
export async function openByDoor(definition: Service<unknown>, options: StartServiceOptions): Promise<RunningService> {
  const name = process.env['DOOR'] ?? 'own'
  if (name === 'own') return startService(definition, options)
  const load = doors[name]
  if (load === undefined) throw new Error(`DOOR: there is no "${name}", only ${Object.keys(doors).join(', ')} and own.`)
  return (await load()).open(definition, options)
}
