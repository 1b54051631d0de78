// The service of invoices as a process of its own, for tests that kill it.

import { main } from 'duet-api'
import { invoicing } from '../domain/invoicing.ts'

await main(invoicing)
