// Another instance of the service that a test runs: same definition, same database, same clock, an address of its own.

import { api } from '../../../reference/service.ts'
import type { Limits } from '../../../src/limits.ts'
import { silentLog } from '../../../src/observation/log.ts'
import type { Service } from '../../../src/resource/language/service.ts'
import { readConfiguration } from '../../../src/service/configuration/configuration.ts'
import { startService } from '../../../src/service/service.ts'
import type { StartServiceOptions } from '../../../src/service/start/options.ts'
import { type Client, createClient } from '../client/http-client.ts'
import { dataKey } from './data-key.ts'
import { type OwnParts, withParts } from './own-parts.ts'
import { patientLimits } from './patient-limits.ts'
import type { TestService } from './service.ts'

export interface Instance {
  readonly url: string
  readonly client: Client
  /** Resolves once the events of earlier writes, of all instances, were handed to who listens here. */
  settled(): Promise<void>
  stop(): Promise<void>
}

export interface InstanceOptions extends Pick<StartServiceOptions, 'issuers'>, Partial<OwnParts> {
  /** Of what; the reference service unless said. */
  readonly definition?: Service<unknown>
  readonly limits?: Partial<Limits>
  readonly environment?: Readonly<Record<string, string>>
}

/** It asks for news of the others more often than usual, so that tests wait less, unless told otherwise. */
export async function startInstance(
  { databaseUrl, now }: Pick<TestService, 'databaseUrl' | 'now'>,
  {
    definition: own = api,
    limits,
    environment: settings = {},
    routes,
    reactions,
    schedules,
    ...options
  }: InstanceOptions = {},
): Promise<Instance> {
  const unlimited = { LIMIT_IP_PER_MINUTE: '0', LIMIT_USER_PER_HOUR: '0', LIMIT_LOGIN_PER_MINUTE: '0' }
  const environment = {
    DATA_KEY: dataKey,
    ...unlimited,
    ...settings,
    DATABASE_URL: databaseUrl,
    PORT: '0',
    NODE_ENV: 'test',
  }
  const configuration = readConfiguration(environment)
  const definition = withParts(own, { routes, reactions, schedules })
  const running = await startService(definition, {
    ...options,
    configuration: {
      ...configuration,
      limits: { ...configuration.limits, ...patientLimits, noticesMs: 20, ...limits },
    },
    log: silentLog,
    clock: now,
  })
  const client = createClient(running.url)
  return {
    url: running.url,
    client,
    settled: running.settled,
    async stop() {
      client.close()
      await running.stop()
    },
  }
}
