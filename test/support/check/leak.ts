// Loaded into every test file. One that leaves a server, a timer or a connection open would keep the run waiting for
// ever: it fails instead, and says what is open.

import { after } from 'node:test'

const graceMs = 3_000

if (process.env['NODE_TEST_CONTEXT'] !== undefined) {
  after(() => {
    setTimeout(() => {
      // Two pipes are the test runner's own.
      console.error(`${process.argv[1]} left something open: ${process.getActiveResourcesInfo().join(', ')}`)
      process.exit(1)
    }, graceMs).unref()
  })
}
