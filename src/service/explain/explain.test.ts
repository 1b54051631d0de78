// Rules that follow lists, and what is asked of the records that a body names: the command's own test asks the reference service.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  anyone,
  boolean,
  hasToken,
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
  token,
  when,
} from 'duet-api'
import { accountFields, accounts } from '../../../test/support/domain/account.ts'
import { withService } from '../../../test/support/server/service.ts'
import { linkOf } from '../../action/target/commit.ts'
import { dialectOf } from '../../store/sql/text/dialect.ts'
import { createWriteStatements } from '../../store/sql/write/write-statements.ts'
import { findCaller, showingCode } from './caller.ts'
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
    create: { allow: signedIn, accept: ['name', 'owner', 'nextRoom', { list: 'guests', into: self }] },
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
      includes(created, '  some guests: may be named by the account itself')
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

const Box = resource('Box', {
  prefix: 'box',
  fields: { label: text({ max: 20 }), code: token({ prefix: 'box' }), externalId: text({ max: 20 }) },
  keys: [['externalId']],
  actions: {
    read: { allow: hasToken('code') },
    create: { allow: signedIn, accept: ['label', 'externalId'] },
    update: { allow: hasToken('code'), accept: ['label'] },
  },
})
const Account = resource('User', { prefix: 'usr', fields: accountFields, actions: { read: { allow: anyone } } })
const boxes: Service<unknown> = service({
  resources: { User: Account, Box },
  accounts,
  roles: { ANY: {} },
} as never)

withService(
  'duet explain of access codes, and of batches by a key',
  (running) => {
    async function begin() {
      const fixtures = running().fixtures({ ann: { User: {} } })
      const ann = await fixtures.idOf('ann')
      const make = async (label: string) => {
        const body = { label, external_id: `${label} ${crypto.randomUUID().slice(0, 8)}` }
        const answer = await running().send('POST /api/v1/boxes', { as: '{ann}', fixtures, body })
        assert.equal(answer.status, 201, answer.text)
        return answer.body.data as { readonly id: string; readonly code: string }
      }
      const { model, store } = running()
      const explain = createExplain({ model, store, authorRoutes: [] })
      const lines = async (who: string, method: string, path: string, code?: string) => {
        const [route = '', query = ''] = path.split('?')
        const caller = (await findCaller(who, model, store))!
        const showing = code === undefined ? caller : showingCode(caller, code, model)!
        return (await explain({ method, path: `/api/v1${route}`, query }, showing, running().now())).split('\n')
      }
      return { ann, make, lines }
    }
    const has = (all: readonly string[], line: string) =>
      assert.ok(all.includes(line), `${line}\nis not in\n${all.join('\n')}`)

    test('4.15.7 shows what the code of a caller opens', async () => {
      const { ann, make, lines } = await begin()
      const [box, other] = [await make('one'), await make('other')]
      for (const who of ['anonymous', ann]) {
        const opened = await lines(who, 'GET', `/boxes/${box.id}`, box.code)
        assert.match(opened[0]!, /, with an access code$/)
        has(opened, '200: the record may be read.')
        assert.ok(opened.some((line) => /^ {2}yes .*\(the code that the caller shows opens it\)$/.test(line)))
        const closed = await lines(who, 'GET', `/boxes/${box.id}`, other.code)
        assert.ok(closed.some((line) => /^ {2}no .*\(the code that the caller shows does not open it\)$/.test(line)))
        has(closed, '404 NOT_FOUND: the record exists, but the caller may not read it.')
      }
      const both = await lines('anonymous', 'GET', `/boxes/${box.id}`, `${other.code}, ${box.code}`)
      assert.match(both[0]!, /, with 2 access codes$/)
      assert.ok(both.some((line) => /^ {2}yes .*\(one of the codes that the caller shows opens it\)$/.test(line)))
      const neither = await lines('anonymous', 'GET', `/boxes/${box.id}`, `${other.code}, box${'A'.repeat(43)}`)
      assert.ok(neither.some((line) => /^ {2}no .*\(none of the codes that the caller shows opens it\)$/.test(line)))
      const without = await lines('anonymous', 'GET', `/boxes/${box.id}`)
      assert.ok(without.some((line) => line.endsWith('(the caller shows no access code)')))
      const { model, store } = running()
      assert.equal(showingCode((await findCaller(ann, model, store))!, 'box_short', model), null)
    })

    test('4.15.7 /docs/why takes the code in the header of requests', async () => {
      const { make } = await begin()
      const { id, code } = await make('one')
      const line = `GET /docs/why?method=GET&path=/api/v1/boxes/${id}`
      const why = async (headers: Record<string, string>) => (await running().client.send(line, { headers })).text
      assert.match(
        await why({ 'X-Access-Code': code }),
        /an anonymous caller, with an access code[\s\S]*200: the record may be read/,
      )
      assert.match(await why({}), /401 UNAUTHENTICATED/)
    })

    test('4.15.7 shows both rules of a batch by a key', async () => {
      const { ann, lines } = await begin()
      const batch = await lines(ann, 'POST', '/boxes/batch?by=external_id')
      has(batch, 'Who may create boxes:')
      assert.match(batch.at(-1)!, /^200: records that have the key are replaced/)
      assert.ok(!(await lines(ann, 'POST', '/boxes/batch')).join().includes('replaced'))
      assert.match((await lines('anonymous', 'POST', '/boxes/batch?by=external_id')).join(), /401 UNAUTHENTICATED/)
    })
  },
  { definition: boxes },
)
