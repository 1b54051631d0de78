// What becomes of the values of a column when its field is of another kind, has another form, or leads elsewhere.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  bigint,
  boolean,
  choice,
  contains,
  date,
  decimal,
  float,
  integer,
  json,
  list,
  object,
  one,
  optional,
  text,
  timestamp,
  uuid,
} from 'duet-api'
import { forEachMigration, modelOf, refusalOf, title } from '../../../test/support/server/migration.ts'
import { literal } from '../sql/text/dialect.ts'
import type { Value } from '../store.ts'

forEachMigration(({ dialect, engine, insert, moment, obey, run, start, store }) => {
  test('refuses another type, and reports how to change it', async () => {
    await start(modelOf({ title, level: integer() }, { sort: ['level'] }))
    await insert('thing_1', { title: 'One', level: 12 })
    const next = modelOf({ title, level: text({ max: 9 }) }, { sort: ['level'] })
    const refusal = await refusalOf(start(next))
    assert.match(
      refusal.message,
      /Thing\.level is text.* by its definition, but the column "level" of "things" is integer/,
    )
    await obey(refusal)
    await start(next)
    assert.deepEqual(await run('select level from things'), [['12']])
  })

  // One second after midnight on the first day, or 1: what a column has is the same after its type was changed.
  const first = '1970-01-01T00:00:01.000Z'
  const kinds = {
    integer: { field: integer(), type: 'integer', value: 1 },
    boolean: { field: boolean(), type: 'boolean', value: true },
    bigint: { field: bigint(), type: 'bigint', value: '1' },
    float: { field: float(), type: 'double', value: 1 },
    'decimal of no digit': { field: decimal({ precision: 6, scale: 0 }), type: 'decimal(6,0)', value: '1' },
    'decimal of two digits': { field: decimal({ precision: 6, scale: 2 }), type: 'decimal(6,2)', value: '1.00' },
    'decimal of four digits': { field: decimal({ precision: 9, scale: 4 }), type: 'decimal(9,4)', value: '1.0000' },
    timestamp: { field: timestamp(), type: 'timestamp', value: first },
    date: { field: date(), type: 'date', value: '1970-01-01' },
    uuid: { field: uuid(), type: 'uuid', value: '0a0a0a0a-0a0a-4a0a-8a0a-0a0a0a0a0a0a' },
    text: { field: text({ max: 100 }), type: 'text', value: '1' },
    json: { field: json({ maxBytes: 100 }), type: 'json', value: {} },
  } as const
  type Kind = keyof typeof kinds
  const isNumber = (kind: Kind) => !['uuid', 'text', 'json', 'date', 'timestamp'].includes(kind)
  /** What becomes of the value; undefined where the operator has to say it, or the two have nothing in common. */
  function becomes(from: Kind, to: Kind): unknown {
    const isOfText = from === 'text' && to !== 'uuid' && to !== 'json'
    if (to === 'text') return texts[from] ?? kinds[from].value
    if ((isNumber(from) && isNumber(to)) || (isOfText && isNumber(to))) return kinds[to].value
    // A day has no seconds.
    if (isNumber(from) && to === 'timestamp') return kinds[to].value
    if (from === 'timestamp' && isNumber(to)) return kinds[to].value
    return from === 'date' && to === 'timestamp' && engine === 'postgres' ? '1970-01-01T00:00:00.000Z' : undefined
  }
  const texts: Partial<Record<Kind, string>> = {
    integer: '1',
    boolean: 'true',
    float: engine === 'sqlite' ? '1.0' : '1',
    json: '{}',
  }
  for (const from of Object.keys(kinds) as Kind[]) {
    test(`reports what to run for ${from} that becomes another kind, and that keeps what it means`, async () => {
      const others = (Object.keys(kinds) as Kind[]).filter((to) => to !== from)
      // Half of them have another name, too.
      const newName = (at: number) => `${at % 2 === 0 ? 'v' : 'w'}${at}`
      const before = others.map((_, at) => [`v${at}`, optional(kinds[from].field as typeof title)] as const)
      const after = others.map(
        (to, at) =>
          [
            newName(at),
            optional({ ...(kinds[to].field as object), was: `v${at}` } as unknown as typeof title),
          ] as const,
      )
      const models = [before, after].map((fields) => modelOf(Object.fromEntries(fields)))
      const value = dialect.encode(kinds[from].value, kinds[from].type)
      await start(models[0]!)
      // What does not convert is refused until it is changed; null is of every type.
      const isRead = (to: Kind) =>
        becomes(from, to) !== undefined || (engine === 'sqlite' && !(isNumber(from) && to === 'date'))
      await insert('thing_1', Object.fromEntries(others.map((to, at) => [`v${at}`, isRead(to) ? value : null])))
      await insert('thing_2')
      for (let tries = 0; ; tries++) {
        const refusal = await start(models[1]!).then(
          () => null,
          (error: Error) => error,
        )
        if (refusal === null) break
        assert(tries < 3, refusal.message)
        for (const line of refusal.message.split('\n').slice(1)) {
          const [, at] = /^Thing\.[vw](\d+) (?:is|does not fit)/.exec(line) ?? assert.fail(line)
          const { value, type } = kinds[others[Number(at)]!]
          await obey({ message: `\n${line}` }, literal(dialect.encode(value, type)))
        }
      }
      const [stored, empty] = (await run(
        `select ${others.map((_, at) => newName(at))} from things order by id`,
      )) as Value[][]
      assert(empty!.every((value) => value === null))
      for (const [at, to] of others.entries()) {
        const held = stored![at]! === null ? null : dialect.decode(stored![at]!, kinds[to].type)
        const expected = becomes(from, to)
        if (expected !== undefined) assert.equal(shown(held), shown(expected), to)
      }
    })
  }
  // Values that another kind has no room for, besides ordinary ones.
  const samples: Readonly<Record<Kind, readonly unknown[]>> = {
    integer: [0, 1, -1, 5, 49, 1999, 2_147_483_647, -2_147_483_648],
    boolean: [true, false],
    bigint: ['0', '1', '5', '-1', '2147483648', '9007199254740993', '9223372036854775807', '-9223372036854775808'],
    float: [0, 1, 1.5, -0.1, 0.1 + 0.2, 1e300, 5e-324, 253402300800],
    'decimal of no digit': ['0', '1', '-1', '5', '999999'],
    'decimal of two digits': ['0.00', '1.00', '-0.05', '1.50', '9999.99'],
    'decimal of four digits': ['0.0000', '1.0000', '0.0001', '-1.5000', '99999.9999'],
    timestamp: [first, '2026-11-20T09:30:00.123Z', '2026-11-20T00:00:00.000Z', '0001-01-01T00:00:00.000Z'],
    date: ['1970-01-01', '2026-11-20', '9999-12-31'],
    uuid: ['0a0a0a0a-0a0a-4a0a-8a0a-0a0a0a0a0a0a', '49000000-0000-4000-8000-000000000000'],
    text: [
      '+43 49 123',
      '0664 123',
      '007',
      '49',
      '-1.50',
      '1e3',
      '',
      ' 1',
      'yes',
      'maybe',
      '2026-11-20',
      '99999999999999999999',
    ],
    json: ['{"a":1}', '[1,2]', '"49"', '1', '"007"', 'true', '1.25'],
  }
  const shownIn = (held: unknown) =>
    held instanceof Date ? held.toISOString() : typeof held === 'object' ? JSON.stringify(held) : String(held)
  /** What the value is as a text, a number or a moment: these are what another kind may keep of it. */
  const meanings = (held: unknown, kind: Kind): readonly unknown[] => {
    const text = shownIn(held)
    const number = /^-?\d+(\.\d+)?$/.test(text) ? text.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '') : null
    const exponent = /^-?\d[\d.]*e[+-]?\d+$/.test(text) ? [String(Number(text))] : []
    const float = typeof held === 'number' ? [held] : number === null ? [] : [Number(number)]
    const seconds = kind === 'timestamp' || kind === 'date' ? [Date.parse(text) / 1000] : []
    const truth = { true: ['true', '1'], false: ['false', '0'], yes: ['true'], 1: ['true'], 0: ['false'] }
    const unquoted = kind === 'json' && text.startsWith('"') ? [JSON.parse(text)] : []
    const asNumbers = [...float, ...seconds]
    const moments = asNumbers.flatMap((each) => {
      const moment = new Date(each * 1000)
      return Number.isNaN(moment.getTime()) ? [] : [moment.toISOString()]
    })
    const days = moments.filter((each) => each.endsWith('T00:00:00.000Z')).map((each) => each.slice(0, 10))
    return [
      text,
      ...(number === null ? [] : [number]),
      ...asNumbers.map(String),
      ...(truth[text as 'true'] ?? []),
      ...unquoted,
      ...exponent,
      ...moments,
      ...days,
    ]
  }
  for (const from of Object.keys(kinds) as Kind[]) {
    test(`18.1.1 suggests nothing that would change a value of ${from}`, async () => {
      const others = (Object.keys(kinds) as Kind[]).filter((to) => to !== from)
      const withKinds = (kindAt: (at: number) => Kind) =>
        modelOf(
          Object.fromEntries(others.map((_, at) => [`v${at}`, optional(kinds[kindAt(at)].field as typeof title)])),
        )
      await start(withKinds(() => from))
      const decode = (value: Value, kind: Kind) => (kind === 'json' ? value : dialect.decode(value, kinds[kind].type))
      const values = samples[from].map((each) =>
        dialect.encode(from === 'json' ? JSON.parse(String(each)) : each, kinds[from].type),
      )
      for (const [number, value] of values.entries())
        await insert(`thing_${number}`, Object.fromEntries(others.map((_, at) => [`v${at}`, value])))
      const select = (kindAt: (at: number) => Kind) =>
        others.map((_, at) => (kindAt(at) === 'json' && engine === 'postgres' ? `v${at}::text` : `v${at}`)).join(', ')
      const before = await run(`select ${select(() => from)} from things order by id`)
      const next = withKinds((at) => others[at]!)
      for (let tries = 0; ; tries++) {
        const refusal = await start(next).then(
          () => null,
          (error: Error) => error,
        )
        if (refusal === null) break
        assert(tries < 4 && refusal.message.includes('\n'), refusal.message)
        // What it cannot keep it counts, and leaves to the operator.
        for (const line of refusal.message.split('\n').slice(1)) await obey({ message: `\n${line}` }, 'null')
      }
      const after = await run(`select ${select((at) => others[at]!)}, 'after' from things order by id`)
      for (const [number, row] of before.entries())
        for (const [at, to] of others.entries()) {
          const [old, held] = [decode(row[at]!, from), decode(after[number]![at]!, to)]
          if (held === null) continue
          const kept = meanings(held, to).filter((each) => meanings(old, from).includes(each))
          assert(kept.length > 0, `${from} ${shownIn(old)} became ${to} ${shownIn(held)}`)
        }
    })
  }

  test('18.1.1 counts the phone numbers that are no integers, and keeps them', async () => {
    await start(modelOf({ phone: text({ max: 20 }) }))
    for (const [at, phone] of ['+43 49 123', '0664 123', '4912'].entries()) await insert(`thing_${at}`, { phone })
    const refusal = await refusalOf(start(modelOf({ phone: integer() })))
    assert.match(refusal.message, /is text.*, and 2 of its values do not convert\. .* where /)
    assert.deepEqual((await run('select phone from things order by id')).flat(), ['+43 49 123', '0664 123', '4912'])
  })

  const shown = (value: unknown) => (value instanceof Date ? value.toISOString() : String(value))

  test('refuses a form that records do not have, with how many and what to do', async () => {
    const before = {
      kind: choice(['red', 'green', 'blue']),
      free: json({ maxBytes: 100 }),
      tags: list(text({ max: 9 }), { max: 9 }),
      parts: list(object({ size: integer(), name: optional(title) }), { max: 9 }),
    }
    await start(modelOf(before))
    const values = { tags: '["a"]', free: '{"a": [1]}', parts: '[{"size": 1, "name": null}]' }
    await insert('thing_1', { kind: 'red', ...values })
    await insert('thing_2', { kind: 'green', ...values })
    await insert('thing_3', { kind: 'green', ...values })
    await insert('thing_4', { kind: 'blue', ...values, deleted_at: moment })
    for (const [field, next, sentence, value] of [
      ['kind', choice(['red', 'blue']), /^Thing\.kind does not fit 2 records, which have green \(2\)\. Keep /, `'red'`],
      ['free', list(text({ max: 9 }), { max: 9 }), /^Thing\.free does not fit 3 records, whose values have /, `'[]'`],
      ['tags', list(choice(['b']), { max: 9 }), /^Thing\.tags does not fit 3 records/, `'["b"]'`],
      ['parts', list(object({ size: integer(), unit: title }), { max: 9 }), /^Thing\.parts does not fit 3 /, `'[]'`],
    ] as const) {
      const model = modelOf({ ...before, [field]: next })
      const refusal = await refusalOf(start(model))
      assert.match(refusal.message.split('\n')[1]!, sentence)
      // Nothing has changed: the former version starts.
      assert.deepEqual(await start(modelOf(before)), [])
      await obey(refusal, value)
      await start(model)
      Object.assign(before, { [field]: next })
    }
  })

  test('names a column as it is stored, and renames it in what is to be run', async () => {
    await start(modelOf({ title, level: integer(), note: optional(text({ max: 9 })) }, { sort: ['level'] }))
    await insert('thing_1', { title: 'One', level: 12 })
    const rank = { ...text({ max: 9 }), was: 'level' } as typeof title
    const next = modelOf(
      { title, rank, remark: { ...text({ max: 9 }), was: 'note' } as typeof title },
      { sort: ['rank'] },
    )
    const refusal = await refusalOf(start(next))
    assert.match(refusal.message, /Thing\.rank is text.*, but the column "level" of "things" is integer/)
    for (const line of refusal.message.split('\n').slice(1)) await obey({ message: `\n${line}` }, `'none'`)
    for (let tries = 0; tries < 2; tries++) {
      const error = await start(next).then(
        () => null,
        (reason: Error) => reason,
      )
      if (error === null) break
      await obey(error, `'none'`)
    }
    await start(next)
    assert.deepEqual(await run('select rank, remark from things'), [['12', 'none']])
  })

  const priced = (precision: number, scale: number) => modelOf({ title, price: decimal({ precision, scale }) })
  test('keeps decimals that get more digits, and refuses to lose any', async () => {
    await start(priced(6, 2))
    await insert('thing_1', { title: 'One', price: dialect.encode('-12.50', 'decimal(6,2)') })
    const prices = async (type: 'decimal(8,4)' | 'decimal(6,1)' | 'decimal(6,0)') =>
      (await run(`select price as "${type}" from things`)).map(([price]) => dialect.decode(price!, type))
    const refusal = await refusalOf(start(priced(8, 4)))
    const sentence =
      engine === 'sqlite'
        ? /^Thing\.price does not fit one record, which have it with another number of digits behind the point\./
        : /^Thing\.price is numeric\(8,4\) by its definition, but the column "price" of "things" is numeric\(6,2\)\./
    assert.match(refusal.message.split('\n')[1]!, sentence)
    assert.deepEqual(await start(priced(6, 2)), [], 'nothing has changed')
    await obey(refusal)
    await start(priced(8, 4))
    assert.deepEqual(await prices('decimal(8,4)'), ['-12.5000'])
    // A version of before would take the digits for others.
    await assert.rejects(start(priced(6, 2)), /cannot run on it any more|does not fit/)
    await obey(await refusalOf(start(priced(6, 1))))
    await start(priced(6, 1))
    assert.deepEqual(await prices('decimal(6,1)'), ['-12.5'])
    const lossy = await refusalOf(start(priced(6, 0)))
    assert.match(lossy.message, /run: update "things" set "price" = <value> where /)
    await obey(lossy, literal(dialect.encode('-13.0', 'decimal(6,1)')))
    await obey(await refusalOf(start(priced(6, 0))))
    await start(priced(6, 0))
    assert.deepEqual(await prices('decimal(6,0)'), ['-13'])
  })

  test('takes more digits before the point as they are, and refuses numbers that are too large', {
    skip: engine === 'postgres',
  }, async () => {
    await start(priced(6, 2))
    await insert('thing_1', { title: 'One', price: 123_456 })
    await start(priced(8, 2))
    for (const [precision, scale] of [
      [5, 2],
      [5, 3],
    ] as const) {
      const refusal = await refusalOf(start(priced(precision, scale)))
      assert.match(refusal.message, /run: update "things" set "price" = <value> where /)
    }
    assert.deepEqual(await run('select price from things'), [[123_456]])
  })

  test('refuses a day that is none', async () => {
    await start(modelOf({ title }))
    await insert('thing_1', { title: 'no day' })
    assert.match(
      (await refusalOf(start(modelOf({ title: date() })))).message,
      /Thing\.title (does not fit one record|is date by its definition)/,
    )
  })

  test('takes a wider form without a look at the records, and one that they happen to have', async () => {
    const withKind = (...values: string[]) => modelOf({ title, kind: choice(values as [string]) })
    await start(withKind('red', 'green'))
    await insert('thing_1', { title: 'One', kind: 'red' })
    const looks = (statements: number, before: number) => statements - before
    const { statements } = store().counts
    await start(withKind('red', 'green', 'blue'))
    const wider = looks(store().counts.statements, statements)
    await start(withKind('red'))
    assert.equal(
      looks(store().counts.statements, statements) - wider,
      wider + (engine === 'sqlite' ? 1 : 2),
      'it counts once',
    )
    // A version that returns finds what a newer one has left, and the next one looks again.
    await start(withKind('red', 'green'))
    await run(`update things set kind = 'green'`)
    const refusal = await refusalOf(start(withKind('red', 'yellow')))
    assert.match(refusal.message, /Thing\.kind does not fit one record/)
  })

  test('keeps values of jsonb as json, with their default and their index', {
    skip: engine === 'sqlite',
  }, async () => {
    const next = modelOf({ title, tags: list(title, { max: 9 }) }, { filter: { tag: contains('tags') } })
    await start(modelOf({ title }))
    await run(`alter table things add column tags jsonb not null default '[]'`)
    await run('create index things_tags_00000000_idx on things using gin (tags jsonb_path_ops)')
    await insert('thing_1', { title: 'One', tags: '["a"]' })
    await insert('thing_2', { title: 'Two' })
    await start(next)
    await insert('thing_3', { title: 'Three' })
    assert.deepEqual(await run(`select tags::text, pg_typeof(tags)::text from things order by id`), [
      ['["a"]', 'json'],
      ['[]', 'json'],
      ['[]', 'json'],
    ])
    const indexes = `select count(*) from pg_indexes where tablename = 'things' and indexdef like '%jsonb_path_ops%' and schemaname = current_schema()`
    assert.deepEqual(await run(indexes), [[1]])
  })

  test('refuses a relation that leads elsewhere than before', async () => {
    await start(modelOf({ title, other: optional(one('User')) }))
    const next = modelOf({ title, other: optional(one('Thing')) })
    const refusal = await refusalOf(start(next))
    assert.match(refusal.message, /Thing\.other is text.* that refers to "things" by its definition/)
    await obey(refusal)
    await start(next)
    await insert('thing_1', { title: 'One' })
    await insert('thing_2', { title: 'Two', other_id: 'thing_1' })
  })
})
