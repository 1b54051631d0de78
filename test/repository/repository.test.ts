// What no committed file may hold, and what the documents owe to their readers.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { variables } from '../../src/service/configuration/variables.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const committed = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
  .split('\0')
  .filter((path) => path !== '' && existsSync(join(root, path)))

interface Ban {
  readonly in: RegExp
  readonly pattern: RegExp
  readonly why: string
}

const code = /\.(ts|mjs)$/
/** `any` where a type stands, on a line that is no comment. */
const anyType = /^(?!\s*(?:\/\/|\/?\*)).*(?:\b(?:as|is)\s+|[:<|&,=]\s*)any\b(?=\s*(?:[)>\][|&={,;]|$))/
const bans: readonly Ban[] = [
  { in: /./, pattern: /(?<![\w.}])\/(?:work|root|home\/\w+|Users\/\w+)\//, why: 'is a path of one machine.' },
  { in: /./, pattern: /\bregistry\.[\w-]+\.\w+|^registry\s*=|\/-\/[\w.-]+\.tgz/, why: 'names a package registry.' },
  { in: /package-lock\.json$/, pattern: /"resolved":/, why: 'ties the lock file to one registry (see .npmrc).' },
  { in: /./, pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----\s*\w|"d":\s*"[\w-]{40,}"/, why: 'is a private key.' },
  { in: code, pattern: /(?:\/\/|\*).*\b(?:TODO|FIXME)\b(?!.*#\d)/, why: 'is to be done, and names no issue.' },
  { in: code, pattern: /@ts-(?:ignore|nocheck)/, why: 'turns the type checker off.' },
  { in: /^src\/.*\.ts$/, pattern: anyType, why: 'is any.' },
  { in: code, pattern: /\bconst (?:known|asked|told|said)\b/, why: 'names a value after a deed, and not what it is.' },
  {
    in: /^src\/(?:action|read-plan)\/(?!.*\.test\.ts$).*\.ts$/,
    pattern: /^(?!export |function).*\bfunction\*/,
    why: 'makes a generator function for every request: what it closes over is kept until the next full collection.',
  },
  {
    in: /\.test\.ts$/,
    pattern: /\b(?:test|it|describe|suite)\.only\(|\bonly:\s*true/,
    why: 'leaves out all other tests.',
  },
]

/** One sentence for each line that breaks a ban. */
function banned(path: string, text: string): readonly string[] {
  const here = bans.filter((ban) => ban.in.test(path))
  return text
    .split('\n')
    .flatMap((line, index) =>
      here
        .filter(({ pattern }) => pattern.test(line))
        .map(({ why }) => `${path}:${index + 1}: ${line.trim()} — ${why}`),
    )
}

test('no committed file holds what belongs to one machine, one moment or one person', () => {
  assert.ok(committed.includes('package.json'), 'git lists the files of this repository')
  // This file shows what it bans.
  const others = committed.filter((path) => path !== 'test/repository/repository.test.ts')
  const problems = others.flatMap((path) => banned(path, read(path)))
  assert.ok(problems.length === 0, problems.join('\n'))
})

describe('the ban on', () => {
  const planted: readonly (readonly [path: string, line: string, isBanned: boolean])[] = [
    ['a.md', 'see /home/ada/notes.md', true],
    ['a.md', 'file:///root/x.ts', true],
    ['src/rest/a.ts', "path: '/users/usr_1/'", false],
    ['a.md', 'https://mirror.example/x/-/x-1.0.0.tgz', true],
    ['.npmrc', 'registry=https://mirror.example', true],
    ['package-lock.json', '  "resolved": "x"', true],
    ['a.pem', '-----BEGIN EC PRIVATE KEY-----MHc', true],
    ['a.json', `"d": "${'x'.repeat(43)}"`, true],
    ['src/a.ts', '// TODO: later', true],
    ['src/a.ts', '// TODO: later, see #12', false],
    ['src/a.ts', '// @ts-ignore', true],
    ['src/a.ts', 'export function f(x: any): void {}', true],
    ['src/a.ts', 'export const f = x as any', true],
    ['src/a.ts', 'export type A = Record<string, any>', true],
    ['src/a.ts', 'export type A = any[] | B', true],
    ['src/a.ts', 'export type A = B | any', true],
    ['src/a.ts', '// Readable by any, or by none: any reader will do.', false],
    ['src/a.ts', ' * Asks whether there is any. */', false],
    ['src/a.ts', "throw new Error('Of these, any will do.')", false],
    ['src/a.ts', '/** Whether: any, or: any */', false],
    ['src/action/a.ts', '  yield* each(targets, function* (target) {', true],
    ['src/action/a.ts', '  function* lock(): Program<void> {', true],
    ['src/action/a.ts', 'export function* lock(): Program<void> {', false],
    ['src/action/a.test.ts', '  function* lock(): Program<void> {', false],
    ['test/a.test.ts', '  const told = await list()', true],
    ['test/a.test.ts', '  // const is what is known: nobody asked, nobody told.', false],
    ['src/a.test.ts', `test.only('x', () => {})`, true],
    ['src/a.test.ts', `test('x', { only: true }, () => {})`, true],
  ]
  for (const [path, line, isBanned] of planted) {
    test(`${path}: ${line}`, () => assert.equal(banned(path, line).length > 0, isBanned))
  }
})

test('the lock file works without a compiler and can be verified byte for byte', () => {
  const { packages } = JSON.parse(read('package-lock.json'))
  assert.equal(packages['node_modules/better-sqlite3'].gypfile, false, 'Run `node .ci/lock.mjs`: it says why.')
  for (const [path, entry] of Object.entries<{ integrity?: string }>(packages)) {
    if (path !== '') assert.match(entry.integrity ?? '', /^sha512-/, `${path} has no integrity`)
  }
})

test('every dependency has a line', () => {
  const { dependencies, devDependencies } = JSON.parse(read('package.json'))
  const lines = read('docs/decisions/dependencies.md').split('\n')
  const missing = Object.keys({ ...dependencies, ...devDependencies }).filter(
    (name) => !lines.some((line) => line.startsWith('|') && line.split('|')[1]?.includes(`\`${name}\``)),
  )
  assert.deepEqual(missing, [])
})

describe('README.md', () => {
  const readme = read('README.md')

  test('begins with what it is and the two commands, and is read in three minutes', () => {
    const sections = Array.from(readme.matchAll(/^#{1,2} (.+)$/gm), ([, title]) => title)
    assert.deepEqual(sections, [
      'Duet',
      'One definition, two APIs',
      'What you get',
      'Compared with other software',
      'Speed',
      'Pages',
    ])
    for (const command of ['npm ci && npm start', 'npm ci && npm test'])
      assert.ok(readme.slice(0, 800).includes(command))
    assert.ok(readme.split(/\s+/).length < 1_300)
  })

  test('lists every page', () => {
    const pages = committed.filter((path) => /^docs\/[^/]+\.md$/.test(path))
    assert.deepEqual(
      pages.filter((path) => !readme.includes(`(${path})`) && !readme.includes(`(${path}#`)),
      [],
    )
  })

  test('shows a definition that is really there', () => {
    assert.ok(readme.includes(`\`\`\`ts\n${read('reference/article.ts')}\`\`\``))
  })

  const variablesOf = (page: string): readonly string[] =>
    page
      .split('\n')
      .filter((line) => /^\| `[A-Z_]+` \|/.test(line))
      .map((line) => /`(\w+)`/.exec(line)![1]!)

  test('links a page with the variables that are read, and no others', () => {
    assert.match(readme, /\]\(docs\/configuration\.md\)/)
    const all = variablesOf(read('docs/configuration.md'))
    assert.deepEqual(all, Object.keys(variables), 'npm run api writes docs/configuration.md')
  })

  test('shows a picture that exists, of at most 150 kB, and describes it in words', () => {
    const [, words, path] = /!\[(.+)\]\((docs\/.+?)\)/.exec(readme)!
    assert.ok(words!.length > 40)
    assert.ok(statSync(join(root, path!)).size < 150_000)
  })

  test('reports of other software only what it has a source for', () => {
    const [section] = /^## Compared with other software\n[\s\S]*?(?=^## )/m.exec(readme)!
    const rows = section.split('\n').filter((line) => /^\| \w/.test(line))
    assert.ok(rows.length >= 5)
    for (const row of rows) {
      const [, ours, others] = row.slice(2, -2).split(' | ')
      assert.match(ours!, /\(docs\/contract\.md#[\d.]+\)/, row)
      for (const statement of others!.split('. ')) assert.match(statement, /\]\(https:/, statement)
    }
  })
})

describe('the glossaries', () => {
  const termsOf = (page: string) => Array.from(page.matchAll(/^\| ([a-z][a-z ]*) \| .+ \|$/gm), ([, term]) => term!)
  const [, inside = ''] = /^## Glossary\n([\s\S]*?)^## /m.exec(read('CONTRIBUTING.md')) ?? []
  const forUsers = termsOf(read('docs/glossary.md'))
  const forUs = termsOf(inside)

  test('explain each word once, in order', () => {
    assert.ok(forUsers.length > 30 && forUs.length > 20)
    for (const terms of [forUsers, forUs]) assert.deepEqual(terms, terms.toSorted())
    assert.deepEqual(
      forUsers.filter((term) => forUs.includes(term)),
      [],
    )
  })

  test('of users have words that another page uses', () => {
    const pages = committed.filter((path) => /^docs\/(?!glossary).+\.md$/.test(path)).map(read)
    const unused = forUsers.filter((term) => !pages.some((page) => new RegExp(`\\b${term}s?\\b`, 'i').test(page)))
    assert.deepEqual(unused, [])
  })
})

test('src holds TypeScript only, but for what browsers load as it is: the build carries nothing else into the package', () => {
  const isCarried = (path: string) => path.endsWith('.ts') || path.startsWith('src/explorer/browser/')
  assert.deepEqual(
    committed.filter((path) => path.startsWith('src/') && !isCarried(path)),
    [],
  )
})
