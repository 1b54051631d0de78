import { enableCompileCache } from 'node:module'

// What is compiled once need not be compiled at the next start; so everything else is imported after this.
enableCompileCache()
const { main } = await import('duet-api')
const { fillDemo } = await import('./demo.ts')
const { api, info } = await import('./service.ts')

/** What `npm start` runs: the reference service, with demo data in a new database. */
await main(api, { demo: fillDemo, info })
