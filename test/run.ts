// `npm test`: every check there is, as one run of node:test. `npm test -- src/http test/x.test.ts` runs only those.

import { globSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { Readable } from 'node:stream'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'

/** Six minutes on two quiet cores; a slow machine must not lose what it has done. */
const runLimitMs = 2_370_000
const testLimitMs = 60_000
/** Checks of the whole tree come first: what they find is the cheapest to mend. */
const first = [
  'test/repository/tidy.test.ts',
  'test/repository/import-direction.test.ts',
  'test/repository/repository.test.ts',
  'test/repository/package.test.ts',
]

if (Number.parseInt(process.versions.node, 10) < 26) {
  stop(`This is Node ${process.version}. Start the tests with \`npm test\`, which uses the Node 26 of \`npm ci\`.`)
}
const paths = process.argv.slice(2)
const files = paths.length > 0 ? paths.flatMap(testsIn) : [...first, ...['src', 'test', 'reference'].flatMap(testsIn)]
if (files.length === 0) stop(`There are no tests in ${paths.join(', ')}.`)

process.exitCode = 1
// Every file is a process of its own: without this, half their time goes into compiling the same sources.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url))
const events = run({
  files: [...new Set(files)],
  concurrency: Math.max(2, availableParallelism()),
  timeout: testLimitMs,
  signal: AbortSignal.timeout(runLimitMs),
  execArgv: ['--conditions=duet-source', `--import=${import.meta.resolve('./support/check/leak.ts')}`],
})
events.on('test:summary', ({ file, success }) => {
  if (file === undefined && success) process.exitCode = 0
})
const closing: string[] = []
for await (const text of Readable.from(withoutClosing()).compose(new spec())) process.stdout.write(text)
process.stdout.write(closing.map((line) => `# ${line}\n`).join(''))

/** The `spec` report ends with the failures; the counts go after them, where people and tools look for them. */
async function* withoutClosing() {
  for await (const event of events) {
    if (event.type === 'test:diagnostic' && event.data.file === undefined) closing.push(event.data.message)
    else yield event
  }
}

function testsIn(path: string): readonly string[] {
  const entry = statSync(path, { throwIfNoEntry: false })
  if (entry === undefined) stop(`There is no ${path}.`)
  return entry.isDirectory() ? globSync(`${path}/**/*.test.ts`).sort() : [path]
}

function stop(sentence: string): never {
  console.error(sentence)
  process.exit(1)
}
