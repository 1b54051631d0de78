// Which test files a run has.

import { globSync, statSync } from 'node:fs'
import { matchesGlob } from 'node:path'

/** Files of `npm run test:all` alone: they install, build, drive a browser, kill processes, use other vendors' tools, or compare many random cases. */
const long: readonly string[] = [
  'src/command/verb/{new,migrate-code}.test.ts',
  'src/store/migration/live/apply-kill.test.ts',
  'test/bench/*.test.ts',
  'test/client/{collections,generated-clients,gql-tada,graphql-codegen,graphql-eslint,openapi-typescript}.test.ts',
  'test/client/{relay-compiler,typed-client-browser}.test.ts',
  'test/contract/{12-search-agreement,12-summary-oracle,3-rotation}.test.ts',
  'test/conformance/{foreign,interrupted,kit,package,reports}.test.ts',
  'test/deploy/{monitoring,rolling-deploy}.test.ts',
  'test/embedding/{examples,fetched-hosts,hosts}.test.ts',
  'test/instances/*.test.ts',
  'test/openapi/{lint,workflows}.test.ts',
  'test/repository/{examples,guide,install,package,package-lint,recipes,type-cost}.test.ts',
  'test/service/{bulk-agreement,graphql-oracle,stock,values}.test.ts',
  'test/service/{browser,counter-kill,event-stream-kill,kept-number-kill,kill,one-sign-in,overview,passkeys,pages-for-everybody,sign-in-browser}.test.ts',
  'test/site/{site,tutorial}.test.ts',
]

/** Files of random samples, which `npm run test:all` takes again, with more of them. */
const samples: readonly string[] = [
  'src/compatibility/compare-graphql.test.ts',
  'src/resource/contradiction/contradiction.test.ts',
  'src/rest/{generated,query/paging}.test.ts',
  'src/time/rhythm.test.ts',
  'test/contract/{12-newest-searches,12-sort,3-interleavings}.test.ts',
  'test/service/{can-agreement,noninterference,rule-agreement,tree-races,where-agreement}.test.ts',
]
/** How many; a variable of the environment wins. */
export const largeSamples: Readonly<Record<string, string>> = {
  CONTRACT_RUNS: '300',
  CONTRADICTIONS: '3000',
  KILLS: '5',
  ORACLE_OPERATIONS: '1000',
  QUESTIONS: '300',
  REST_REQUESTS: '1000',
  ROTATIONS: '40',
  SAMPLES: '4',
  VALUES: '1000',
}

/** What takes longest is begun first: at the end, every process should have something to do. */
const slowest: readonly string[] = [
  'test/repository/tidy.test.ts',
  'test/service/{graphql-oracle,noninterference,stock,reactions,write-races}.test.ts',
  'test/conformance/kit.test.ts',
  'test/bench/bench.test.ts',
  'test/repository/install.test.ts',
  'test/openapi/prefilled.test.ts',
  'src/{resource/contradiction/contradiction,resource/field/schema,time/rhythm,command/verb/explain}.test.ts',
  'test/contract/{6-connections,12-search-agreement,12-long-questions,12-newest-searches,0-stopping,8-*}.test.ts',
]

/** The contributor's suite, or what `npm run test:all` adds to it. */
export function planSuite(isLong: boolean): readonly string[] {
  const all = ['test', 'src', 'reference'].flatMap(testsIn)
  const paths = all.filter((path) => (isLong ? matches(path, [...long, ...samples]) : !matches(path, long)))
  return [true, false].flatMap((isSlow) => paths.filter((path) => matches(path, slowest) === isSlow))
}

/** The test files that a path of the command line names; throws if there is no such path. */
export function testsIn(path: string): readonly string[] {
  const entry = statSync(path, { throwIfNoEntry: false })
  if (entry === undefined) throw new Error(`There is no ${path}.`)
  return entry.isDirectory() ? globSync(`${path}/**/*.test.ts`).sort() : [path]
}

const matches = (path: string, patterns: readonly string[]): boolean =>
  patterns.some((pattern) => matchesGlob(path, pattern))
