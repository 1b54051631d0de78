// Which questions no index serves: by a definition, by a database, and what may be accepted.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { desk } from '../../../test/support/domain/desk.ts'
import { assertRefused, repository, startsNothing } from '../../../test/support/process/command.ts'
import { withService } from '../../../test/support/server/service.ts'
import { scopedList } from '../../read-plan/scoped-list.ts'
import { sortKey, totalOrder } from '../../read-plan/selection.ts'
import { theService } from '../../resource/actor.ts'
import type { WhereTest } from '../../resource/language/rule/filter.ts'
import { always } from '../../resource/model/rule/condition.ts'
import { compileService } from '../../service/start/compile-service.ts'
import { scanSizeOf } from '../../store/sql/list/scan-size.ts'
import { desiredSchema } from '../../store/sql/schema/schema.ts'
import { dialectOf } from '../../store/sql/text/dialect.ts'
import { bind, command, type Program, query } from '../../store/store.ts'
import { type IndexReport, indexReport } from '../check/index-report.ts'
import { type Question, questionsOf } from '../check/questions.ts'
import { checkCommand } from './check.ts'

let folder: string
let file: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'duet-test-'))
  file = join(folder, 'service.ts')
  await writeFile(file, `export { desk } from '${repository}/test/support/domain/desk.ts'\n`)
})
after(() => rm(folder, { recursive: true }))

/** What is printed, and the exit code. */
async function check(
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number; readonly text: string }> {
  const printed: string[] = []
  const write = (text: string) => void printed.push(text)
  const code = await checkCommand(['--service', file, ...args], {
    folder,
    variables,
    now: () => new Date(),
    write,
    note: () => {},
    ...startsNothing,
  })
  return { code, text: printed.join('') }
}
const json = async (...given: Parameters<typeof check>) =>
  JSON.parse((await check([...given[0], '--json'], given[1])).text) as {
    readonly findings: readonly {
      readonly id: string
      readonly code: string
      readonly what: string
      readonly cost: readonly { readonly rows: number; readonly ms: number }[]
      readonly plan: readonly string[] | null
      readonly isAccepted: boolean
    }[]
    readonly unused: readonly string[]
  }

test('12.3.1 the definition alone reports which questions walk, and what that costs', async () => {
  const { code, text } = await check([])
  assert.equal(code, 0)
  assert.match(text, /^Ticket \(table tickets\): a walk takes about \d+ ms at 100,000 rows, .* at 1,000,000 rows$/m)
  assert.match(text, /^ {2}walk {5}Ticket\.where\.title\.range +<, <=, >, >=$/m)
  const { findings } = await json([])
  const codes = new Map(findings.map((each) => [each.id, each.code]))
  for (const [id, expected] of [
    ['Ticket.where.title.equality', undefined],
    ['Ticket.where.priority.equality', undefined],
    ['Ticket.where.dueAt.absence', undefined],
    ['Ticket.where.createdAt.range', undefined],
    ['Ticket.where.title.beginning', 'matches'],
    ['Ticket.where.title.inside', 'matches'],
    ['Ticket.where.title.negation', 'walk'],
    ['Ticket.where.owner.name.equality', 'walk'],
    ['Ticket.where.owner.owned.title.equality', 'walk'],
    ['Ticket.indexes', 'indexes'],
  ] as const)
    assert.equal(codes.get(id), expected, id)
})

test('12.3.1 on PostgreSQL a condition on the record that a relation names is found from there', () => {
  const reaches = (engine: 'sqlite' | 'postgres') =>
    new Map(questionsOf(compileService(desk), dialectOf(engine)).map(({ id, scanSize }) => [id, scanSize]))
  assert.equal(reaches('postgres').get('Ticket.where.owner.name.equality'), 'matches')
  assert.equal(reaches('postgres').get('Ticket.where.owner.owned.title.equality'), 'walk')
  assert.equal(reaches('sqlite').get('Ticket.where.owner.name.equality'), 'walk')
})

