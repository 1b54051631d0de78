import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, atLeast, integer, nobody, optional, resource, service, text, timestamp } from 'duet-api'
import fc from 'fast-check'
import { samples } from '../../../test/support/check/samples.ts'
import { accountFields, accounts } from '../../../test/support/domain/account.ts'
import { forEachEngine } from '../../../test/support/server/databases.ts'
import { type RestService, startRest } from '../../../test/support/server/rest-face.ts'

/** Everything that makes an order hard: equal values, nulls, text beyond the basic plane. */
const Item = resource('Item', {
  prefix: 'itm',
  fields: { rank: integer(), label: optional(text({ max: 5 })), at: optional(timestamp()) },
  filter: { minRank: atLeast('rank') },
  sort: ['rank', 'label', 'at'],
  actions: {
    read: { allow: anyone },
    create: { allow: anyone, accept: ['rank', 'label', 'at'] },
    delete: { allow: anyone },
  },
})
const User = resource('User', {
  prefix: 'usr',
  fields: accountFields,
  actions: { read: { allow: anyone }, create: { allow: nobody, accept: ['email', 'password'] } },
})
const items = service({
  resources: { User, Item },
  accounts,
  roles: { ANY: {} },
})

interface ItemRow {
  readonly id: string
  readonly rank: number
  readonly label: string | null
  readonly at: string | null
  readonly created_at: string
}
type SortName = 'rank' | 'label' | 'at' | 'created_at'
interface Key {
  readonly name: SortName
  readonly descending: boolean
}

const anyItem = fc.record({
  rank: fc.integer({ min: 0, max: 3 }),
  label: fc.option(fc.constantFrom('a', 'b', 'B', 'é', '\uffee', '😀', 'a b'), { freq: 3 }),
  at: fc.option(fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z', '0001-01-01T00:00:00.000Z'), {
    freq: 3,
  }),
})
const anySort = fc
  .uniqueArray(
    fc.record({ name: fc.constantFrom<SortName>('rank', 'label', 'at', 'created_at'), descending: fc.boolean() }),
    {
      minLength: 1,
      maxLength: 4,
      selector: ({ name }) => name,
    },
  )
  .map((keys): readonly Key[] => keys)

const parameter = (sort: readonly Key[]) => `sort=${sort.map((key) => (key.descending ? '-' : '') + key.name).join()}`

/** The contract's order: null is greater than any value, text sorts by code point, the id goes with the last field. */
function inOrder(rows: readonly ItemRow[], sort: readonly Key[]): readonly ItemRow[] {
  const compare = (left: string | number | null, right: string | number | null): number => {
    if (left === right) return 0
    if (left === null || right === null) return left === null ? 1 : -1
    if (typeof left === 'number') return left < (right as number) ? -1 : 1
    return Buffer.compare(Buffer.from(left), Buffer.from(right as string))
  }
  const keys = [...sort, { name: 'id' as const, descending: sort.at(-1)!.descending }]
  return [...rows].sort((left, right) => {
    for (const { name, descending } of keys) {
      const order = compare(left[name], right[name])
      if (order !== 0) return descending ? -order : order
    }
    return 0
  })
}

async function clear({ send }: RestService): Promise<void> {
  for (;;) {
    const { body } = await send('GET /api/v1/items?per_page=100&fields=id')
    if (body.data.length === 0) return
    for (const { id } of body.data) await send(`DELETE /api/v1/items/${id}`)
  }
}
const add = async ({ send }: RestService, rows: readonly object[]): Promise<readonly ItemRow[]> =>
  rows.length === 0 ? [] : (await send('POST /api/v1/items/batch', { body: { items: rows } })).body.data

