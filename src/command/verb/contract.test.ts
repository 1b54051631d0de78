import assert from 'node:assert/strict'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { assertRefused, repository, runCommand, startsNothing } from '../../../test/support/process/command.ts'
import type { Change } from '../../compatibility/change.ts'
import { contractCommand } from './contract.ts'

describe('duet contract', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'duet-test-'))
  })
  after(() => rm(folder, { recursive: true }))

  /** Modules are imported once, so each state of the service is a file of its own. */
  async function service(name: string, change: (text: string) => string = (text) => text): Promise<string> {
    const path = join(folder, name)
    await cp(join(repository, 'reference'), path, { recursive: true })
    for (const file of ['comment.ts', 'post.ts', 'service.ts']) {
      const text = await readFile(join(path, file), 'utf8')
      await writeFile(join(path, file), change(text).replaceAll("'duet-api'", `'${repository}/src/index.ts'`))
    }
    for (const file of (await readdir(path)).filter((each) => each.endsWith('.ts'))) {
      const text = await readFile(join(path, file), 'utf8')
      await writeFile(join(path, file), text.replaceAll("'duet-api'", `'${repository}/src/index.ts'`))
    }
    return join(path, 'service.ts')
  }
  const place = () => join(folder, 'contract')
  const today = { now: () => new Date('2026-11-21') }
  const run = async (code: 0 | 1, ...args: readonly string[]) => {
    const printed: string[] = []
    const write = (text: string) => void printed.push(text)
    const environment = {
      folder,
      variables: {},
      write,
      note: write,
      ...today,
      ...startsNothing,
    }
    const all = [...args, '--folder', place()]
    assert.equal(await contractCommand(all, environment), code, printed.join(''))
    return printed.join('')
  }

  test('writes the same files for the same service, whatever the order of its parts', async () => {
    await run(0, 'snapshot', '--service', await service('first'))
    const read = async () =>
      Promise.all(
        (await readdir(place())).sort().map(async (name) => [name, await readFile(join(place(), name), 'utf8')]),
      )
    const first = await read()
    assert.deepEqual(
      first.map(([name]) => name),
      ['contract.json', 'openapi.v1.json', 'openapi.v2.json', 'schema.graphql'],
    )
    const turned = (text: string) => text.replace('{ User, Post, Comment,', '{ Comment, User, Post,')
    await run(0, 'snapshot', '--service', await service('turned', turned))
    assert.deepEqual(await read(), first)
    assert.equal(await run(0, 'check', '--service', join(folder, 'turned/service.ts')), 'The contract is as it was.\n')
  })

  test('9.3.1 lets additions pass', async () => {
    const path = await service('more', (text) =>
      text
        .replace(
          'content: text({ max: 5_000 }),',
          'content: text({ max: 6_000 }),\n    mood: optional(text({ max: 9 })),',
        )
        .replace('text }', 'text, optional }'),
    )
    const printed = await run(0, 'check', '--service', path)
    assert.match(printed, /^additive +v2 answers Comment\.mood: A field was added\.$/m)
    assert.match(printed, /^additive +GraphQL Comment\.mood: /m)
    assert.match(printed, /^dangerous +v2 answers Comment\.content: The longest text changed from 5000 to 6000\./m)
    assert.match(printed, /\n\d+ differences: 0 breaking, \d+ dangerous, \d+ additive\.\n$/)
  })

  test('9.3.1 refuses what breaks, on both faces and in every version', async () => {
    const path = await service('less', (text) =>
      text.replace('max: 5_000', 'max: 4_000').replace("  formerly: { v1: { content: 'text' } },\n", ''),
    )
    const { changes } = JSON.parse(await run(1, 'check', '--json', '--service', path)) as { changes: readonly Change[] }
    const broken = changes.filter(({ verdict }) => verdict === 'breaking')
    for (const where of ['v1 answers Comment.text', 'v2 takes UpdateComment.content', 'GraphQL Comment.text']) {
      const change = broken.find((each) => each.where === where)
      assert.ok(change, `${where} in ${JSON.stringify(broken, null, 1)}`)
      assert.ok(change.why !== '' && change.remedy !== '')
    }
  })

  test('9.3.1, 13.7.5, 13.7.12 refuses to take writes of many away, or to let them write fewer', async () => {
    const where = / {2}where: \['title', 'tags'.*\n/
    const takenAway: readonly [name: string, change: (text: string) => string, expected: readonly string[]][] = [
      [
        'no-conditions',
        (text) => text.replace(where, ''),
        [
          'v2 PATCH /api/v2/posts ?where: The parameter was removed.',
          'v2 DELETE /api/v2/posts: The operation was removed.',
          'v2 POST /api/v2/posts/publish: The operation was removed.',
          'GraphQL Mutation.publishPosts: Field Mutation.publishPosts was removed.',
          'GraphQL Mutation.updatePostsWhere: Field Mutation.updatePostsWhere was removed.',
        ],
      ],
      [
        'one-by-one',
        (text) => text.replace(where, (line) => `  batch: false,\n${line}`),
        [
          'v2 PATCH /api/v2/posts: The operation was removed.',
          'v2 POST /api/v2/posts/batch: The operation was removed.',
          'GraphQL Mutation.updatePosts: Field Mutation.updatePosts was removed.',
        ],
      ],
      [
        'with-an-effect',
        (text) =>
          text.replace('set: { publishedAt: null },', 'set: { publishedAt: null },\n      effect: async () => {},'),
        ['v2 POST /api/v2/posts/unpublish: It writes at most 100 records at once, before 1000.'],
      ],
    ]
    for (const [name, change, expected] of takenAway) {
      const path = await service(name, change)
      const printed = await run(1, 'check', '--json', '--service', path)
      const { changes } = JSON.parse(printed) as { changes: readonly Change[] }
      const broken = changes
        .filter(({ verdict }) => verdict === 'breaking')
        .map((each) => `${each.where}: ${each.what}`)
      for (const each of expected) assert.ok(broken.includes(each), `${name}: ${each} in\n${broken.join('\n')}`)
    }
  })

  test('9.3.1, 9.3.2 lets a new version do as it likes, and an old one go after its sunset', async () => {
    const three = (text: string) =>
      text.replace("v2: 'current'", "v2: { deprecated: '2026-12-01', sunset: '2027-12-01' },\n    v3: 'current'")
    assert.match(await run(0, 'check', '--service', await service('three', three)), /v3: A version was added\./)
    const only = (text: string) =>
      text.replace(/v1: \{ deprecated.*\n/, '').replace("  formerly: { v1: { content: 'text' } },\n", '')
    const path = await service('only', only)
    assert.match(await run(1, 'check', '--service', path), /v1: The version was removed\. .*until 2027-11-20/)
  })

  test('reports what is wrong with its arguments', async () => {
    const here = { folder }
    await assertRefused(runCommand(contractCommand, [], here), /^Use snapshot or check\.$/, 2)
    await assertRefused(runCommand(contractCommand, ['compare'], here), /^Use snapshot or check, not "compare"\.$/, 2)
    const path = join(folder, 'first/service.ts')
    const nowhere = runCommand(contractCommand, ['check', '--service', path, '--folder', 'nowhere'], here)
    await assertRefused(nowhere, /^There is no contract in nowhere: .*duet contract snapshot$/, 2)
  })
})
