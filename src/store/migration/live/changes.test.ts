// Each kind of change of a definition, planned and applied: on PostgreSQL also next to an instance of the version before.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { choice, decimal, integer, is, one, optional, text } from 'duet-api'
import { fetchSquawk, squawkOn, withoutSquawk } from '../../../../test/support/check/squawk.ts'
import { forEachMigration, modelOf, title } from '../../../../test/support/server/migration.ts'
import { defaultLimits } from '../../../limits.ts'
import { desiredSchema } from '../../sql/schema/schema.ts'
import { UniqueViolation, type Value } from '../../store.ts'
import type { Change } from '../change.ts'
import { beginInstance } from '../instances.ts'
import { introspect } from '../introspect.ts'
import { planMigration } from '../migrate.ts'
import { migrationTables } from '../notes.ts'
import { applyMigration, readAll } from './apply.ts'
import { type DescribedPlan, describePlan, type PlannedChange } from './describe-plan.ts'
import { purge, removedThings } from './purge.ts'
import { migrateInProduction } from './start.ts'

interface Case {
  readonly name: string
  readonly before: readonly [fields: object, more?: object]
  readonly after: readonly [fields: object, more?: object]
  readonly rows?: readonly Readonly<Record<string, Value>>[]
  readonly changes: readonly Change[]
  /** Older instances have to end first. */
  readonly alone?: true | 'later'
  readonly loss?: string
  readonly problem?: RegExp
  /** What one row then has. */
  readonly finds?: readonly [sql: string, value: unknown]
}

const note = text({ max: 50 })
const size = (...words: string[]) => choice(words as [string])
const named = { title, note }
const row = { title: 'One', note: '7' }
const lost = { changes: ['removed field'], alone: true } as const

