// The process of `elsewhere.ts`: a service behind the app of an example, with the clock of the test, which tells
// the time with every request.

import { silentLog } from '../../../src/observation/log.ts'
import { openHandler } from '../../../src/service/open-handler.ts'

const [app] = process.argv.slice(-1)
const { configuration: read, module, random } = JSON.parse(process.env['DUET_TEST']!)
// JSON has no bytes.
const configuration = { ...read, dataKeys: read.dataKeys?.map((key: object) => Buffer.from(key as never)) ?? null }
const [path, name] = module
const { [name]: definition } = await import(`../../../${path}`)
const { serveApp, clientAddress } = await import(`../../../examples/embedding/${app}/app.ts`)

let now = Date.now()
const { handler } = await openHandler(definition, {
  configuration,
  log: silentLog,
  clock: () => new Date(now),
  clientAddress,
  ...(random === undefined ? {} : { random: () => random }),
})
const fetch = (request: Request, host: unknown): Promise<Response> => {
  now = Number(request.headers.get('x-test-now') ?? now)
  return handler.fetch(request, host)
}
const server = serveApp({ fetch }, '', 0)
process.stdout.write(`Duet is listening on http://127.0.0.1:${server.port ?? server.addr.port}\n`)
process.once('SIGTERM', async () => {
  await handler.close()
  process.exit(0)
})
