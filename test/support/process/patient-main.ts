// The reference service with an hour for stopping, so that a test in which it waits for all of that does not end.

import { main } from 'duet-api'
import { api, info } from '../../../reference/service.ts'
import { defaultLimits } from '../../../src/limits.ts'

Object.assign(defaultLimits, { drainMs: 3_600_000, stopMs: 3_600_000 })
await main(api, { info })
