// How the reference service is configured where it is measured. Every limit works; the rate limits are raised.

import { type Configuration, readConfiguration } from '../../src/service/configuration/configuration.ts'
import { dataKey } from '../../test/support/server/data-key.ts'

const plenty = '1000000000'

/** On a free port, with its records there. */
export function configurationOn(databaseUrl: string): Configuration {
  const configuration = readConfiguration({
    PORT: '0',
    DATABASE_URL: databaseUrl,
    DATA_KEY: dataKey,
    LIMIT_IP_PER_MINUTE: plenty,
    LIMIT_USER_PER_HOUR: plenty,
    LIMIT_LOGIN_PER_MINUTE: plenty,
    // The nested query costs more than the default allows; it is weighed all the same.
    LIMIT_QUERY_COMPLEXITY: plenty,
  })
  // A run takes longer than a token lasts.
  return { ...configuration, limits: { ...configuration.limits, accessTokenSeconds: 7_200 } }
}

/** Of every account that the bench writes. */
export const password = 'bench-password'
