// Rules that follow lists, and what is asked of the records that a body names: the command's own test asks the reference service.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  anyone,
  boolean,
  many,
  manyToMany,
  not,
  one,
  optional,
  own,
  resource,
  type Service,
  self,
  service,
  signedIn,
  some,
  text,
  when,
} from 'duet-api'
import { accountFields, accounts } from '../../../test/support/domain/account.ts'
import { withService } from '../../../test/support/server/service.ts'
import { linkOf } from '../../action/target/commit.ts'
import { dialectOf } from '../../store/sql/text/dialect.ts'
import { createWriteStatements } from '../../store/sql/write/write-statements.ts'
import { findCaller } from './caller.ts'
import { createExplain } from './explain.ts'

const User = resource('User', {
  prefix: 'usr',
  fields: { ...accountFields, rooms: manyToMany('Room', 'guests') },
  actions: { read: { allow: anyone } },
})
const Room = resource('Room', {
  prefix: 'room',
  fields: {
    name: text({ max: 20 }),
    owner: one('User', { cascade: 'regardless' }),
    nextRoom: optional(one('Room', { into: own('owner'), same: 'owner' })),
    keys: many('Key', 'room'),
    guests: manyToMany('User', 'rooms'),
  },
  actions: {
    read: { allow: some('guests', self) },
    update: { allow: some('keys', own('holder')), accept: ['name', 'nextRoom'] },
    create: { allow: signedIn, accept: ['name', 'owner', 'nextRoom'] },
    delete: { allow: not(some('keys', when({ isMaster: true }))) },
  },
})
const Key = resource('Key', {
  prefix: 'lock',
  fields: {
    room: one('Room', { cascade: 'regardless' }),
    holder: one('User', { cascade: 'regardless' }),
    isMaster: boolean(),
  },
  actions: { read: { allow: anyone } },
})
const definition: Service<unknown> = service({ resources: { User, Room, Key }, accounts, roles: { ANY: {} } } as never)

withService(
  'duet explain of rules that follow lists',
  (running) => {
    async function world() {
      const fixtures = running().fixtures({
        ann: { User: {} },
        bob: { User: {} },
        hall: { Room: { name: 'Hall', owner: '{ann}' } },
        room: { Room: { name: 'Room', owner: '{ann}', nextRoom: '{hall}' } },
        master: { Key: { room: '{room}', holder: '{bob}', isMaster: true } },
        second: { Key: { room: '{room}', holder: '{bob}', isMaster: false } },
        third: { Key: { room: '{room}', holder: '{bob}', isMaster: false } },
        fourth: { Key: { room: '{room}', holder: '{ann}', isMaster: false } },
      })
      const [ann, bob, hall, room] = await Promise.all(
        ['ann', 'bob', 'hall', 'room'].map((each) => fixtures.idOf(each)),
      )
      for (const each of ['master', 'second', 'third', 'fourth']) await fixtures.idOf(each)
      const explain = createExplain({ model: running().model, store: running().store, authorRoutes: [] })
      const lines = async (who: string, method: string, path: string) => {
        const caller = await findCaller(who, running().model, running().store)
        return (await explain({ method, path: `/api/v1${path}` }, caller!, running().now())).split('\n')
      }
      return { fixtures, ann: ann!, bob: bob!, hall: hall!, room: room!, lines }
    }
    const includes = (all: readonly string[], ...expected: readonly string[]) => {
      for (const line of expected) assert.ok(all.includes(line), `${line}\nis not in\n${all.join('\n')}`)
    }

    test('shows a record that the rule holds for, and how many there are', async () => {
      const { ann, bob, room, fixtures, lines } = await world()
      await link(room, ann)
      const sentences = await lines(ann, 'PATCH', `/rooms/${room}`)
      includes(
        sentences,
        '  yes  for one of its keys, its holder (4 in keys, 3 of them shown)',
        `       yes  ${await fixtures.idOf('fourth')}, of keys`,
        `            yes  its holder (holder_id is ${ann}, the caller)`,
        `       no   ${await fixtures.idOf('third')}, of keys`,
        `            no   its holder (holder_id is ${bob})`,
      )
      includes(
        await lines(ann, 'DELETE', `/rooms/${room}`),
        '       yes  for one of its keys, (anyone, while is_master is true) (4 in keys, 3 of them shown)',
        `            yes  ${await fixtures.idOf('master')}, of keys`,
        '                 yes  anyone, while is_master is true (is_master is true)',
      )
    })

    test('shows the records of a many-to-many list, and that a list is empty', async () => {
      const { ann, bob, room, hall, lines } = await world()
      await link(room, ann)
      includes(
        await lines(bob, 'GET', `/rooms/${room}`),
        '  no   for one of its guests, the account itself (1 in guests)',
        `       no   ${ann}, of users`,
        '            no   the account itself (it is another account)',
        '404 NOT_FOUND: the record exists, but the caller may not read it.',
      )
      includes(
        await lines(bob, 'GET', `/rooms/${hall}`),
        '  no   for one of its guests, the account itself (none in guests)',
      )
      includes(await lines(bob, 'GET', '/rooms'), '  some for one of its guests, the account itself')
    })

    test('reports the conditions of the records that a body names', async () => {
      const { ann, hall, room, lines } = await world()
      await link(room, ann)
      const title = 'References that are 422 where the answer is no for the record that is sent:'
      includes(
        await lines(ann, 'PATCH', `/rooms/${room}`),
        title,
        `  yes  next_room_id: may be named by its owner (it is ${hall}, of rooms)`,
        `  yes  next_room_id: has the same owner as the room (it is ${hall}, of rooms)`,
      )
      const created = await lines(ann, 'POST', '/rooms')
      includes(created, title, '  some next_room_id: may be named by its owner')
      includes(created, '  some next_room_id: has the same owner as the room')
      assert.ok(!(await lines(ann, 'GET', `/rooms/${room}`)).includes(title), 'who reads names nothing')
    })

    async function link(room: string, guest: string): Promise<void> {
      const { model, engine, store } = running()
      const relation = model.byName.get('Room')!.relations.get('guests')!
      assert(relation.kind === 'manyToMany')
      const statement = createWriteStatements(dialectOf(engine)).link(relation.link)
      await store.write(function* () {
        yield linkOf(relation, room, guest, statement)
      })
    }
  },
  { definition },
)
