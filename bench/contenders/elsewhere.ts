// The reference service behind the example of another runtime, which runs this file itself and names the example.

import { api } from '../../reference/service.ts'
import { silentLog } from '../../src/observation/log.ts'
import { openHandler } from '../../src/service/open-handler.ts'
import { configurationOn } from './configuration.ts'

const [host] = process.argv.slice(-1)
const { serveApp, clientAddress } = await import(`../../examples/embedding/${host}/app.ts`)
const configuration = configurationOn(process.env['BENCH_DATABASE_URL']!)
const { handler } = await openHandler(api, { configuration, log: silentLog, clock: () => new Date(), clientAddress })
const server = serveApp(handler, '', 0)
process.once('SIGTERM', async () => {
  await handler.close()
  process.exit(0)
})
process.stdout.write(`Duet is listening on http://127.0.0.1:${server.port ?? server.addr.port}\n`)
