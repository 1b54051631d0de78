// `npm test`: the contributor's suite, in a few processes. `npm test -- src/http test/x.test.ts` runs only these;
// `--all` is what `npm run test:all` adds; `--slowest 20` lists the slowest files.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { programsInChunks } from './support/process/program.ts'
import { planSuite, testsIn } from './support/suite/plan.ts'
import { createReport } from './support/suite/report.ts'
import type { FromWorker, Order } from './support/suite/reporter.ts'

/** Tests wait for a part of their time, so that a core has three processes. */
const processesMax = Math.max(2, availableParallelism() * 3)
const testLimitMs = 240_000
/** Several times what two quiet cores take: on a slow machine, too, the report is better than none. Files that are named have no limit. */
const runLimitMs = 2_000_000

if (Number.parseInt(process.versions.node, 10) < 26) {
  stop(`This is Node ${process.version}. Start the tests with \`npm test\`, which uses the Node 26 of \`npm ci\`.`)
}
const { values: options, positionals: paths } = parseArgs({
  allowPositionals: true,
  options: { all: { type: 'boolean', default: false }, slowest: { type: 'string', default: '0' } },
})
const files = plan()
if (files.length === 0) stop(`There are no tests in ${paths.join(', ')}.`)

const environment = {
  NODE_COMPILE_CACHE: pathOf('../node_modules/.cache/compiled'),
  ...(options.all ? { SAMPLES: '2', ...(await programsInChunks()) } : {}),
  ...process.env,
}
const report = createReport(files, paths.length > 0, (line) => process.stdout.write(`${line}\n`))
const waiting = [...files]
const workers = new Set<ChildProcess>()
if (paths.length === 0) setTimeout(end, runLimitMs)
await Promise.all(Array.from({ length: Math.min(processesMax, files.length) }, runWorkers))
end()

function plan(): readonly string[] {
  try {
    return paths.length > 0 ? [...new Set(paths.flatMap(testsIn))] : planSuite(options.all)
  } catch (error) {
    stop((error as Error).message)
  }
}

/** One process after the other, since a file may end its process. */
async function runWorkers(): Promise<void> {
  while (waiting.length > 0) await runWorker()
}

async function runWorker(): Promise<void> {
  const worker = fork(pathOf('support/suite/worker.ts'), {
    execArgv: [
      '--conditions=duet-source',
      // The sources import TypeScript files and are served without their types, as with `npm start`.
      '--disable-warning=ExperimentalWarning',
      ...(paths.length === 0 ? [`--test-timeout=${testLimitMs}`] : []),
      `--test-reporter=${pathOf('support/suite/reporter.ts')}`,
    ],
    env: environment,
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  workers.add(worker)
  let current = null as string | null
  let printed = ''
  for (const stream of [worker.stdout!, worker.stderr!])
    stream.setEncoding('utf8').on('data', (text) => (printed += text))
  worker.on('message', (message: FromWorker) => {
    if (message.is === 'completed') return report.complete(message)
    if (message.is === 'uncaught') return report.failUncaught(message)
    // What was printed before this message is read in the same turn, perhaps after it.
    setImmediate(() => {
      if (message.ended !== null) report.endFile(message.ended, printed)
      printed = ''
      current = waiting.shift() ?? null
      worker.send({ path: current } satisfies Order)
    })
  })
  // The last messages may come after the exit.
  const [[code, signal]] = await Promise.all([once(worker, 'close'), once(worker, 'disconnect')])
  workers.delete(worker)
  if (current !== null) report.crash(current, `${signal === null ? `with ${code}` : `by ${signal}`}.\n${printed}`)
}

function end(): never {
  for (const worker of workers) worker.kill('SIGKILL')
  process.exit(report.end(Number(options.slowest)) ? 0 : 1)
}

function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url))
}

function stop(sentence: string): never {
  console.error(sentence)
  process.exit(1)
}
