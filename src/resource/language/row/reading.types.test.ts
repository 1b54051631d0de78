// biome-ignore-all format: a promise and what breaks it stand on two lines, so that the compiler finds them
// What `records` promises in effects, checks, `finish` and routes: what must follow does, and what must not compile does not.
// It runs as well, for definitions are inert: no callback below is ever called.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, argument, bigint, choice, type Decimal, decimal, event, float, integer, is, many, nobody, on, one, optional, resource, route, signedIn, state, text } from 'duet-api'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const expect = <_T extends true>() => {}

const Box = resource('Box', {
  prefix: 'box',
  plural: 'boxes',
  fields: {
    label: text({ max: 9 }), hint: text({ max: 9 }), count: integer(), serial: optional(bigint()), price: decimal({ precision: 9, scale: 2 }), ratio: optional(float()),
    kind: choice(['A', 'B']), status: state('open', 'shut'), items: many('Item', 'box'),
  },
  protect: { hint: { read: nobody } },
  filter: { label: is, kind: is },
  actions: {
    read: { allow: anyone },
    create: {
      allow: signedIn, accept: ['label', 'hint', 'count', 'price', 'kind'],
      check: async ({ records, input }) => {
        const { records: same, hasNext } = await records.here.list({ filter: { label: input.label } })
        expect<Equal<typeof hasNext, boolean>>()
        void records.here.count({ where: { and: [{ label: { startsWith: 'a' } }, { items: { some: { size: { gt: 1 } } } }] } })
        // @ts-expect-error a check writes nothing
        void records.create
        // @ts-expect-error nor by SQL
        void records.sql
        return same.length === 0 || 'There is one.'
      },
      emit: event('boxed'),
    },
    shut: {
      allow: signedIn, from: 'open', to: 'shut',
      effect: async ({ records: { here } }) => {
        void here.list({ where: { count: { gte: 1 } }, search: 'word', sort: ['-count'], limit: 9 })
        void here.sum('count', { where: 'count >= 1' })
        for await (const each of here.each({ where: { not: { status: { eq: 'open' } } } })) expect<Equal<typeof each.count, number>>()
        // @ts-expect-error there is no such field
        void here.list({ where: { colour: { eq: 'red' } } })
        // @ts-expect-error a number has no beginning
        void here.list({ where: { count: { startsWith: '1' } } })
        // @ts-expect-error the size of a page is its limit
        void here.list({ perPage: 9 })
      },
    },
    delete: { allow: nobody },
  },
})
const Item = resource('Item', {
  prefix: 'item',
  fields: { box: one('Box'), size: argument(integer()) },
  actions: {
    read: { allow: anyone },
    create: {
      allow: signedIn, accept: ['box', 'size'],
      check: async ({ input, records }) => (await records.get(Box, input.box)).status === 'open' || 'It is shut.',
      effect: async ({ input, records }) => {
        const box = await records.get(Box, input.box)
        expect<Equal<typeof box.count, number>>()
        // What is protected may be missing.
        expect<Equal<typeof box.hint, string | undefined>>()
        expect<Equal<Awaited<ReturnType<typeof records.tenantRole>>, string | null>>()
        const sums = [await records.sum(Box, 'count'), await records.sum(Box, 'serial'), await records.sum(Box, 'price'), await records.sum(Box, 'ratio')] as const
        expect<Equal<typeof sums, readonly [number, bigint, Decimal, number]>>()
        const ends = [await records.max(Box, 'count'), await records.max(Box, 'price'), await records.max(Box, 'createdAt'), await records.distinct(Box, 'label')] as const
        expect<Equal<typeof ends, readonly [number | null, Decimal | null, Date | null, number]>>()
        // @ts-expect-error a text has no greatest value
        void records.max(Box, 'label')
        // @ts-expect-error a text adds up to nothing
        void records.sum(Box, 'label')
        // @ts-expect-error there is no such filter
        void records.count(Box, { filter: { colour: 'red' } })
        // @ts-expect-error a number of records has no order
        void records.count(Box, { sort: ['createdAt'] })
        void records.list(Box, { filter: { kind: 'A' }, sort: ['-createdAt', 'count'], limit: 9 })
        // @ts-expect-error nothing is sorted by what nobody stores
        void records.list(Box, { sort: ['items'] })
        // What a relation names may be hidden.
        for await (const each of records.each(Item)) expect<Equal<typeof each.box, typeof box.id | null>>()
        for await (const each of records.each(Box)) expect<Equal<typeof each.kind, 'A' | 'B'>>()
        await records.remove(Box, input.box)
        const isDone: boolean = await records.once('key', (own) => own.run(Box, input.box, 'shut'))
        const rows = await records.sql<{ id: string }>`select id from ${Box} where ${Box.fields.label} = ${'x'} and ${isDone} and id in ${[box.id]}`
        expect<Equal<typeof rows, readonly { id: string }[]>>()
        // @ts-expect-error an object is no value
        void records.sql`select ${{ id: 'x' }}`
        // @ts-expect-error a text is no template
        void records.sql('select 1')
      },
    },
  },
})

on(Box, 'boxed', async ({ id, finish }) => {
  await finish(async (records) => {
    const box = await records.get(Box, id)
    // The service itself sees what is protected.
    expect<Equal<typeof box.hint, string>>()
    // @ts-expect-error there is nobody who could read or not
    void records.lockReadable
    void records.sql`select 1`
  })
})
route('POST', '/api/v1/probes', {
  summary: 'Probe', access: anyone,
  async handle({ records, asService }) {
    expect<Equal<Awaited<ReturnType<typeof records.count>>, number>>()
    // @ts-expect-error a caller has no SQL
    void records.sql
    // @ts-expect-error nor does a caller act once, in one transaction
    void records.once
    // Lists, walks, counts and sums take one kind of condition, for whomever they read.
    for (const own of [records, asService.records]) {
      void own.list(Box, { filter: { kind: 'A' }, search: 'word', sort: ['label'], page: 2, limit: 9 })
      void own.each(Box, { filter: { kind: 'A' }, search: 'word', sort: ['label'] })
      void own.count(Box, { filter: { kind: 'A' }, where: 'count > 1', search: 'word' })
      void own.sum(Box, 'count', { filter: { kind: 'A' }, search: 'word' })
      // @ts-expect-error there is no such filter
      void own.each(Box, { filter: { colour: 'red' } })
      // @ts-expect-error what is walked has no pages
      void own.each(Box, { limit: 9 })
    }
    const inside = asService.records.within('org_1')
    expect<Equal<Awaited<ReturnType<typeof inside.count>>, number>>()
    // @ts-expect-error SQL stays inside of no tenant
    void inside.sql
  },
})

test('types are checked by the compiler', () => assert.equal(Item.name, 'Item'))