test('12.1.22 no order makes up for the index that contains and endsWith lack', () => {
  const resource = compileService(desk).byName.get('Ticket')!
  const value = resource.where!.values.get('title')!
  const sort = totalOrder(resource, [sortKey(resource.sorts.get('title')!, false)])
  const scanSize = (test: WhereTest) => {
    const where = { is: 'test', value, test, operand: { from: 'bound', index: 0 } } as const
    const list = { resource, filters: [], sort, seek: null, backward: false, offset: false, where }
    return scanSizeOf(scopedList(list, theService), always, dialectOf('sqlite'))
  }
  assert.deepEqual((['startsWith', 'endsWith', 'includes'] as const).map(scanSize), ['page', 'walk', 'walk'])
})

test('12.3.1 an index finds elements of lists', async () => {
  const scanSize = async (variables: Readonly<Record<string, string>>) => {
    const dialect = dialectOf(variables['engine'] as 'sqlite')
    const { compileService } = await import('../../service/start/compile-service.ts')
    return questionsOf(compileService(desk), dialect).find(({ id }) => id === 'Ticket.where.labels.element')!.scanSize
  }
  assert.deepEqual([await scanSize({ engine: 'sqlite' }), await scanSize({ engine: 'postgres' })], ['page', 'matches'])
})

test('12.3.3 what is accepted is no failure, and what is accepted in vain is one', async () => {
  assert.equal((await check(['--fail'])).code, 1)
  const accepted = join(folder, 'accepted.txt')
  await writeFile(accepted, '# all known\nTicket.* # few of them\nUser.*\nMessage.*\n')
  const passing = await check(['--fail', '--accepted', accepted])
  assert.equal(passing.code, 0, passing.text)
  assert.match(passing.text, /^Nothing to decide on SQLite\. \d+ accepted\./)
  await writeFile(accepted, 'Ticket.*\nUser.*\nMessage.*\nTicket.where.gone.range\n')
  const stale = await check(['--fail', '--accepted', 'accepted.txt'])
  assert.equal(stale.code, 1)
  assert.match(stale.text, /^Ticket\.where\.gone\.range is accepted, and nothing is found for it/m)
  await assertRefused(check(['--accepted', 'nowhere.txt']), /^nowhere\.txt cannot be read/, 2)
})

test('12.3.4 the indexes of each table are printed with the declarations that each serves', async () => {
  const { text } = await check(['--indexes'])
  assert.match(text, /^Ticket \(table tickets\): \d+ indexes, written by every insert$/m)
  assert.match(text, /^ {2}tickets_title_id_[0-9a-f]{8}_idx +sort title$/m)
  assert.match(text, /^ {2}walk {5}Ticket\.where\.title\.range/m)
  assert.doesNotMatch((await check([])).text, /_idx/)
  const { indexes } = JSON.parse((await check(['--indexes', '--json'])).text) as {
    indexes: { table: string; indexes: { name: string; serves: string[] }[] }[]
  }
  const schema = desiredSchema(compileService(desk), dialectOf('sqlite'))
  for (const { name, derived, resource } of schema.tables) {
    if (resource === null) continue
    const listed = indexes.find(({ table }) => table === name)!.indexes
    assert.deepEqual(
      listed.map((each) => each.name),
      derived.map((each) => each.name),
    )
    for (const { name, serves } of listed) assert.notDeepEqual(serves, [], name)
  }
})

