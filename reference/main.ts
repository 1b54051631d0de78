import { main } from 'duet'
import { fillDemo } from './demo.ts'
import { api } from './service.ts'

/** What `npm start` runs: the reference service, with demo data in a new database. */
await main(api, { demo: fillDemo })