const cases = (isSqlite: boolean): readonly Case[] => [
  { name: 'an optional field', before: [{ title }], after: [{ title, note: optional(note) }], changes: ['new field'] },
  {
    name: 'a field with a default',
    before: [{ title }],
    after: [{ title, level: integer({ default: 7 }) }],
    rows: [{ title: 'One' }],
    changes: ['new field'],
    finds: ['select level from things', 7],
  },
  {
    name: 'a required field, without records',
    before: [{ title }],
    after: [named],
    changes: ['new field'],
    alone: true,
  },
  {
    name: 'a required field, with records',
    before: [{ title }],
    after: [named],
    rows: [{ title: 'One' }],
    changes: [],
    problem: /Thing\.note is required and has no default, but there are records/,
  },
  {
    name: 'a relation',
    before: [{ title }],
    after: [{ title, user: optional(one('User')) }],
    changes: ['new field', 'new index'],
  },
  {
    name: 'an optional field less',
    before: [{ title, note: optional(note) }],
    after: [{ title }],
    rows: [row],
    ...lost,
    loss: 'things.note',
  },
  {
    name: 'a required field less',
    before: [named],
    after: [{ title }],
    rows: [row],
    changes: ['optional field', 'removed field'],
    alone: true,
    loss: 'things.note',
  },
  {
    name: 'another name',
    before: [named],
    after: [{ title, remark: text({ max: 50, was: 'note' }) }],
    rows: [row],
    changes: ['other name'],
    alone: true,
    finds: ['select remark from things', '7'],
  },
  {
    name: 'another name, of which the database knows nothing (18.1.8)',
    before: [named, { sort: ['note'], unique: [['note']], search: ['note'] }],
    after: [
      { title, remark: text({ max: 50, column: 'note' }) },
      { sort: ['remark'], unique: [['remark']], search: ['remark'] },
    ],
    rows: [{ ...row, note__words: ' 7 ' }],
    changes: [],
  },
  {
    name: 'another name of a resource, of which the database knows nothing (18.1.8)',
    before: [named, { sort: ['note'] }],
    after: [named, { name: 'Item', table: 'things', sort: ['note'] }],
    rows: [row],
    changes: [],
  },
  {
    name: 'a field that becomes optional',
    before: [named],
    after: [{ title, note: optional(note) }],
    rows: [row],
    changes: ['optional field'],
  },
  {
    name: 'a field that becomes required',
    before: [{ title, note: optional(note) }],
    after: [named],
    rows: [row],
    changes: ['required field'],
    alone: true,
    finds: ['select note from things', '7'],
  },
  {
    name: 'a field that becomes required, and some records lack',
    before: [{ title, note: optional(note) }],
    after: [named],
    rows: [{ title: 'One' }],
    changes: [],
    problem: /Thing\.note is required, but there are records without it/,
  },
  { name: 'a sort', before: [named], after: [named, { sort: ['note'] }], rows: [row], changes: ['new index'] },
  {
    name: 'a filter less',
    before: [named, { filter: { note: is } }],
    after: [named],
    rows: [row],
    changes: ['removed index'],
  },
  {
    name: 'a unique field',
    before: [named],
    after: [named, { unique: [['note']] }],
    rows: [row],
    changes: ['unique values'],
  },
  {
    name: 'a unique field whose values are not',
    before: [named],
    after: [named, { unique: [['note']] }],
    rows: [row, row],
    changes: [],
    problem: /Thing\.note is unique, but several records have the same value/,
  },
  {
    name: 'uniqueness without case',
    before: [named],
    after: [named, { unique: [{ fields: ['title', 'note'], caseless: true }] }],
    rows: [row],
    changes: ['numbers to fill', 'numbers to fill', 'unique values'],
    alone: true,
    finds: ['select title__folded from things', 'one'],
  },
  {
    name: 'no overlaps',
    before: [{ title, first: integer(), after: optional(integer()) }],
    after: [
      { title, first: integer(), after: optional(integer()) },
      { exclude: [{ fields: ['title'], overlap: ['first', 'after'] }] },
    ],
    rows: [{ title: 'One', first: 1, after: 2 }],
    changes: ['no overlaps'],
    alone: true,
  },
  {
    name: 'a number that becomes a text',
    before: [{ title, level: integer() }],
    after: [{ title, level: note }],
    rows: [{ title: 'One', level: 12 }],
    changes: ['other type'],
    alone: true,
    finds: ['select level from things', '12'],
  },
  {
    name: 'a text that becomes a number',
    before: [named],
    after: [{ title, note: integer() }],
    rows: [row],
    changes: ['other type'],
    alone: true,
    finds: ['select note as number from things', 7],
  },
  {
    name: 'a text that becomes a number, where some are none',
    before: [named],
    after: [{ title, note: integer() }],
    rows: [row, { title: 'Two', note: '+43 1' }],
    changes: [],
    problem: /and one of its values does not convert/,
  },
  {
    name: 'more digits behind the point',
    before: [{ price: decimal({ precision: 6, scale: 2 }) }],
    after: [{ price: decimal({ precision: 8, scale: 4 }) }],
    rows: [{ price: isSqlite ? 125 : '1.25' }],
    changes: ['other type'],
    alone: true,
    finds: ['select cast(price as text) from things', isSqlite ? '12500' : '1.2500'],
  },
  {
    name: 'another value of a choice',
    before: [{ kind: size('small', 'large') }],
    after: [{ kind: size('small', 'large', 'huge') }],
    rows: [{ kind: 'small' }],
    changes: [],
  },
  {
    name: 'a value less that no record has',
    before: [{ kind: size('small', 'large') }],
    after: [{ kind: size('small') }],
    rows: [{ kind: 'small' }],
    changes: ['narrower field'],
    alone: true,
  },
  {
    name: 'a value less that records have',
    before: [{ kind: size('small', 'large') }],
    after: [{ kind: size('small') }],
    rows: [{ kind: 'large' }],
    changes: ['narrower field'],
    alone: true,
    problem: /Thing\.kind does not fit one record, which have large \(1\)/,
  },
  {
    name: 'a search',
    before: [named],
    after: [named, { search: ['title'] }],
    rows: [row],
    changes: ['numbers to fill', 'new index'],
  },
  {
    name: 'a search less',
    before: [named, { search: ['title'] }],
    after: [named],
    rows: [{ ...row, title__words: ' one ' }],
    changes: ['removed index', 'numbers that go'],
    alone: isSqlite ? true : 'later',
  },
  {
    name: 'a limit of length',
    before: [{ title, note: text({ max: 50 }) }],
    after: [{ title, note: text({ max: 9 }) }],
    rows: [row],
    changes: [],
  },
]

