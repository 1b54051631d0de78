// Which test files a run has.

import { globSync, statSync } from 'node:fs'
import { matchesGlob } from 'node:path'

/** Files of `npm run test:all` alone: they install, build, drive a browser, kill processes, use other vendors' tools, compare many random cases, or run the examples. */
const long: readonly string[] = [
  'src/command/verb/{explain,migrate-code,new,usage}.test.ts',
  'src/compatibility/compare-graphql.test.ts',
  'src/observation/log-destination.test.ts',
  'src/resource/contradiction/contradiction.test.ts',
  'src/rest/{generated,query/paging}.test.ts',
  'src/store/migration/{migrate-types,live/apply-kill,live/changes}.test.ts',
  'src/time/rhythm.test.ts',
  'test/bench/*.test.ts',
  'test/client/{collections,generated-clients,gql-tada,graphql-codegen,graphql-eslint,openapi-typescript}.test.ts',
  'test/client/{relay-compiler,typed-client-browser}.test.ts',
  'test/contract/{12-newest-searches,12-search-agreement,12-sort,12-summary-oracle,3-interleavings,3-rotation}.test.ts',
  'test/contract/{12-long-questions,12-summary-clocks,5-equal-answers,6-slow-readers,8-answer-memory,8-answer-size,8-hostile-requests}.test.ts',
  'test/conformance/{foreign,interrupted,kit,package,reports}.test.ts',
  'test/deploy/{monitoring,rolling-deploy}.test.ts',
  'test/embedding/{examples,fetched-hosts,hosts}.test.ts',
  'test/instances/*.test.ts',
  'test/openapi/{lint,offered-operations,prefilled,workflows}.test.ts',
  'test/repository/{api,examples,guide,install,package,package-lint,recipes,type-cost}.test.ts',
  'test/service/{bulk-agreement,can-agreement,graphql-oracle,noninterference,rule-agreement,stock,values,where-agreement}.test.ts',
  'test/service/{check-turns,effect-races,either-races,printed-types,tree-races,upsert-races,write-races}.test.ts',
  'test/service/{browser,counter-kill,event-stream-kill,kept-number-kill,kill,one-sign-in,overview,passkeys,pages-for-everybody,sign-in-browser}.test.ts',
  'test/service/example-*.test.ts',
  'test/site/{reference,site,tutorial}.test.ts',
]

/** What takes longest is begun first: at the end, every process should have something to do. */
const slowest: readonly string[] = [
  'test/repository/tidy.test.ts',
  'test/embedding/fetched-hosts.test.ts',
  'test/site/site.test.ts',
  'test/service/{one-sign-in,pages-for-everybody,graphql-oracle,noninterference,stock,reactions,write-races}.test.ts',
  'test/contract/{2-roles,15-webhooks,5-matrix,5-scopes,6-slow-readers}.test.ts',
  'test/client/typed-client.test.ts',
  'test/conformance/kit.test.ts',
  'test/bench/bench.test.ts',
  'test/repository/install.test.ts',
  'test/openapi/prefilled.test.ts',
  'src/{resource/contradiction/contradiction,resource/field/schema,time/rhythm,command/verb/explain}.test.ts',
  'test/contract/{6-connections,12-search-agreement,12-long-questions,12-newest-searches,0-stopping,8-*}.test.ts',
]

/** The contributor's suite, or what `npm run test:all` adds to it. */
export function planSuite(isLong: boolean): readonly string[] {
  const paths = ['test', 'src', 'reference'].flatMap(testsIn).filter((path) => matches(path, long) === isLong)
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