test('12.3.6 a table with many indexes has proposals, with what each would save', async () => {
  const { indexes } = JSON.parse((await check(['--indexes', '--json'])).text) as { indexes: IndexReport }
  for (const { indexes: all, proposals } of indexes) assert.equal(proposals.length > 0, all.length > 9)
  const ticket = indexes.find(({ resource }) => resource === 'Ticket')!
  const { Ticket } = desk.resources
  const countWith = (part: object) => {
    const changed = { ...desk, resources: { ...desk.resources, Ticket: { ...Ticket, ...part } } }
    const model = compileService(changed as never)
    return indexReport(model, dialectOf('sqlite')).find(({ resource }) => resource === 'Ticket')!.indexes.length
  }
  for (const { what, saves } of ticket.proposals) {
    const [, name, inside] = /^sort (\S+) within (\S+)$/.exec(what) ?? []
    const [, list, left] = /^no (filter|where) (\S+)$/.exec(what) ?? []
    const definition = Ticket as unknown as { sort: string[]; where: string[]; filter: object }
    const part =
      name !== undefined
        ? { sort: Object.fromEntries(definition.sort.map((each) => [each, each === name ? { within: inside } : {}])) }
        : list === 'where'
          ? { where: definition.where.filter((each) => each !== left) }
          : { filter: Object.fromEntries(Object.entries(definition.filter).filter(([each]) => each !== left)) }
    assert.equal(ticket.indexes.length - countWith(part), saves, what)
  }
  const { text } = await check(['--indexes'])
  const [first] = ticket.proposals
  assert(text.includes(`\n  ${first!.what} would save ${first!.saves}\n`), text)
})

withService(
  '12.3 duet check and a database',
  (running) => {
    test('what a question is said to look at is what SQLite plans', async () => {
      const service = running()
      if (service.engine !== 'sqlite') return
      for (const question of questionsOf(service.model, dialectOf('sqlite'))) {
        const prepared = question.prepared()
        if (prepared === null) continue
        const lines = await service.store.read(planOf(prepared))
        assert.equal(planned(lines), question.scanSize, `${question.id}\n${lines.join('\n')}`)
      }
    })

    test('12.3.2 reports the rows of the database, its plans and which indexes it lacks', async () => {
      const service = running()
      const variables = { DATABASE_URL: service.databaseUrl }
      await service.fixtures({ ann: { User: { name: 'Ann' } } }).idOf('ann')
      if (service.engine === 'postgres') await service.store.write(once(command('analyze users')))
      const { findings } = await json([], variables)
      const finding = findings.find(({ id }) => id === 'User.where.name.negation')!
      assert.equal(finding.cost.length, 1)
      assert(finding.cost[0]!.rows > 0)
      assert.match(finding.plan!.join('\n'), /users/)
      assert(!findings.some(({ code }) => code === 'missing'))
      const schema = desiredSchema(service.model, dialectOf(service.engine))
      const table = schema.tables.find(({ name }) => name === 'users')
      const { name } = table!.derived.find((each) => each.name.includes('users_name_created_at'))!
      await service.store.write(once(command(`drop index "${name}"`)))
      const lacking = await json([], variables)
      assert.deepEqual(
        lacking.findings.filter(({ code }) => code === 'missing').map(({ id }) => id),
        [`User.missing.${name}`],
      )
    })
  },
  { definition: desk },
)

const once = (statement: ReturnType<typeof command>) =>
  function* (): Program<void> {
    yield bind(statement)
  }

function* planOf(prepared: NonNullable<ReturnType<Question['prepared']>>): Program<readonly string[]> {
  const { statement, sources } = prepared.limitedTo?.(21) ?? prepared
  const rows = yield bind(query(`explain query plan ${statement.sql}`), ...sources.map(() => null))
  return rows.map((row) => String(row[3]))
}

function planned(lines: readonly string[]): Question['scanSize'] {
  // A page that is a part of another one is made first, and is short.
  const made = new Set(lines.flatMap((line) => /^CO-ROUTINE (t\d+)$/.exec(line)?.[1] ?? []))
  if (lines.some((line) => /^SCAN t\d/.test(line) && !made.has(line.slice('SCAN '.length)))) return 'walk'
  if (lines.includes('MERGE (UNION)')) return 'page'
  return lines.some((line) => line.startsWith('USE TEMP B-TREE')) ? 'matches' : 'page'
}
