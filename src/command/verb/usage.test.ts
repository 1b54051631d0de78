import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { assertRefused, repository, runCommand, startsNothing } from '../../../test/support/process/command.ts'
import { type TestService, withService } from '../../../test/support/server/service.ts'
import type { Change } from '../../compatibility/change.ts'
import { contractCommand } from './contract.ts'
import { usageCommand } from './usage.ts'

let folder: string
/** The reference service as it will be when `Comment.text` is gone. */
let later: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'duet-test-'))
  later = join(folder, 'service.ts')
  const comment = await readFile(join(repository, 'reference/comment.ts'), 'utf8')
  const own = (text: string) => text.replaceAll("'duet-api'", `'${repository}/src/index.ts'`)
  await writeFile(join(folder, 'comment.ts'), own(comment.replace("  formerly: { v1: { content: 'text' } },\n", '')))
  const service = await readFile(join(repository, 'reference/service.ts'), 'utf8')
  const imports = service.replaceAll(/from '\.\/(?!comment)/g, `from '${repository}/reference/`)
  await writeFile(later, own(imports.replace(/v1: \{ deprecated.*\n/, '')))
})
after(() => rm(folder, { recursive: true }))

const days = (count: number, service: TestService) => new Date(service.now().getTime() + count * 86_400_000)

withService('duet usage', (service) => {
  const environmentAt = (at = 0) => ({
    variables: { DATABASE_URL: service().databaseUrl },
    now: () => days(at, service()),
  })
  const usage = (...args: readonly string[]) =>
    runCommand(usageCommand, ['--service', 'reference/service.ts', ...args], environmentAt())
  /** What the check finds about `Comment.text`, some days later. */
  async function check(
    at: number,
    more: readonly string[],
    variables: Readonly<Record<string, string>>,
  ): Promise<Change> {
    const printed: string[] = []
    const environment = {
      folder: repository,
      variables,
      now: () => days(at, service()),
      write: (text: string) => void printed.push(text),
      note: () => {},
      ...startsNothing,
    }
    await contractCommand(
      ['check', '--service', later, '--folder', 'reference/contract', '--json', ...more],
      environment,
    )
    const { changes } = JSON.parse(printed.join('')) as { changes: readonly Change[] }
    return changes.find(({ where }) => where === 'GraphQL Comment.text')!
  }

  test('reports who uses what, and when it may go', async () => {
    await service().usage.begin()
    assert.match(
      await usage(),
      /^Comment\.text: deprecated on 2026-11-20, use content; not used since 2026-11-20; may go on 2027-03-20/m,
    )
    const headers = { 'X-Client-Name': 'shop' }
    await service().graphql('{ comments(first: 1) { nodes { text } } }', { headers })
    await service().send('GET /api/v1/posts', { headers })
    await service().usage.flush()
    const printed = await usage()
    assert.match(printed, /^v1: .*, use v2; last used on 2026-11-20; may go on 2027-11-20 at the earliest\.$/m)
    assert.match(printed, /Within 90 days:\n {2}anonymous \(shop\) {2}1 uses, the last on 2026-11-20/)
  })

  test('is believed by the contract check: from the database, a file or a running service', async () => {
    const database = { DATABASE_URL: service().databaseUrl }
    assert.match((await check(200, [], {})).why, /^Its use is not known/)
    assert.match((await check(119, [], database)).why, /^It was deprecated on 2026-11-20/)
    assert.equal((await check(200, [], database)).verdict, 'additive')
    const file = join(folder, 'usage.json')
    await writeFile(file, await usage('--json'))
    assert.equal((await check(200, ['--usage', file], {})).verdict, 'additive')
    const body = { name: 'CI', scopes: ['read:deprecation-usage'] }
    const { key } = (await service().send('POST /api/v2/api-keys', { as: 'admin', body })).body.data
    const url = `${service().url}/api/v2/deprecation-usage`
    assert.equal((await check(200, ['--usage', url], { DUET_API_KEY: key })).verdict, 'additive')
    await assertRefused(check(200, ['--usage', url], {}), /answers 401, and no counts\. Name .* DUET_API_KEY/)
    await assertRefused(check(200, ['--usage', 'nowhere.json'], {}), /^nowhere\.json holds no counts: /, 2)
  })

  test('keeps what was used lately', async () => {
    service().advance(150 * 86_400_000)
    service().forgetTokens()
    const headers = { 'X-Client-Name': 'late' }
    await service().graphql('{ comments(first: 1) { nodes { text } } }', { headers })
    await service().usage.flush()
    const database = { DATABASE_URL: service().databaseUrl }
    const used = await check(89, [], database)
    assert.equal(used.verdict, 'breaking')
    assert.match(used.why, /used on 2027-04-19, lately by anonymous \(late\)\./)
    assert.equal((await check(90, [], database)).verdict, 'additive')
  })
})
