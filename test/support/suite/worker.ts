// A process of the suite: runs the test files that its parent names, one after the other and each as a suite of its own,
// so that they share what is imported and compiled.

import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import { type FromWorker, type Order, type Ready, sent } from './reporter.ts'
import { describe, startTracking, stopTracking, test } from './test-tracking.ts'

const graceMs = 3_000
const statPath = '/proc/self/stat'

// Opened by the first use; no file leaves them open.
void [process.stdout, process.stderr]

process.on('message', async ({ path }: Order) => {
  if (path === null) return end()
  send({ is: 'ready', ended: await runFile(path) })
})
let lastPath = ''
// node:test does not know their test, and lets it pass.
for (const event of ['uncaughtException', 'unhandledRejection'])
  process.on(event, (error: unknown) => {
    if (process.connected) send({ is: 'uncaught', path: lastPath, failure: `${event}: ${inspect(error)}` })
  })
send({ is: 'ready', ended: null })

function send(message: FromWorker): void {
  process.send!(message)
}

function end(): void {
  process.disconnect()
  // What files left open, which their report names, would keep this process alive.
  setTimeout(() => process.exit(), graceMs).unref()
}

async function runFile(path: string): Promise<Ready['ended']> {
  const resources = process.getActiveResourcesInfo()
  const cpuMs = processorMs()
  const isSent = once(sent, path)
  lastPath = path
  startTracking()
  await describe(path, () => importTests(path))
  await isSent
  const leftOpen = await openBeside(resources)
  return { path, cpuMs: processorMs() - cpuMs, leftOpen }
}

/** What this process took and, on Linux, the children that have ended. */
function processorMs(): number {
  const { user, system } = process.cpuUsage()
  const own = (user + system) / 1000
  if (!existsSync(statPath)) return own
  // Fields 16 and 17, in hundredths of a second, of which the name may have spaces (proc(5)).
  const [childUser, childSystem] = readFileSync(statPath, 'utf8').split(') ').at(-1)!.split(' ').slice(13, 15)
  return own + 10 * (Number(childUser) + Number(childSystem))
}

async function importTests(path: string): Promise<void> {
  try {
    await import(pathToFileURL(path).href)
  } catch (error) {
    test('is imported', () => {
      throw error
    })
  } finally {
    stopTracking()
  }
}

/** The resources that keep this process alive, without these. Waits for those that are about to close. */
async function openBeside(resources: readonly string[]): Promise<readonly string[]> {
  for (const deadline = performance.now() + graceMs; ; await wait(5)) {
    const open = subtract(process.getActiveResourcesInfo(), resources)
    if (open.length === 0 || performance.now() > deadline) return open
  }
}

function subtract(all: readonly string[], some: readonly string[]): readonly string[] {
  const rest = [...all]
  for (const each of some) if (rest.includes(each)) rest.splice(rest.indexOf(each), 1)
  return rest
}