/** What squawk finds dangerous, and where a plan names it. */
const dangers: Readonly<Record<string, (change: PlannedChange, statement: string) => boolean>> = {
  'adding-foreign-key-constraint': ({ locks }, statement) => locks.includes(/references ("\w+")/.exec(statement)![1]!),
  'adding-required-field': ({ needsAlone }) => needsAlone,
  'ban-drop-column': ({ needsAlone, older }) => needsAlone && older.includes('missing'),
  'ban-drop-not-null': ({ older }) => older.includes('null'),
  'changing-column-type': ({ needsAlone, locks }) => needsAlone && locks.includes('while every value is converted'),
  'constraint-missing-not-valid': ({ rows }) => rows === null,
  'require-concurrent-index-creation': ({ rows }) => rows === null,
  'renaming-column': ({ needsAlone, older }) => needsAlone && older.includes('missing'),
  'renaming-table': ({ needsAlone, older }) => needsAlone && older.includes('missing'),
}
function assertNamed({ engine, changes }: DescribedPlan): void {
  if (engine === 'sqlite' || withoutSquawk !== false) return
  for (const change of changes)
    for (const { rule, statement } of squawkOn(change.statements))
      assert(dangers[rule]?.(change, statement) === true, `the plan does not name ${rule}: ${statement}`)
}

