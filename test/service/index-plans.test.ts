// What declarations without an index of their own are served by. (contract 12.3.5)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, is, isPresent, many, one, optional, resource, service, text, timestamp } from 'duet-api'
import { type Bound, bind, command, type Engine, type Program, query, type StoredRow } from '../../src/store/store.ts'
import { overhear, withQuietService } from '../support/check/statement-counter.ts'
import { accounts, User } from '../support/domain/account.ts'

const Club = resource('Club', {
  prefix: 'clb',
  fields: { name: text({ max: 50 }), members: many('Member', 'club') },
  actions: { read: { allow: anyone } },
})
const Member = resource('Member', {
  prefix: 'mbr',
  fields: {
    club: one('Club'),
    user: one('User'),
    nick: text({ max: 50 }),
    joinedAt: timestamp(),
    leftAt: optional(timestamp()),
  },
  unique: [
    ['club', 'user'],
    ['club', 'nick'],
  ],
  filter: { club: is, user: is, left: isPresent('leftAt') },
  where: ['joinedAt'],
  sort: ['joinedAt', 'leftAt', 'nick'],
  actions: { read: { allow: anyone } },
})
const clubs = service({ resources: { User, Club, Member }, accounts, roles: { ANY: {} } })

withQuietService(
  'Indexes that several declarations share',
  (running) => {
    for (const [it, path, index] of [
      ['a unique index has the order', 'members?club_id={club 7}&sort=nick', /members_club_id_nick_\w+_key/],
      [
        'the order of a time finds the few of one time',
        `members?where=${encodeURIComponent('joined_at = "2026-11-20T09:30:00.000Z"')}`,
        /members_joined_at_id_\w+_idx/,
      ],
      ['the order of a column has its values together', 'members?left=true&sort=left_at', /members_left_at_id_\w+_idx/],
      [
        'records without a value are found in order',
        'members?left=false',
        /members_left_at_created_at_id_\w+_idx|members_created_at_id_\w+_idx/,
      ],
    ] as const)
      test(`12.3.5 ${it}`, async () => {
        const clubsOf = Array.from({ length: 60 }, (_, at) => [
          [`club ${at}`, { Club: { name: `${at}` } }],
          [
            `member ${at}`,
            {
              Member: {
                club: `{club ${at}}`,
                user: '{viewer}',
                nick: 'n',
                joinedAt: new Date(at),
                leftAt: at % 2 === 0 ? null : new Date(at),
              },
            },
          ],
        ])
        const fixtures = running().fixtures(Object.fromEntries(clubsOf.flat()))
        for (let at = 0; at < 60; at++) await fixtures.idOf(`member ${at}`)
        if (running().engine === 'postgres') await running().store.write(analyze)
        const { statements } = await overhear(running(), () =>
          running().send(`GET /api/v1/${path}`, { as: 'viewer', fixtures }),
        )
        const plans = await Promise.all(
          statements
            .filter(({ statement }) => statement.sql.includes('"members"'))
            .map((each) => running().store.write(() => explained(each, running().engine))),
        )
        assert.match(plans.flat().join('\n'), index)
        assert.doesNotMatch(plans.flat().join('\n'), /Seq Scan on members|SCAN t0(?! USING)|Filter: \(left_at/)
      })
  },
  { definition: clubs },
)

function* analyze(): Program<void> {
  yield bind(command('analyze members'))
}

/** In a transaction, so that PostgreSQL leaves out what it does for small tables. */
function* explained({ statement, values }: Bound, engine: Engine): Program<readonly string[]> {
  if (engine === 'postgres') yield bind(command('set local enable_seqscan = off'))
  const how = engine === 'sqlite' ? 'explain query plan' : 'explain'
  const rows: readonly StoredRow[] = yield bind(query(`${how} ${statement.sql}`), ...values)
  return rows.map((row) => String(row.at(-1)))
}
