// Every clause has a row, or a test that begins with its number, and stands in one part. Citations of the contract name
// clauses and sections that docs/contract.md has.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { defaultLimits } from '../../src/limits.ts'
import { awkwardWord } from '../support/check/plain-words.ts'
import { contract, readContract, sentencesOf } from './contract.ts'

const root = `${import.meta.dirname}/../..`
const self = 'test/contract/contract.test.ts'
const read = (path: string) => readFileSync(`${root}/${path}`, 'utf8')

/** The clauses that texts begin with: `'4.3.1'` in a row, `'4.3.1 sorts'` or `'4.3.1, 4.3.2 sorts'` in a title. */
const clausesNamed = (source: string): readonly string[] =>
  [...source.matchAll(/['`](\d+\.\d+\.\d+(?:, \d+\.\d+\.\d+)*)(?=['` ])/g)].flatMap(([, ids]) => ids!.split(', '))
/** What comments, titles and documents cite: `(contract 4.3)`, `(contract 4.3.1, 5.1)`, `in the order of contract 5.1.3`. */
const idsCited = (source: string): readonly string[] =>
  [...source.matchAll(/\bcontract(?: |\s+(?:\/\/|\*) )(\d[\d.]*(?:, \d[\d.]*)*)/g)].flatMap(([, ids]) =>
    ids!.split(', ').map((id) => id.replace(/\.$/, '')),
  )

const tests = globSync(['src/**/*.test.ts', 'test/**/*.ts'], { cwd: root }).filter((path) => path !== self)
const named = new Set(tests.flatMap((path) => clausesNamed(read(path))))

for (const [clause, text] of contract.clauses) {
  test(`${clause} has a row: ${text.split('\n')[0]}`, () => assert.ok(named.has(clause)))
}

test('docs/contract.md numbers its sections and clauses, each once and in its place, and its contents list them', () => {
  assert.deepEqual(contract.problems, [])
  assert.ok(contract.clauses.size > 250 && contract.sections.size > 40)
  assert.deepEqual(new Set(contract.parts.values()), new Set(['api', 'duet']))
})

test('a clause is one promise of at most three sentences', () => {
  const long = [...contract.clauses].filter(([, text]) => sentencesOf(text).length > 3).map(([id]) => id)
  assert.deepEqual(long, [])
})

test('a clause has no awkward word', () => {
  const awkward = [...contract.clauses].flatMap(([id, text]) => {
    const word = awkwardWord(text)
    return word === null ? [] : `${id}: ${word}`
  })
  assert.deepEqual(awkward, [])
})

test('what is cited is a clause or a section of the contract', () => {
  const folders = ['src', 'test', 'reference', 'template', 'docs', 'bench'].map(
    (folder) => `${folder}/**/*.{ts,js,mjs,md}`,
  )
  const sources = globSync([...folders, '*.md'], { cwd: root, exclude: ['**/node_modules/**'] })
  const unknown = sources
    .filter((path) => path !== self)
    .flatMap((path) => idsCited(read(path)).map((id) => [path, id] as const))
    .filter(([, id]) => !contract.clauses.has(id) && !contract.sections.has(id))
    .map(([path, id]) => `${path} cites ${id}, which is no number of docs/contract.md such as 4.3 or 4.3.5`)
  assert.deepEqual(unknown, [])
})

test('what rows name and titles begin with is a clause of the contract', () => {
  const titles = /\b(?:test|it|describe)\(\s*(['`]\d+\.\d+\.\d+(?:, \d+\.\d+\.\d+)* )/g
  const isTable = (path: string) => /^test[\\/](?:contract|support)[\\/]/.test(path)
  const unknown = tests.flatMap((path) => {
    const source = read(path)
    const parts = isTable(path) ? source : [...source.matchAll(titles)].map(([, title]) => title).join('\n')
    return clausesNamed(parts)
      .filter((id) => !contract.clauses.has(id))
      .map((id) => `${path}: ${id}`)
  })
  assert.deepEqual(unknown, [])
})

test('a clause that no table names has no row', () => {
  const table = "{ clause: '4.4.12', it: 'x' }, test('3.5.1, 3.5.2 one is granted'), '127.0.0.1', '\"3.1.2\"', '4.3'"
  assert.deepEqual(clausesNamed(table), ['4.4.12', '3.5.1', '3.5.2'])
})