forEachEngine((engine) => {
  test('pages by number and from cursors, both ways, hold every record once and in order (contract 4.4)', async (t) => {
    const rest = await startRest(t, engine, items)
    const property = fc.asyncProperty(
      fc.array(anyItem, { maxLength: 12 }),
      anySort,
      fc.integer({ min: 1, max: 5 }),
      async (made, sort, size) => {
        await clear(rest)
        const rows = await add(rest, made)
        const expected = inOrder(rows, sort).map(({ id }) => id)
        const list = `/api/v1/items?${parameter(sort)}`
        const ids = ({ data }: { data: readonly ItemRow[] }) => data.map(({ id }) => id)

        const byNumber: string[] = []
        for (let page = 1; ; page++) {
          const { body } = await rest.send(`GET ${list}&page=${page}&per_page=${size}`)
          byNumber.push(...ids(body))
          assert.deepEqual(body.meta, {
            page,
            per_page: size,
            total: rows.length,
            total_pages: Math.ceil(rows.length / size),
            has_next: page * size < rows.length,
            has_prev: page > 1,
          })
          if (!body.meta.has_next) break
        }
        assert.deepEqual(byNumber, expected)

        let { body } = await rest.send(`GET ${list}&limit=${size}`)
        const forward: string[][] = [ids(body)]
        assert.equal(body.meta.prev_cursor, null)
        while (body.meta.has_next) {
          body = (await rest.send(`GET ${list}&limit=${size}&cursor=${body.meta.next_cursor}`)).body
          forward.push(ids(body))
        }
        assert.equal(body.meta.next_cursor, null)
        assert.deepEqual(forward.flat(), expected)

        const backward: string[][] = [ids(body)]
        while (body.meta.prev_cursor !== null) {
          body = (await rest.send(`GET ${list}&limit=${size}&cursor=${body.meta.prev_cursor}`)).body
          assert.equal(body.meta.has_next, true)
          backward.unshift(ids(body))
        }
        assert.deepEqual(backward.flat(), expected)
      },
    )
    await fc.assert(property, { numRuns: samples(10) })
  })

  test('a walk through a list that is being written to neither repeats nor loses what was there all along', async (t) => {
    const rest = await startRest(t, engine, items)
    const property = fc.asyncProperty(
      fc.array(anyItem, { minLength: 4, maxLength: 12 }),
      fc.array(fc.array(anyItem, { maxLength: 2 }), { maxLength: 12 }),
      anySort,
      fc.integer({ min: 1, max: 3 }),
      fc.boolean(),
      async (made, meanwhile, sort, size, isForward) => {
        await clear(rest)
        const rows = await add(rest, made)
        const [passing, staying] = [rows.slice(0, 3), rows.slice(3)]
        const expected = inOrder(staying, sort).map(({ id }) => id)
        const list = `GET /api/v1/items?${parameter(sort)}&limit=${size}`
        const write = async (step: number): Promise<void> => {
          await add(rest, meanwhile[step] ?? [])
          const gone = passing.pop()
          if (gone !== undefined) await rest.send(`DELETE /api/v1/items/${gone.id}`)
        }
        const walk = async (line: string, way: 'next_cursor' | 'prev_cursor'): Promise<readonly string[]> => {
          const met: string[] = []
          let next: string | null = line
          for (let step = 0; next !== null; step++) {
            assert.ok(step < 100, 'the walk has an end')
            const { body } = await rest.send(next)
            const ids: string[] = body.data.map(({ id }: ItemRow) => id)
            met.push(...(way === 'next_cursor' ? ids : ids.reverse()))
            next = body.meta[way] === null ? null : `${list}&cursor=${body.meta[way]}`
            await write(step)
          }
          return met.filter((id) => expected.includes(id))
        }
        const lastPage = async (): Promise<string> => {
          for (let line = list; ; ) {
            const { body } = await rest.send(line)
            if (!body.meta.has_next) return line
            line = `${list}&cursor=${body.meta.next_cursor}`
          }
        }
        if (isForward) assert.deepEqual(await walk(list, 'next_cursor'), expected)
        else assert.deepEqual(await walk(await lastPage(), 'prev_cursor'), [...expected].reverse())
      },
    )
    await fc.assert(property, { numRuns: samples(8) })
  })
})