forEachMigration(({ dialect, engine, insert, moment, run, start, store }) => {
  before(async () => {
    if (engine === 'postgres' && withoutSquawk === false) await fetchSquawk()
  })
  const schemaOf = (fields: object, more: object = {}) =>
    desiredSchema(modelOf(fields, more), dialect, [migrationTables])
  const plan = (desired: ReturnType<typeof schemaOf>) =>
    readAll(store(), function* () {
      return yield* describePlan(yield* planMigration(desired))
    })
  const apply = (desired: ReturnType<typeof schemaOf>, finish = false, accepted: readonly string[] = []) =>
    applyMigration(store(), desired, {
      holder: { name: 'test', isGone: () => false },
      finish,
      accepted: new Set(accepted),
      report: () => undefined,
    })
  for (const each of cases(engine === 'sqlite')) {
    const { name, before, after, rows = [], changes, alone, loss, problem, finds } = each
    test(`18.1.2, 18.1.3, 18.1.8 ${name}`, async () => {
      const [former, desired] = [schemaOf(...before), schemaOf(...after)]
      await start(modelOf(...before), [migrationTables])
      for (const [at, values] of rows.entries()) await insert(`thing_${at}`, values)
      const planned = await plan(desired)
      assert.deepEqual(
        planned.changes.map(({ change }) => change),
        changes,
      )
      assert.equal(planned.problems.length, problem === undefined ? 0 : 1)
      assert.deepEqual(
        planned.changes.map((change) => change.loss).filter((found) => found !== null),
        loss === undefined ? [] : [loss],
      )
      assert.equal(
        planned.changes.some(({ needsAlone }) => needsAlone),
        alone !== undefined,
      )
      const inSteps: readonly Change[] = ['required field', 'other type', 'narrower field']
      for (const { change, steps } of planned.changes) assert.equal(steps !== null, inSteps.includes(change), change)
      assert.deepEqual(await start(modelOf(...before), [migrationTables]), [], 'a plan changes nothing')
      assertNamed(planned)
      if (problem !== undefined) {
        assert.match(planned.problems[0]!, problem)
        await assert.rejects(apply(desired), problem)
        assert.deepEqual(await start(modelOf(...before), [migrationTables]), [], 'it applies all or nothing')
        return
      }
      if (engine === 'postgres') {
        const instance = await beginInstance(store(), former.fingerprint, defaultLimits)
        const left = await apply(desired)
        if (loss === undefined)
          assert.deepEqual(
            left.some(({ why }) => why === 'instances'),
            alone === true,
          )
        await insert('thing_old', rows[0] ?? { title: 'Old' }).catch((error: Error) =>
          assert(error instanceof UniqueViolation, error),
        )
        await run(`delete from things where id = 'thing_old'`)
        await instance.end()
      }
      const left = await apply(desired, loss === undefined)
      assert.deepEqual(
        left.map(({ why }) => why),
        loss === undefined ? [] : ['finish'],
      )
      assert.deepEqual(await start(modelOf(...after), [migrationTables]), [], 'the new version starts')
      if (finds !== undefined) assert.deepEqual((await run(finds[0]))[0], [finds[1]])
      if (loss !== undefined) {
        assert.deepEqual(
          (await apply(desired, true)).map(({ why }) => why),
          ['consent'],
        )
        assert.deepEqual(await apply(desired, true, [loss]), [])
        assert.deepEqual((await run('select duet_removed_note from things'))[0], ['7'])
        assert.deepEqual(await start(modelOf(...after), [migrationTables]), [])
        await apply(former)
        assert.deepEqual((await run('select note from things'))[0], ['7'], 'undone')
      }
      assert.deepEqual((await plan(loss === undefined ? desired : former)).changes, [])
    })
  }

  test('18.1.7 a start in production makes quick additions, and leaves the rest to apply', async () => {
    const holder = { name: 'start', isGone: () => false }
    const inProduction = async (desired: ReturnType<typeof schemaOf>) => {
      const later = await migrateInProduction(store(), desired, holder)
      await later?.build(() => undefined, new AbortController().signal)
    }
    const former = schemaOf(named)
    await inProduction(former)
    await insert('thing_1', row)
    const more = { ...named, level: integer({ default: 3 }) }
    await inProduction(schemaOf(more, { sort: ['level'] }))
    assert.deepEqual(await run('select level from things'), [[3]])
    assert.deepEqual(await start(modelOf(more, { sort: ['level'] }), [migrationTables]), [])
    const slow: readonly (readonly [object, object, RegExp])[] = [
      [more, { unique: [['note']] }, /Thing: unique values\. In production .*: duet migrate apply$/m],
      [more, { search: ['title'] }, /Thing\.title: numbers to fill\. In production/],
      [
        { title, level: more.level, remark: text({ max: 50, was: 'note' }) },
        {},
        /Thing\.remark: other name\. In production/,
      ],
      [{ title }, {}, /has a column "note"/],
    ]
    for (const [fields, lists, sentence] of slow) {
      const desired = schemaOf(fields, { sort: ['level'], ...(fields === more ? {} : { sort: [] }), ...lists })
      await assert.rejects(inProduction(desired), sentence)
    }
    await apply(schemaOf(more, { sort: ['level'], unique: [['note']] }))
    await inProduction(schemaOf(more, { sort: ['level'], unique: [['note']] }))
    // The version before starts again without a command.
    await inProduction(schemaOf(more, { sort: ['level'] }))
  })

  if (engine === 'postgres')
    test('18.1.10 of 20 starts at once one builds the indexes, and none drops those of a newer version', async () => {
      const begin = (desired: ReturnType<typeof schemaOf>, name: string) =>
        migrateInProduction(store(), desired, { name, isGone: () => false })
      await begin(schemaOf(named), 'first')
      await insert('thing_1', row)
      const sorted = schemaOf(named, { sort: ['note'] })
      const all = await Promise.all(Array.from({ length: 20 }, (_, at) => begin(sorted, `start ${at}`)))
      assert(all.every((later) => later?.names.length === 1))
      const built: string[] = []
      const { signal } = new AbortController()
      await Promise.all(
        all.map((later) => later!.build((line) => line.includes('new index') && built.push(line), signal)),
      )
      assert.equal(built.length, 1)
      assert.equal(await begin(sorted, 'again'), null)

      const other = await begin(schemaOf(named, { sort: ['title', 'note'] }), 'other')
      await apply(schemaOf(named, { sort: ['title', 'note'], filter: { note: is } }))
      const indexes = () =>
        run(`select count(*) from pg_indexes where tablename = 'things' and schemaname = current_schema()`)
      const before = await indexes()
      await other!.build(assert.fail, signal)
      assert.deepEqual(await indexes(), before)
    })

  test('18.1.2, 18.1.3 estimates by what an apply has measured, and fills many records by one statement', async () => {
    await start(modelOf(named), [migrationTables])
    const counted = 'with recursive counted(n) as (select 1 union all select n + 1 from counted where n < 3000)'
    const one = dialect.parameter(1)
    await run(
      `insert into things (id, title, note, created_at, updated_at) ${counted} select 'thing_' || n, n, n, ${one}, ${one} from counted`,
      moment,
    )
    const [before] = (await plan(schemaOf(named, { sort: ['note'] }))).changes
    assert.equal(before!.isMeasured, false)
    await apply(schemaOf(named, { sort: ['note'] }))
    const [after] = (await plan(schemaOf(named, { sort: ['note', 'title'] }))).changes
    assert.deepEqual([after!.change, after!.isMeasured], ['new index', true])
    assert((await run(`select position from duet_migration where kind = 'rate'`)).every(([rate]) => Number(rate) > 0))
    const former = store().counts.statements
    await apply(schemaOf(named, { sort: ['note', 'title'], search: ['title'] }))
    const statements = store().counts.statements - former
    assert(statements < 1_000, `3,000 records are filled by ${statements} statements`)
    assert.deepEqual(await run(`select count(*) from things where title__words <> ' ' || title || ' '`), [[0]])
  })

  if (engine === 'sqlite')
    test('12.2.19, 18.1.3 a search of more fields is filled next to the one before, which --finish drops', async () => {
      const before = schemaOf(named, { search: ['title'] })
      await start(modelOf(named, { search: ['title'] }), [migrationTables])
      const fill = (at: number) => insert(`thing_${at}`, { title: `t${at}`, note: `n${at}`, title__words: ` t${at} ` })
      for (let at = 0; at < 9; at++) await fill(at)
      const tables = async () =>
        (await run(`select name from sqlite_schema where name like '%_search' order by name`)).map(
          ([name]) => `${name}`,
        )
      const [former] = (await tables()) as [string]
      const desired = schemaOf(named, { search: ['title', 'note'] })
      assert.deepEqual(
        (await apply(desired)).map(({ step, why }) => [step.change, why]),
        [
          ['removed index', 'finish'],
          ['numbers to fill', 'finish'],
        ],
      )
      const newer = (await tables()).find((name) => name !== former)!
      await fill(9)
      const found = async (table: string, word: string) => {
        const rows = await run(
          `select t.id from ${table} join things t on t.rowid = ${table}.rowid where ${table} match '${word}'`,
        )
        return rows.map(([id]) => id)
      }
      for (const at of [0, 8, 9]) assert.deepEqual(await found(former, `t${at}`), [`thing_${at}`])
      for (const at of [0, 8]) assert.deepEqual(await found(newer, `n${at}`), [`thing_${at}`])
      assert.deepEqual(await found(newer, 'n9'), [], 'the version before knows no words of notes')
      assert.deepEqual(await start(modelOf(named, { search: ['title', 'note'] }), [migrationTables]), [])

      await apply(desired, true)
      assert.deepEqual(await tables(), [newer])
      assert.deepEqual(await found(newer, 'n9'), ['thing_9'])

      // Writes amid the fill reach the table by its triggers.
      const plan = await readAll(store(), () => planMigration(before))
      const step = plan.steps.find(({ fill }) => fill?.key.endsWith('_search'))!
      for (const statement of step.statements) await run(statement)
      const batch = (after: string) => store().write(() => step.fill!.batch(after, 4))
      const next = await batch('')
      await run(`update things set title__words = ' other ' where id in ('thing_1', 'thing_7')`)
      await run(`delete from things where id = 'thing_8'`)
      assert.equal(await batch((await batch(next!))!), null)
      assert.deepEqual(await found(former, 'other'), ['thing_1', 'thing_7'])
      assert.deepEqual(await found(former, 't7'), [])
      assert.deepEqual(await run(`select count(*) from ${former}`), [[9]])
    })

  test('18.1.4, 18.1.5 a resource less, whose records stay for seven days', async () => {
    const former = schemaOf({ title })
    await start(modelOf({ title }), [migrationTables])
    await insert('thing_1', { title: 'One' })
    const desired = schemaOf({ title, user: optional(one('User')) }, { name: 'Item' })
    assertNamed(await plan(desired))
    assert.deepEqual(
      (await plan(desired)).changes.map(({ change, loss }) => [change, loss]),
      [
        ['new resource', null],
        ['removed resource', 'things'],
      ],
    )
    await apply(desired)
    assert.deepEqual(
      await start(modelOf({ title, user: optional(one('User')) }, { name: 'Item' }), [migrationTables]),
      [],
    )
    await apply(desired, true, ['things'])
    assert.deepEqual(await run('select title from duet_removed_things'), [['One']])
    const removed = () =>
      readAll(store(), function* () {
        return yield* removedThings(engine, yield* introspect(engine))
      })
    assert.deepEqual(await removed(), [{ loss: 'things', isDue: false }])
    await apply(former)
    assert.deepEqual(await run('select title from things'), [['One']])
    assert.deepEqual(await removed(), [])
    await apply(desired, true, ['things'])
    await run(`update duet_migration set at = '2026-01-01T00:00:00.000Z' where kind = 'removed'`)
    assert.deepEqual(await removed(), [{ loss: 'things', isDue: true }])
    await store().write(() => purge(['things']))
    await assert.rejects(run('select title from duet_removed_things'))
  })
})
