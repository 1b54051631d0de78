// Conditions, orders and groups by what an object holds, through both faces.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dues } from '../support/domain/dues.ts'
import { type Caller, withService } from '../support/server/service.ts'

withService(
  '12.1 Paths into objects',
  (service) => {
    const send = async (line: string, body?: object, as: Caller = 'viewer') => {
      const { status, text, ...answer } = await service().send(line, { as, ...(body === undefined ? {} : { body }) })
      assert.ok(status < 300, `${line}: ${status} ${text}`)
      return answer.body?.data
    }
    const graphql = async (text: string, as: Caller = 'viewer') => {
      const { body } = await service().graphql(text, { as })
      assert.equal(body.errors, undefined, JSON.stringify(body.errors))
      return body.data
    }
    const namesOf = (records: readonly { name: string }[]) => records.map(({ name }) => name).join(' ')
    const list = async (query: string, as?: Caller) => namesOf(await send(`GET /api/v1/payers?${query}`, undefined, as))
    const where = (text: string, as?: Caller) => list(`sort=created_at&where=${encodeURIComponent(text)}`, as)
    const ask = async (condition: string, as?: Caller) =>
      namesOf(
        (await graphql(`{ payers(where: ${condition}, sort: [CREATED_AT_ASC]) { nodes { name } } }`, as)).payers.nodes,
      )
    let isMade = false
    const make = async () => {
      if (isMade) return
      isMade = true
      const bern = {
        city: 'Bern',
        floor: 10,
        since: '2026-01-01T00:00:00.000Z',
        kind: 'HOME',
        geo: { height: '540.00' },
      }
      const payers = [
        { name: 'a', address: bern, bank: { code: 'z' } },
        {
          name: 'b',
          address: { city: 'Basel', floor: 9, kind: 'WORK', geo: { height: '1000.50' } },
          bank: { code: 'y' },
        },
        { name: 'c', address: { city: '10' }, bank: { code: 'x' } },
        { name: 'd' },
      ]
      for (const payer of payers) await send('POST /api/v1/payers', payer)
    }

    const conditions = [
      ['address.city = "Bern"', '{ address: { city: { eq: "Bern" } } }', 'a'],
      ['address.city != "Bern"', '{ address: { city: { ne: "Bern" } } }', 'b c d'],
      ['address.city = "10"', '{ address: { city: { eq: "10" } } }', 'c'],
      ['address.city = null', '{ address: { city: { isNull: true } } }', 'd'],
      ['startsWith(address.city, "B")', '{ address: { city: { startsWith: "B" } } }', 'a b'],
      ['address.floor < 10', '{ address: { floor: { lt: 10 } } }', 'b'],
      ['address.floor = null', '{ address: { floor: { isNull: true } } }', 'c d'],
      ['address.since <= "2026-01-01T01:00:00+01:00"', '{ address: { since: { lte: "2026-01-01T00:00:00Z" } } }', 'a'],
      ['address.kind IN ("WORK")', '{ address: { kind: { in: [WORK] } } }', 'b'],
      ['address.geo.height > 999', '{ address: { geo: { height: { gt: "999" } } } }', 'b'],
      [
        'address.floor = 10 OR name = "d"',
        '{ or: [{ address: { floor: { eq: 10 } } }, { name: { eq: "d" } }] }',
        'a d',
      ],
      [
        'NOT (address.floor = 10 OR address.city = "10")',
        '{ address: { not: { or: [{ floor: { eq: 10 } }, { city: { eq: "10" } }] } } }',
        'b d',
      ],
    ] as const
    for (const [text, tree, names] of conditions)
      test(`12.1.23 ${text}`, async () => {
        await make()
        assert.deepEqual([await where(text), await ask(tree)], [names, names])
      })

    test('12.1.23 lists are sorted and grouped by them, also through a reference', async () => {
      await make()
      assert.equal(await list('sort=address.geo.height&limit=2'), 'a b')
      assert.equal(await list('sort=address.city&limit=3'), 'c b a')
      const { payers } = await graphql('{ payers(sort: [ADDRESS_CITY_ASC], first: 2) { nodes { name } } }')
      assert.equal(namesOf(payers.nodes), 'c b')
      const groups = await send('GET /api/v1/payers/summary?group_by=address_kind&sort=address_kind')
      assert.deepEqual(
        groups.map((each: { count: number }) => each.count),
        [1, 1, 2],
      )
      const [payer] = await send(`GET /api/v1/payers?where=${encodeURIComponent('name = "a"')}`)
      await send('POST /api/v1/bills', { title: 'Of Bern', payer_id: payer.id })
      const bills = (text: string) =>
        send(`GET /api/v1/bills?sort=payer.address.city&where=${encodeURIComponent(text)}`)
      assert.equal((await bills('payer.address.city = "Bern"')).length, 1)
      assert.equal((await bills('payer.address.city = "Basel"')).length, 0)
      await send(`PATCH /api/v1/payers/${payer.id}`, { address: { city: 'Basel' } })
      assert.equal((await bills('payer.address.city = "Basel"')).length, 1)
    })

    test('12.1.23 a path that no definition names is unknown, and the value is no field', async () => {
      await make()
      for (const text of ['address.street = "x"', 'address = "x"', 'bank.code.x = "x"']) {
        const { status } = await service().send(`GET /api/v1/payers?where=${encodeURIComponent(text)}`, {
          as: 'viewer',
        })
        assert.equal(status, 400, text)
      }
      const [payer] = await send('GET /api/v1/payers?limit=1')
      assert.deepEqual(
        Object.keys(payer).filter((each) => each.includes('city')),
        [],
      )
      for (const fields of ['address.city', 'address_city'])
        assert.equal((await service().send(`GET /api/v1/payers?fields=${fields}`, { as: 'viewer' })).status, 400)
    })

    test('12.1.23 a hidden object neither matches nor orders', async () => {
      await make()
      const own = 'name < "e"'
      assert.deepEqual([await where('bank.code > "x"'), await where('bank.code > "x"', 'admin')], ['', 'a b'])
      assert.deepEqual(
        [await where(`${own} AND NOT bank.code = "x"`), await ask('{ bank: { code: { gt: "x" } } }')],
        ['a b c d', ''],
      )
      const order = `sort=bank.code&where=${encodeURIComponent('name < "d"')}`
      assert.deepEqual([await list(order), await list(order, 'admin')], ['a b c', 'c b a'])
    })
  },
  { definition: dues },
)
