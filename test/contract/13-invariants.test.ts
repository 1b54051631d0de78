// What a resource requires of its records together, next to children that are replaced: judged when everything is written. (contract 13.1.22)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, atLeastOne, choice, many, one, resource, service } from 'duet-api'
import { accounts, User } from '../support/domain/account.ts'
import { withService } from '../support/server/service.ts'

const kind = choice(['MAIN', 'OTHER'])
const sentence = 'One main record must stay.'

/** Children of a crew in three ways: written together, one after the other, and with effects that write others. */
const Crew = resource('Crew', {
  prefix: 'crw',
  fields: { sailors: many('Sailor', 'crew'), cooks: many('Cook', 'crew'), mates: many('Mate', 'crew') },
  actions: {
    read: { allow: anyone },
    create: { allow: anyone, accept: ['sailors', 'cooks', 'mates'] },
    update: { allow: anyone, accept: ['sailors', 'cooks', 'mates'] },
    delete: { allow: anyone },
  },
})
const common = {
  fields: { crew: one('Crew', { cascade: 'regardless' }), kind },
  invariants: [atLeastOne({ kind: 'MAIN' }, sentence)],
} as const
const Sailor = resource('Sailor', {
  prefix: 'pln',
  ...common,
  actions: {
    read: { allow: anyone },
    create: { allow: anyone, accept: ['crew', 'kind'] },
    update: { allow: anyone, accept: ['kind'] },
    delete: { allow: anyone },
  },
})
const Cook = resource('Cook', {
  prefix: 'ctd',
  ...common,
  actions: {
    read: { allow: anyone },
    create: {
      allow: anyone,
      accept: ['crew', 'kind'],
      check: async ({ records }) => (await records.here.count()) < 9 || 'Full.',
    },
    update: {
      allow: anyone,
      accept: ['kind'],
      check: async ({ records }) => (await records.here.count()) < 9 || 'Full.',
    },
    delete: { allow: anyone },
  },
})
const Mate = resource('Mate', {
  prefix: 'lnk',
  ...common,
  actions: {
    read: { allow: anyone },
    create: { allow: anyone, accept: ['crew', 'kind'], effect: async () => {} },
    update: { allow: anyone, accept: ['kind'], effect: async () => {} },
    delete: { allow: anyone, effect: async () => {} },
  },
})
const crews = service({ resources: { User, Crew, Sailor, Cook, Mate }, accounts, roles: { ANY: {} } })

interface Row {
  readonly id: string
  readonly crew_id: string
}

withService(
  '13.1 Rules about records together',
  (running) => {
    const send = (line: string, body?: object) => running().send(line, body === undefined ? {} : { body })
    const main = { kind: 'MAIN' }
    const other = { kind: 'OTHER' }
    /** What the list, which has one main record, becomes. */
    const cases: readonly (readonly [it: string, list: (id: string) => readonly object[], status: number])[] = [
      ['another one replaces it', () => [main], 200],
      ['another one is made as it changes', (id) => [{ id, ...other }, main], 200],
      ['another one is made before it changes', (id) => [main, { id, ...other }], 200],
      ['it changes', (id) => [{ id, ...other }], 422],
      ['it is left out', () => [], 422],
      ['others take its place', (id) => [{ id, ...other }, other], 422],
    ]
    for (const list of ['sailors', 'cooks', 'mates'])
      for (const [it, listOf, status] of cases)
        test(`13.1.22 ${list}: ${it}`, async () => {
          const crew = (await send('POST /api/v1/crews', { [list]: [main] })).body.data.id
          const rows: readonly Row[] = (await send(`GET /api/v1/${list}?per_page=100`)).body.data
          const own = rows.find((each) => each.crew_id === crew)!
          for (const each of rows)
            if (each !== own) assert.equal((await send(`PATCH /api/v1/${list}/${each.id}`, other)).status, 200)
          const answer = await send(`PATCH /api/v1/crews/${crew}`, { [list]: listOf(own.id) })
          assert.equal(answer.status, status, answer.text)
          if (status === 422) assert.equal(answer.body.error.message, sentence)
        })
  },
  { definition: crews },
)
