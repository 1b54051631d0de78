import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { importProblems, importsOf, packages } from '../support/check/import-direction.ts'

const root = join(import.meta.dirname, '../..')

test('imports flow down, without a ring, and each package stays in its place', () => {
  const all = '{src,reference,template,test,bench}/**/*.ts'
  // What the benches install for themselves is not ours.
  const paths = globSync(all, { cwd: root, exclude: ['**/node_modules/**'] })
  const problems = importProblems(new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')])))
  assert.ok(problems.length === 0, problems.join('\n'))
})

test('only the runner checks permissions: no other part imports what does', () => {
  const paths = globSync('src/**/*.ts', { cwd: root, exclude: ['src/action/**', '**/*.test.ts'] })
  const importers = paths.filter((path) =>
    importsOf(readFileSync(join(root, path), 'utf8')).some(({ from }) =>
      /\/action\/(?:authorize|question\/read)\.ts$/.test(from),
    ),
  )
  assert.ok(paths.length > 400, 'the source is found')
  assert.deepEqual(importers, [])
})

test('every dependency has its place', () => {
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  // What is read as files by a browser is imported nowhere.
  const files = ['graphiql', 'graphql-ws', 'swagger-ui-dist']
  assert.deepEqual(
    Object.keys(packages).sort(),
    Object.keys({ ...dependencies, ...peerDependencies })
      .filter((name) => !files.includes(name))
      .sort(),
  )
})

describe('the check itself', () => {
  const planted: readonly (readonly [it: string, path: string, text: string, problem: RegExp | undefined])[] = [
    ['a face imports the other', 'src/rest/a.ts', "import { x } from '../graphql/b.ts'", /rest may not know graphql/],
    ['a face imports the store', 'src/graphql/a.ts', "import '../store/store.ts'", /graphql may not know store/],
    ['a face imports an action', 'src/rest/a.ts', "import { run } from '../action/run.ts'", undefined],
    ['the language imports a runner', 'src/resource/a.ts', "import '../action/run.ts'", /resource may not know action/],
    ['a room above', 'src/action/row/a.ts', "import '../write/b.ts'", /action: row may not know write/],
    ['a room below', 'src/action/write/a.ts', "import '../row/b.ts'", undefined],
    ['a lower part as a type', 'src/resource/a.ts', "import type { A } from '../action/run.ts'", /may not know action/],
    ['more of Node than is used', 'src/http/a.ts', "import { createServer } from 'node:http'", /WebSocket client/],
    ['its types', 'src/http/a.ts', "import type { Server } from 'node:http'", undefined],
    ['http knows resources', 'src/http/a.ts', "export { x } from '../resource/b.ts'", /http may not know resource/],
    [
      'a reply as a type',
      'src/authentication/a.ts',
      "import type { Reply } from '../http/message/exchange.ts'",
      undefined,
    ],
    [
      'a reply as types',
      'src/rate-limit/a.ts',
      "import { type A, type B } from '../http/message/exchange.ts'",
      undefined,
    ],
    [
      'a reply as a value',
      'src/rate-limit/a.ts',
      "import { A, type B } from '../http/message/exchange.ts'",
      /types only/,
    ],
    ['the server', 'src/authentication/a.ts', "import type { A } from '../http/server/server.ts'", /may not know http/],
    [
      'a part loaded later',
      'src/failure/a.ts',
      "const x = await import('../limits.ts')",
      /failure may not know limits\.ts/,
    ],
    ['the product imports tests', 'src/rest/a.ts', "import '../../test/support/clock.ts'", /does not know its tests/],
    ['a package in its place', 'src/store/sqlite/store.ts', "import Sqlite from 'better-sqlite3'", undefined],
    [
      'a package out of place',
      'src/store/migration/migrate.ts',
      "import Sqlite from 'better-sqlite3'",
      /belongs to store\/sqlite/,
    ],
    ['a path in a package', 'src/rest/a.ts', "import { x } from 'graphql/language'", /graphql belongs to/],
    ['an unknown package', 'src/rest/a.ts', "import x from 'left-pad'", /not among the packages/],
    ['many lines', 'src/rest/a.ts', "import {\n  a,\n  type B,\n} from '../mail/b.ts'", /rest may not know mail/],
    ['a comment', 'src/rest/a.ts', "// import('../mail/b.ts')\n/* import('../mail/b.ts') */", undefined],
    ['reference uses duet', 'reference/a.ts', "import { text } from 'duet-api'\nimport { b } from './b.ts'", undefined],
    ['reference uses Node', 'reference/main.ts', "import { enableCompileCache } from 'node:module'", undefined],
    ['reference looks inside', 'reference/a.ts', "import { x } from '../../src/limits.ts'", /only duet-api and Node/],
    ['the template looks inside', 'template/a.ts', "import { x } from '../../src/limits.ts'", /only duet-api and Node/],
    ['reference uses a package', 'reference/a.ts', "import pg from 'pg'", /only duet-api and Node/],
    ['an index of re-exports', 'src/index.ts', "// What.\nexport { a } from './limits.ts'", undefined],
    [
      'an index that acts',
      'src/index.ts',
      "export { a } from './limits.ts'\nexport const b = 1",
      /more than re-export/,
    ],
    ['an index of everything', 'src/index.ts', "export * from './limits.ts'", /more than re-export/],
  ]
  for (const [it, path, text, problem] of planted) {
    test(`${problem === undefined ? 'lets pass' : 'refuses'}: ${it}`, () => {
      const found = importProblems(new Map([[path, text]])).join('\n')
      if (problem === undefined) assert.equal(found, '')
      else assert.match(found, problem)
    })
  }

  test('refuses: a ring of three files, named once', () => {
    const ring = new Map([
      ['src/rest/a.ts', "import './b.ts'"],
      ['src/rest/b.ts', "import type { C } from './c.ts'"],
      ['src/rest/c.ts', "import './a.ts'\nimport './d.ts'"],
      ['src/rest/d.ts', ''],
    ])
    assert.deepEqual(importProblems(ring), ['A ring: src/rest/a.ts → src/rest/b.ts → src/rest/c.ts → src/rest/a.ts.'])
  })

  test('reads no import where a statement only mentions one', () => {
    assert.deepEqual(importsOf("export const from = 'elsewhere'\nexport function f() {\n  return from\n}\n"), [])
  })
})
