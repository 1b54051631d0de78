// Examines a service without its database.

import type { Configuration } from '../configuration/configuration.ts'
import { type Environment, nearMisses } from '../configuration/unknown-variables.ts'
import { variables } from '../configuration/variables.ts'
import { openRequestCounter } from '../open/open-admission.ts'
import { type Finding, warning, well } from './finding.ts'

/** Never rejects. */
export async function examineConfiguration(
  configuration: Configuration,
  environment: Environment,
): Promise<readonly Finding[]> {
  const misspelt = nearMisses(environment, new Set(Object.keys(variables))).map((sentence) =>
    warning('configuration', sentence, 'Rename the variable, or remove it.'),
  )
  const advice = configuration.production ? adviceFor(configuration) : []
  const kind = configuration.production ? 'production' : 'development (NODE_ENV is not production)'
  return [
    ...misspelt,
    ...advice,
    ...(misspelt.length + advice.length === 0 ? [well('configuration', `Every variable is read, for ${kind}.`)] : []),
    ...(await examineRedis(configuration)),
  ]
}

function adviceFor({ baseUrl, smtpUrl, demoData }: Configuration): readonly Finding[] {
  const found: Finding[] = []
  if (baseUrl !== null && new URL(baseUrl).protocol === 'http:') {
    const sentence = 'BASE_URL begins with http: passwords and tokens cross the network in clear.'
    found.push(warning('configuration', sentence, 'End TLS before the service, and let BASE_URL begin with https.'))
  }
  if (smtpUrl === null)
    found.push(warning('configuration', 'SMTP_URL is not set: passwords cannot be reset.', 'Set SMTP_URL.'))
  if (demoData) found.push(warning('configuration', 'DEMO_DATA is on in production.', 'Remove DEMO_DATA.'))
  return found
}

async function examineRedis(configuration: Configuration): Promise<readonly Finding[]> {
  if (configuration.redisUrl === null) return []
  const silent = { warn: () => {}, info: () => {} }
  try {
    const { counter } = await openRequestCounter(configuration, silent)
    const { state } = counter
    await counter.close()
    if (state === 'ok') return [well('redis', 'Redis answers.')]
  } catch {
    // Not logged: the message may contain the address with a password.
  }
  const sentence = 'Redis does not answer: each instance counts rate limits alone.'
  return [warning('redis', sentence, 'Start Redis, or correct REDIS_URL.')]
}
