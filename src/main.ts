// Runs a service as a process: environment in, signals, and what a person who starts it wants to read.
// Only this file and the command touch `process`.

import type { TrustedIssuer } from './authentication/outside-issuer.ts'
import { UnusableKey } from './authentication/signing-key.ts'
import { ConfigurationError, readConfiguration } from './configuration.ts'
import { createLog } from './observation/log.ts'
import { ServiceDefinitionError } from './resource/contradiction.ts'
import type { Service } from './resource/service.ts'
import type { Seed } from './seed.ts'
import { type RunningService, startService } from './service.ts'

export interface MainOptions {
  /** Outside issuers whose access tokens are believed beside our own. */
  readonly issuers?: readonly TrustedIssuer[]
  /** Fills a new, empty database while `DEMO_DATA` is on. Accounts get the password `demoPassword`, given hashed. */
  readonly demo?: (seed: Seed, passwordHash: string) => void
}
/** The password of the demo accounts; printed at every start with demo data. */
export const demoPassword = 'duet-demo-password'

/** Starts the service as the environment configures it, and stops it on SIGTERM or SIGINT. (contract 0) */
export async function main(definition: Service<unknown>, { demo, issuers = [] }: MainOptions = {}): Promise<void> {
  try {
    const configuration = readConfiguration(process.env)
    const log = createLog({ json: configuration.production, write: (line) => process.stdout.write(line) })
    const service = await startService(definition, {
      configuration,
      log,
      clock: () => new Date(),
      issuers,
      ...(demo === undefined ? {} : { demo: { password: demoPassword, fill: demo } }),
    })
    if (configuration.production) log.info('Listening.', { url: service.url })
    else process.stdout.write(welcome(service, demo !== undefined && configuration.demoData))
    stopOnSignal(service)
  } catch (error) {
    // Whoever starts a service wants the sentence; only what nobody foresaw needs its stack.
    const isForeseen = [ConfigurationError, ServiceDefinitionError, UnusableKey].some((kind) => error instanceof kind)
    process.stderr.write(
      `${isForeseen || !(error instanceof Error) ? String((error as Error).message) : (error.stack ?? error.message)}\n`,
    )
    process.exitCode = 1
  }
}

function stopOnSignal(service: RunningService): void {
  let isStopping = false
  const stop = () => {
    if (isStopping) return
    isStopping = true
    service.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  process.once('SIGTERM', stop).once('SIGINT', stop)
}

function welcome({ url, model }: RunningService, hasDemo: boolean): string {
  const version = model.versions.at(-1)!.name
  const addresses = [
    `Duet is listening on ${url}`,
    '',
    `  REST      ${url}/api/${version}/${model.resources[0]!.path}`,
    `  GraphQL   ${url}/graphql`,
    `  Health    ${url}/health/ready`,
  ]
  if (!hasDemo) return `${addresses.join('\n')}\n\n`
  const login = `curl -s ${url}/auth/login -H 'Content-Type: application/json' -d '{"email":"editor@example.com","password":"${demoPassword}"}'`
  const query = `curl -s ${url}/graphql -H 'Content-Type: application/json' -d '{"query":"{ users(first: 2) { nodes { id name posts(limit: 2) { title } } } }"}'`
  const demo = [
    '',
    `Demo accounts: admin@example.com, editor@example.com, viewer@example.com; password: ${demoPassword}`,
    '',
    'Sign in:',
    `  ${login}`,
    'Ask GraphQL:',
    `  ${query}`,
  ]
  return `${[...addresses, ...demo].join('\n')}\n\n`
}
