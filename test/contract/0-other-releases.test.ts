// Forms of stored values that another release wrote: in a rolling deploy, two releases share a database.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { on } from 'duet-api'
import { bind, command, type Program } from '../../src/store/store.ts'
import { signIn } from '../support/client/subscriber.ts'
import { assignments, Ticket } from '../support/domain/assignments.ts'
import { startInstance } from '../support/server/instance.ts'
import { password, type TestService, withService } from '../support/server/service.ts'

const planned: (readonly [id: string, dueAt: Date | null])[] = []
const plans = on(Ticket, 'ticketPlanned', async ({ id, previous }) => void planned.push([id, previous.dueAt]))

const run = (service: TestService, sql: string) =>
  service.store.write(function* (): Program<void> {
    yield bind(command(sql))
  })
const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5))
}

withService(
  '0.2 Forms of another release',
  (service) => {
    const send = async (line: string, body?: object) => {
      const { status, text, ...answer } = await service().send(line, {
        as: 'viewer',
        ...(body === undefined ? {} : { body }),
      })
      assert(status < 300, `${line}: ${status} ${text}`)
      return answer.body?.data
    }
    /** Another release emits these events as this one emitted the last of this name. */
    const emitAgain = async (name: string, forms: readonly string[]) => {
      const last = `(select max(number) from duet_event where name = '${name}' and previous like '{"%')`
      for (const form of forms)
        await run(
          service(),
          'insert into duet_event (name, resource, record_id, by_id, at, previous) ' +
            `select name, resource, record_id, by_id, at, '${form}' from duet_event where number = ${last}`,
        )
    }

    for (const [what, column, forms] of [
      ['an answer to a guest', 'answer', ['x', '00000000.AAAA', '{"records":[]}']],
      [
        'the ids of its records',
        'ids',
        ['x', '{"form":2}', '["usr_1"]', '[["usr_1",1,0,null,[],"more"]]', '[[1,2,3]]'],
      ],
    ] as const)
      test(`0.2.9 ${what}: a key is 503 until its release answers, and nothing is created`, async () => {
        const fixtures = service().fixtures()
        const key = await fixtures.fill('{unique}-key')
        const body = { name: 'N', email: await fixtures.fill('{unique}@example.com'), password }
        const create = () => service().send('POST /api/v2/users', { headers: { 'Idempotency-Key': key }, body })
        assert.equal((await create()).status, 201)
        const rows = await service().tables('duet_idempotency')
        const [scope, , ids, , answer] = rows
          .toSorted((one, two) => Number(new Date(one[3] as string)) - Number(new Date(two[3] as string)))
          .at(-1) as string[]
        const where = `where scope = '${scope}'`
        const users = (await service().tables('users')).length
        for (const form of forms) {
          await run(service(), `update duet_idempotency set ${column} = '${form}' ${where}`)
          const again = await create()
          assert.deepEqual([again.status, again.body.error.code], [503, 'SERVICE_UNAVAILABLE'], form)
          assert.match(again.body.error.message, /^Another release of the service answered this idempotency key first/)
          assert.equal(again.headers['retry-after'], '1')
        }
        const own = column === 'answer' ? answer : ids
        await run(service(), `update duet_idempotency set ${column} = '${own}' ${where}`)
        const again = await create()
        assert.deepEqual([again.status, again.headers['idempotent-replayed']], [200, 'true'])
        assert.equal((await service().tables('users')).length, users)
        service().assertLog()
      })

    test('0.2.9 an event in another form is not delivered, and later ones are', async () => {
      const socket = await signIn(service(), 'viewer')
      socket.subscribe('1', 'subscription { ticketAssigned { ticket { id } previous { priority } } }')
      await socket.settled()
      const { id } = await send('POST /api/v2/tickets', { subject: 'one' })
      const next = async () => (await socket.next()).payload as { readonly data: unknown }
      const assigned = (priority: string) => ({ ticketAssigned: { ticket: { id }, previous: { priority } } })
      await send(`PATCH /api/v2/tickets/${id}`, { priority: 'high' })
      assert.deepEqual((await next()).data, assigned('low'))
      const forms = ['{', '[]', '"priority"', '{"priority":{"was":"low"}}', '{"priority":["low",true,"more"]}']
      await emitAgain('ticketAssigned', forms)
      await send(`PATCH /api/v2/tickets/${id}`, { priority: 'low' })
      assert.deepEqual((await next()).data, assigned('high'))
      await socket.close()
      const errors = service()
        .logged()
        .filter(({ level }) => level === 'error')
      assert.equal(errors.length, forms.length)
      for (const { msg } of errors) assert.match(String(msg), /^An event of another release was not delivered/)
      service().forgetLog()
    })

    test('0.2.9 a reaction to an event in another form waits, and other tasks are done', async () => {
      planned.length = 0
      const { id } = await send('POST /api/v2/tickets', { subject: 'two' })
      const dueAt = '2026-12-24T18:00:00.000Z'
      await send(`POST /api/v2/tickets/${id}/plan`, { due_at: dueAt })
      await until(() => planned.length === 1)
      await emitAgain('ticketPlanned', ['{', '{"dueAt":{"was":null}}'])
      const { id: other } = await send('POST /api/v2/tickets', { subject: 'three' })
      await send(`POST /api/v2/tickets/${other}/plan`, { due_at: dueAt })
      await until(() => planned.length === 2)
      assert.deepEqual(planned, [
        [id, null],
        [other, null],
      ])
      const tasks = async () => await service().tables('duet_reaction_task')
      const isTried = (row: readonly unknown[]) => String(row.at(-2)).includes('Another release wrote')
      await until(async () => (await tasks()).length === 2 && (await tasks()).every(isTried))
      // As an instance of the release that wrote them would find them.
      await run(service(), `update duet_reaction_task set previous = '{"dueAt":["${dueAt}",true]}'`)
      service().advance(3_600_000)
      service().forgetTokens()
      await until(() => planned.length === 4)
      assert.deepEqual(planned.slice(2), [
        [id, new Date(dueAt)],
        [id, new Date(dueAt)],
      ])
      await until(async () => (await tasks()).length === 0)
      service().forgetLog()
    })

    test('0.2.9 a signing key of an unknown algorithm is ignored, also at the start', async (t) => {
      await run(
        service(),
        "insert into duet_signing_key (sequence, kid, algorithm, jwk, published_at) values (7, 'new', 'EdDSA', '{}', 0)",
      )
      const other = await startInstance(service(), { definition: assignments })
      t.after(() => other.stop())
      for (const client of [service().client, other.client]) {
        const { body } = await client.send('GET /.well-known/jwks.json')
        assert.equal(body.keys.length, 1)
      }
      // What instances learn from each other is still learnt.
      const token = await service().token(await service().fixtures().idOf('other viewer'))
      const read = () => other.client.send('GET /api/v2/users/me', { headers: { Authorization: `Bearer ${token}` } })
      assert.equal((await read()).status, 200)
      await service().send('POST /api/v2/auth/logout-all', { as: 'other viewer' })
      await run(service(), "delete from duet_signing_key where kid = 'new'")
      service().assertLog()
    })

    test('0.2.9 a denial of an unknown kind denies no one else', async () => {
      const at = service().engine === 'sqlite' ? "'2026-11-20T09:30:00.000Z'" : 'now()'
      const end = service().engine === 'sqlite' ? "'2099-11-20T09:30:00.000Z'" : "timestamp '2099-11-20'"
      await run(
        service(),
        `insert into duet_denial (kind, subject, epoch, denied_at, until) values ('device', 'dev_1', 1, ${at}, ${end})`,
      )
      await service().settled()
      await send('GET /api/v2/users/me')
      service().assertLog()
    })

    test('0.2.9 cursors and tokens of an unknown form are refused as invalid', async () => {
      const text = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
      for (const cursor of ['x', text({ form: 2 }), text(['abc', 'sideways', 1]), text([2, { at: 1 }])]) {
        const rest = await service().send(`GET /api/v2/tickets?cursor=${cursor}`, { as: 'viewer' })
        assert.deepEqual([rest.status, rest.body.error.details[0].field], [400, 'cursor'])
        const { body } = await service().graphql(`{ tickets(first: 1, after: "${cursor}") { nodes { id } } }`, {
          as: 'viewer',
        })
        assert.equal(body.errors[0].extensions.code, 'VALIDATION_ERROR')
      }
      for (const token of ['rt2_x', 'rt_x', `rt_${'A'.repeat(60)}`]) {
        const { status } = await service().send('POST /auth/refresh', { body: { refresh_token: token } })
        assert.equal(status, 401)
      }
      const header = text({ alg: 'EdDSA', typ: 'at+jwt', kid: 'new' })
      for (const token of [`${header}.${text({ sub: 'usr_1', form: 2 })}.AAAA`, 'v4.public.AAAA', 'duet2_AAAA']) {
        const { status } = await service().client.send('GET /api/v2/users/me', {
          headers: { Authorization: `Bearer ${token}` },
        })
        assert.equal(status, 401, token)
      }
      service().assertLog()
    })

    test('0.2.9 a choice of another release is read and can be replaced, through both faces', async () => {
      const { id } = await send('POST /api/v2/tickets', { subject: 'four' })
      await run(service(), `update tickets set priority = 'urgent' where id = '${id}'`)
      // Not by `send`, which compares answers with the documents: these do not list the new choice.
      const headers = { Authorization: `Bearer ${await service().token(await service().fixtures().idOf('viewer'))}` }
      const line = `/api/v2/tickets/${id}`
      const rest = await service().client.send(`GET ${line}`, { headers })
      assert.deepEqual([rest.status, rest.body.data.priority], [200, 'urgent'])
      const query = `{ ticket(id: "${id}") { priority } }`
      const read = await service().client.send('POST /graphql', { headers, body: { query } })
      assert.deepEqual(read.body, { data: { ticket: { priority: 'urgent' } } })
      const change = (body: object) => service().client.send(`PATCH ${line}`, { headers, body })
      assert.equal((await change({ subject: 'five' })).body.data.priority, 'urgent')
      assert.equal((await change({ priority: 'low' })).body.data.priority, 'low')
      service().assertLog()
    })
  },
  { definition: assignments, reactions: [plans], limits: { eventPollMs: 10 }, random: () => 0 },
)