test('citations are found in comments, titles and prose', () => {
  const comments =
    '(contract 4)\n(contract 4.3, 5.1.3; RFC 7517 5)\n// (F8; contract 4.12.10)\n/** as contract 5.9. */\n// (contract\n// 6.1)'
  assert.deepEqual(idsCited(comments), ['4', '4.3', '5.1.3', '4.12.10', '5.9', '6.1'])
})

test('a page whose numbers are wrong is found', () => {
  const page =
    '#### <a id="4.3"></a>4.3 Lists\n\n<a id="4.3.1"></a>**4.3.1** A.\n\n## <a id="api"></a>Api\n\n' +
    '#### <a id="4.4"></a>4.4 Pages\n\n**4.3.1** B.\n\n#### Order\n\n<a id="2.3.4"></a>**2.3.4** C.\n'
  assert.deepEqual(readContract(page).problems, [
    '4.3.1 stands in no part',
    '4.3.1 has the anchor (none)',
    '4.3.1 is there twice',
    '4.3.1 stands in 4.4',
    'the contents lack [Lists](#4.3)',
    'the contents lack [Api](#api)',
    'the contents lack [Pages](#4.4)',
    'the contents lack [Order](#order)',
  ])
})

test('sentences are counted, whatever stands in code, links and messages', () => {
  assert.equal(sentencesOf('One. Two (a.b). Is `a. b. c.` [three](x. y)? Four: "A. B."').length, 4)
  assert.equal(sentencesOf('One, such as 4.3 and v2.\nTwo.').length, 2)
})

test('contents that name no heading, or in another order, are found', () => {
  const page = (contents: string) => `**Contents**\n\n${contents}\n\n## <a id="api"></a>Api\n\n### Lists\n`
  assert.deepEqual(readContract(page('[Api](#api): [Lists](#lists)')).problems, [])
  assert.deepEqual(readContract(page('[Lists](#lists), [Api](#api)')).problems, ['the contents are in another order'])
  assert.deepEqual(readContract(page('[Api](#api): [Lists](#lists), [Pages](#4.4)')).problems, [
    'the contents have [Pages](#4.4), which is no heading',
  ])
})

test('the table of limits has the values of src/limits.ts', () => {
  const page = read('docs/contract.md')
  const table = page.slice(page.indexOf('<a id="8.1">'), page.indexOf('<a id="8.2">'))
  const rows = new Map(
    [...table.matchAll(/^\| ([^|]+) \| [^|]+ \| ([^|]+) \|$/gm)].map(([, name, value]) => [name, value]),
  )
  const seconds = (...values: readonly number[]) => values.map((each) => `${each / 1_000} s`).join(', ')
  const count = (value: number) => value.toLocaleString('en')
  const all = defaultLimits
  const expected = {
    'query depth': count(all.queryDepth),
    'query complexity': `${count(all.queryComplexity)} points`,
    nodes: count(all.queryNodes),
    tokens: count(all.queryTokens),
    'root mutation fields': count(all.rootMutations),
    'page size': `${all.pageSize}, default ${all.defaultPageSize}`,
    'comparisons, levels, values of a list, characters': [
      all.whereTests,
      all.whereDepth,
      all.whereValues,
      all.whereChars,
    ]
      .map(count)
      .join(', '),
    offset: count(all.offset),
    'requests per address': `${count(all.ipPerMinute)} per minute`,
    'requests per user': `${count(all.userPerHour)} per hour`,
    logins: `${all.loginPerMinute} per minute`,
    'sign-ins begun at issuers, with passkeys or on pages': `${all.flowPerMinute} per minute`,
    'forgot-password': `${all.forgotPasswordPerMinute} per minute`,
    body: `${all.restBodyBytes / 2 ** 20} MiB, ${all.graphqlBodyBytes / 2 ** 10} KiB, ${all.authBodyBytes / 2 ** 10} KiB`,
    answer: `${all.answerBytes / 2 ** 20} MiB, ${all.answersBytes / 2 ** 20} MiB`,
    time: seconds(all.headersTimeoutMs, all.requestTimeoutMs),
    'idle connection': seconds(all.keepAliveMs, all.socketIdleMs),
  }
  for (const [name, value] of Object.entries(expected)) assert.equal(rows.get(name), value, name)
  assert.equal(rows.size, Object.keys(expected).length + 2, 'the head of the table, and costs')
})
