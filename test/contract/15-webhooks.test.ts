// Webhooks: who receives which events, with what, signed how, and what owners see of it. Through a receiver on this machine.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { after, before, beforeEach, test } from 'node:test'
import { createClient } from 'duet-api/client'
import { verifyWebhook } from '../../src/client/verify-webhook.ts'
import { defaultLimits } from '../../src/limits.ts'
import { createMailer } from '../../src/mail/mailer.ts'
import { silentLog } from '../../src/observation/log.ts'
import { dialectOf } from '../../src/store/sql/text/dialect.ts'
import { bind, command, type Program, query, type StoredRow } from '../../src/store/store.ts'
import { createNotifyOwner } from '../../src/webhook/notify-owner.ts'
import { createWebhookStore } from '../../src/webhook/webhook-store.ts'
import { noticeboard } from '../support/domain/noticeboard.ts'
import { type Receiver, signers, startReceiver } from '../support/server/receiver.ts'
import { type TestService, withService } from '../support/server/service.ts'
import { startMailServer } from '../support/server/smtp.ts'

const verified = { User: { isVerified: true } }
const people = { dan: verified, ann: verified, ben: verified, cleo: { User: {} }, admin: { User: { role: 'ADMIN' } } }
type Person = keyof typeof people

withService(
  '15.2 webhooks',
  (running) => {
    let receiver: Receiver
    before(async () => {
      receiver = await startReceiver()
    })
    after(() => receiver.close())

    async function stage(service: TestService) {
      const fixtures = service.fixtures(people)
      const ask = async (who: Person, line: string, body?: unknown) => {
        const answer = await service.send(line, { as: `{${who}}`, fixtures, ...(body === undefined ? {} : { body }) })
        return { status: answer.status, ...answer.body }
      }
      const hook = async (who: Person, events: readonly string[], more: object = {}) => {
        const { status, data, error } = await ask(who, 'POST /api/v2/webhooks', { url: receiver.url, events, ...more })
        assert.equal(status, 201, JSON.stringify(error))
        return data
      }
      const deliveries = async (who: Person, id: string) =>
        (await ask(who, `GET /api/v2/webhook-deliveries?webhook_id=${id}`)).data
      return { fixtures, ask, hook, deliveries }
    }
    const settled = async () => {
      await running().settled()
      await running().webhooks!.settled()
    }
    const since = (count: number) => receiver.messages.slice(count)
    /** What happens once the pauses are over. */
    async function hurry() {
      await run("update duet_webhook_message set due_at = '2020-01-01T00:00:00.000Z' where due_at is not null")
      await run(
        "update duet_webhook_lane set due_at = '2020-01-01T00:00:00.000Z', retry_at = null where due_at is not null",
      )
      await settled()
    }
    const read = (sql: string) =>
      running().store.read(
        (function* (): Program<readonly StoredRow[]> {
          return yield bind(query(sql))
        })(),
      )
    const run = (sql: string) =>
      running().store.write(function* () {
        yield bind(command(sql))
      })
    beforeEach(async () => {
      receiver.answer(204)
      for (const table of ['webhook_deliveries', 'duet_webhook_message', 'duet_webhook_lane', 'webhooks'])
        await run(`delete from ${table}`)
    })

    test('15.2.1 an event is sent once, signed, with what its owner may read, and the delivery is listed', async () => {
      const { ask, hook, deliveries } = await stage(running())
      const { id, secret, status, api_version: version } = await hook('ann', ['noteCreated'])
      assert.deepEqual([status, version], ['active', 'v2'])
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
      const before = receiver.messages.length
      const note = (await ask('ann', 'POST /api/v2/notes', { title: 'One', price: '5' })).data
      await settled()
      const [message, ...others] = since(before)
      assert.equal(others.length, 0)
      const { type, timestamp, data } = message!.body
      assert.deepEqual([type, timestamp], ['noteCreated', note.created_at])
      assert.deepEqual(data, note)
      assert.deepEqual(signers(message!, [secret]), [secret])
      const [delivery, ...more] = await deliveries('ann', id)
      assert.equal(more.length, 0)
      const { id: deliveryId, created_at, updated_at, delivered_at, ...shown } = delivery
      assert.equal(deliveryId, message!.headers['webhook-id'])
      assert.deepEqual(shown, {
        webhook_id: id,
        event: 'noteCreated',
        status: 'delivered',
        attempts: 1,
        next_attempt_at: null,
        response_status: 204,
        response_text: null,
      })
      assert(typeof created_at === 'string' && typeof updated_at === 'string' && typeof delivered_at === 'string')
    })

    test('15.2.1 unknown events and versions, and addresses that are not public, are 422 with the field', async () => {
      const { fixtures, ask, hook } = await stage(running())
      const refused = async (change: object) => {
        const sent = { url: receiver.url, events: ['noteCreated'], ...change }
        const { status, error } = await ask('ann', 'POST /api/v2/webhooks', sent)
        return [status, error.code, error.details.map(({ field }: { field: string }) => field)]
      }
      const unsound = 'BUSINESS_RULE_VIOLATION'
      assert.deepEqual(await refused({ events: ['noteCreated', 'noSuch'] }), [422, unsound, ['events[1]']])
      assert.deepEqual(await refused({ api_version: 'v3' }), [422, unsound, ['api_version']])
      for (const url of ['https://10.0.0.1/', 'https://169.254.169.254/', 'https://[::ffff:10.0.0.1]/'])
        assert.deepEqual(await refused({ url }), [422, unsound, ['url']], url)
      assert.deepEqual((await refused({ url: 'ftp://example.com' }))[0], 400)
      assert.deepEqual((await refused({ events: [] }))[0], 400)
      const { id } = await hook('ann', ['noteCreated'])
      const changed = await ask('ann', `PATCH /api/v2/webhooks/${id}`, { url: 'https://10.0.0.1/' })
      assert.deepEqual([changed.status, changed.error.details[0].field], [422, 'url'])
      const mutation = `mutation { createWebhook(input: { url: "https://10.0.0.1/", events: ["noSuch"] }) { id } }`
      const { body } = await running().graphql(mutation, { as: '{ann}', fixtures })
      const { code, details } = body.errors[0].extensions
      assert.deepEqual([code, details.map((each: { field: string }) => each.field)], [unsound, ['url', 'events[0]']])
    })

    test('15.2.2 the payload has the names and values of its version, and what the event changed', async () => {
      const { ask, hook } = await stage(running())
      await hook('ann', ['noteCreated', 'noteChanged', 'noteDeleted'], { api_version: 'v1' })
      const before = receiver.messages.length
      const { id } = (await ask('ann', 'POST /api/v2/notes', { title: 'One' })).data
      await settled()
      await ask('ann', `PATCH /api/v2/notes/${id}`, { title: 'Two', price: '7' })
      await settled()
      await ask('ann', `DELETE /api/v2/notes/${id}`)
      await settled()
      const [created, changed, deleted, ...others] = since(before).map(({ body }) => body)
      assert.deepEqual([created.type, created.data.headline, others], ['noteCreated', 'One', []])
      assert(!('previous_attributes' in created) && !('title' in created.data))
      assert.deepEqual(changed.previous_attributes, { headline: 'One', price: null, reader_id: null })
      assert.deepEqual([changed.data.headline, changed.data.price], ['Two', '7'])
      assert.deepEqual([deleted.type, deleted.data.id, deleted.data.headline], ['noteDeleted', id, 'Two'])
    })

    test('15.2.2 what the owner may not read of a record is neither in it nor in what it was before', async () => {
      const { ask, hook } = await stage(running())
      await hook('ben', ['noteCreated', 'noteChanged'])
      const before = receiver.messages.length
      const { id } = (await ask('ann', 'POST /api/v2/notes', { title: 'One', price: '5', shared: true })).data
      await settled()
      await ask('ann', `PATCH /api/v2/notes/${id}`, { price: '6' })
      await settled()
      await ask('ann', `PATCH /api/v2/notes/${id}`, { title: 'Two', price: '7' })
      await settled()
      const [created, changed, ...others] = since(before).map(({ body }) => body)
      assert.equal(others.length, 0)
      assert(!('price' in created.data) && !('price' in changed.data))
      assert.deepEqual([changed.data.title, changed.previous_attributes.title], ['Two', 'One'])
      assert.equal(changed.previous_attributes.price ?? null, null)
    })

    test('15.2.3 a webhook of an account acts as it, and is its own: no other account has it', async () => {
      const { fixtures, ask, hook, deliveries } = await stage(running())
      const { id } = await hook('ann', ['noteCreated'])
      await ask('ann', 'POST /api/v2/notes', { title: 'Mine' })
      await settled()
      const [delivery] = await deliveries('ann', id)
      for (const line of ['GET', 'DELETE', 'PATCH'].map((method) => `${method} /api/v2/webhooks/${id}`))
        assert.equal(
          (await ask('ben', line, line.startsWith('P') ? { events: ['noteCreated'] } : undefined)).status,
          404,
        )
      for (const move of ['rotate', 'pause', 'resume', 'ping'])
        assert.equal((await ask('ben', `POST /api/v2/webhooks/${id}/${move}`)).status, 404, move)
      assert.equal((await ask('ben', `POST /api/v2/webhook-deliveries/${delivery.id}/replay`)).status, 404)
      assert.deepEqual(await deliveries('ben', id), [])
      const question = `{ webhook(id: "${id}") { url secret } webhooks { nodes { id } } webhookDeliveries { nodes { id } } }`
      const { body } = await running().graphql(question, { as: '{ben}', fixtures })
      assert.deepEqual(body.data, { webhook: null, webhooks: { nodes: [] }, webhookDeliveries: { nodes: [] } })
    })

    test('15.2.3 an owner has at most 20 webhooks, also of 30 that are created at once', async () => {
      const { ask } = await stage(running())
      const create = () => ask('ann', 'POST /api/v2/webhooks', { url: receiver.url, events: ['noteCreated'] })
      const results = await Promise.all(Array.from({ length: 30 }, create))
      const statuses = results.map(({ status }) => status)
      assert.equal(statuses.filter((status) => status === 201).length, 20)
      assert.deepEqual([...new Set(statuses)].sort(), [201, 422])
      const [first] = results.filter(({ status }) => status === 201)
      assert.equal((await ask('ann', `DELETE /api/v2/webhooks/${first!.data.id}`)).status, 204)
      assert.equal((await create()).status, 201)
    })

    test('15.2.3 a webhook of a tenant is a member of it with its role', async () => {
      const { ask, hook, deliveries, fixtures } = await stage(running())
      const team = (await ask('ann', 'POST /api/v2/teams', { name: 'A' })).data.id
      const other = (await ask('ben', 'POST /api/v2/teams', { name: 'B' })).data.id
      const { id, user_id, role } = await hook('ann', ['taskCreated', 'noteCreated'], { team_id: team, role: 'WORKER' })
      assert.deepEqual([user_id, role], [null, 'WORKER'])
      const guest = await hook('ann', ['taskCreated'], { team_id: team, role: 'GUEST' })
      const before = receiver.messages.length
      await ask('ann', 'POST /api/v2/tasks', { team_id: team, title: 'Ours' })
      await ask('ben', 'POST /api/v2/tasks', { team_id: other, title: 'Theirs' })
      await ask('ann', 'POST /api/v2/notes', { title: 'Not of the team' })
      await settled()
      assert.deepEqual(
        since(before).map(({ body }) => [body.type, body.data.title]),
        [['taskCreated', 'Ours']],
      )
      assert.deepEqual(await deliveries('ann', guest.id), [])
      const ben = (await fixtures.idOf('ben')) as string
      const outside = await ask('ben', `GET /api/v2/webhooks/${id}`)
      assert.equal(outside.status, 404)
      await ask('ann', 'POST /api/v2/memberships', { team_id: team, user_id: ben, role: 'WORKER' })
      assert.equal((await ask('ben', `GET /api/v2/webhooks/${id}`)).status, 200)
      assert.equal((await deliveries('ben', id)).length, 1)
      assert.equal((await ask('ben', `POST /api/v2/webhooks/${id}/ping`)).status, 200)
      // A worker may not make what is more powerful, nor delete.
      const owner = { url: receiver.url, events: ['taskCreated'], team_id: team, role: 'OWNER' }
      assert.equal((await ask('ben', 'POST /api/v2/webhooks', owner)).status, 403)
      assert.equal((await ask('ben', 'POST /api/v2/webhooks', { ...owner, role: 'WORKER' })).status, 201)
      assert.equal((await ask('ben', `DELETE /api/v2/webhooks/${id}`)).status, 403)
      assert.equal((await ask('ann', 'POST /api/v2/webhooks', { ...owner, role: null })).status, 422)
      await settled()
    })

    test('15.2.4 without the right no delivery exists; one that is lost before an attempt ends it as skipped', async () => {
      const { ask, hook, deliveries } = await stage(running())
      const { id } = await hook('ben', ['noteCreated'])
      const before = receiver.messages.length
      await ask('ann', 'POST /api/v2/notes', { title: 'Hidden' })
      await settled()
      assert.deepEqual(await deliveries('ben', id), [])
      receiver.answer(500)
      const note = (await ask('ann', 'POST /api/v2/notes', { title: 'Shared', shared: true })).data
      await settled()
      assert.equal(since(before).length, 1)
      receiver.answer(204)
      await ask('ann', `PATCH /api/v2/notes/${note.id}`, { shared: false })
      await hurry()
      assert.equal(since(before).length, 1)
      const [delivery, ...others] = await deliveries('ben', id)
      assert.deepEqual([delivery.status, delivery.attempts, others.length], ['skipped', 1, 0])
      // A replay reads with the rights of then.
      await ask('ben', `POST /api/v2/webhook-deliveries/${delivery.id}/replay`)
      await settled()
      assert.equal((await deliveries('ben', id))[0].status, 'skipped')
      await ask('ann', `PATCH /api/v2/notes/${note.id}`, { shared: true, title: 'Later' })
      await ask('ben', `POST /api/v2/webhook-deliveries/${delivery.id}/replay`)
      await settled()
      const last = receiver.messages.at(-1)!
      assert.deepEqual([last.body.data.title, last.headers['webhook-id']], ['Later', delivery.id])
    })

    test('15.2.4 a record that is deleted is not sent, and an account that is not active receives nothing', async () => {
      const { ask, hook, deliveries, fixtures } = await stage(running())
      const { id } = await hook('ann', ['noteCreated'])
      const ben = await hook('ben', ['noteCreated'])
      receiver.answer(500)
      const before = receiver.messages.length
      const note = (await ask('ann', 'POST /api/v2/notes', { title: 'Short' })).data
      await settled()
      await ask('ann', `DELETE /api/v2/notes/${note.id}`)
      await hurry()
      assert.equal(since(before).length, 1)
      assert.equal((await deliveries('ann', id))[0].status, 'skipped')
      const account = await fixtures.idOf('ben')
      assert.equal((await ask('admin', `POST /api/v2/users/${account}/suspend`)).status, 200)
      await ask('ann', 'POST /api/v2/notes', { title: 'Public', shared: true })
      await settled()
      await ask('admin', `POST /api/v2/users/${account}/revive`)
      running().forgetTokens()
      await settled()
      assert.deepEqual(await deliveries('ben', ben.id), [])
    })

    test('15.2.4 messages for a webhook that is gone end with it, also those that are handed over afterwards', async () => {
      const { ask, hook } = await stage(running())
      for (const end of [
        (id: string) => ask('ann', `DELETE /api/v2/webhooks/${id}`),
        (id: string) => run(`update webhooks set deleted_at = updated_at where id = '${id}'`),
      ]) {
        const { id } = await hook('ann', ['noteCreated'])
        receiver.answer(500)
        const before = receiver.messages.length
        await ask('ann', 'POST /api/v2/notes', { title: 'Late' })
        await settled()
        await end(id)
        await settled()
        await run(`insert into duet_webhook_lane (webhook_id, owner_id) values ('${id}', 'usr') on conflict do nothing`)
        await run(`update duet_webhook_message set due_at = '2020-01-01T00:00:00.000Z' where webhook_id = '${id}'`)
        await run("update duet_webhook_lane set due_at = '2020-01-01T00:00:00.000Z', retry_at = null")
        await settled()
        assert.equal(since(before).length, 1)
        const left = 'select (select count(*) from duet_webhook_lane), (select count(due_at) from duet_webhook_message)'
        assert.deepEqual(
          (await read(left)).map((row) => row.map(Number)),
          [[0, 0]],
        )
      }
    })

    test('15.2.5 retries have one id, and both secrets sign for 24 hours after a rotation', async () => {
      const { ask, hook, fixtures } = await stage(running())
      const { id, secret: first } = await hook('ann', ['noteCreated'])
      assert(!('secret' in (await ask('ann', `GET /api/v2/webhooks/${id}`)).data))
      const before = receiver.messages.length
      receiver.answer(500)
      await ask('ann', 'POST /api/v2/notes', { title: 'One' })
      await settled()
      const rotated = (await ask('ann', `POST /api/v2/webhooks/${id}/rotate`)).data
      const second = rotated.secret
      assert.match(second, /^whsec_/)
      assert.notEqual(second, first)
      receiver.answer(204)
      await hurry()
      const [one, two] = since(before)
      assert.equal(one!.headers['webhook-id'], two!.headers['webhook-id'])
      assert.deepEqual(signers(one!, [first, second]), [first])
      assert.deepEqual(signers(two!, [first, second]), [first, second])
      const mutation = `mutation { rotateWebhook(id: "${id}") { secret } }`
      const { body } = await running().graphql(mutation, { as: '{ann}', fixtures })
      const third = body.data.rotateWebhook.secret
      await ask('ann', 'POST /api/v2/notes', { title: 'Two' })
      await settled()
      assert.deepEqual(signers(receiver.messages.at(-1)!, [first, second, third]), [second, third])
      running().advance(25 * 3_600_000)
      running().forgetTokens()
      await ask('ann', 'POST /api/v2/notes', { title: 'Three' })
      await settled()
      assert.deepEqual(signers(receiver.messages.at(-1)!, [first, second, third]), [third])
      assert.equal(
        (await running().graphql(`{ webhook(id: "${id}") { secret } }`, { as: '{ann}', fixtures })).body.data.webhook
          .secret,
        null,
      )
    })

    test('15.2.6 all but 2xx fails, a redirect too, and is sent again until attempts end', async () => {
      const { ask, hook, deliveries } = await stage(running())
      const { id } = await hook('ann', ['noteCreated'])
      const before = receiver.messages.length
      receiver.answer((_, response) => response.writeHead(302, { location: receiver.url }).end('elsewhere'))
      await ask('ann', 'POST /api/v2/notes', { title: 'One' })
      await settled()
      const [waiting] = await deliveries('ann', id)
      assert.deepEqual([waiting.status, waiting.attempts, waiting.response_status], ['waiting', 1, 302])
      assert(waiting.next_attempt_at > waiting.updated_at)
      assert.equal(since(before).length, 1)
      for (const attempts of [2, 3, 4, 5, 6, 7, 8, 9, 10]) {
        await hurry()
        assert.equal((await deliveries('ann', id))[0].attempts, attempts)
      }
      await hurry()
      const [failed] = await deliveries('ann', id)
      assert.deepEqual([failed.status, failed.attempts, failed.next_attempt_at], ['failed', 10, null])
      assert.equal(new Set(since(before).map(({ headers }) => headers['webhook-id'])).size, 1)
    })

    test('15.2.7 410 pauses the webhook at once, and resuming sends what waited', async () => {
      const { ask, hook, deliveries } = await stage(running())
      const { id } = await hook('ann', ['noteCreated'])
      receiver.answer(500)
      await ask('ann', 'POST /api/v2/notes', { title: 'Waits' })
      await settled()
      receiver.answer(410)
      await ask('ann', 'POST /api/v2/notes', { title: 'Gone' })
      await hurry()
      const paused = (await ask('ann', `GET /api/v2/webhooks/${id}`)).data
      assert.deepEqual([paused.status, paused.paused_reason], ['paused', 'gone'])
      const before = receiver.messages.length
      receiver.answer(204)
      await ask('ann', 'POST /api/v2/notes', { title: 'Missed' })
      await hurry()
      assert.equal(since(before).length, 0)
      assert.equal((await ask('ann', `POST /api/v2/webhooks/${id}/ping`)).status, 409)
      const resumed = (await ask('ann', `POST /api/v2/webhooks/${id}/resume`)).data
      assert.deepEqual([resumed.status, resumed.paused_reason], ['active', null])
      await hurry()
      assert.deepEqual((await deliveries('ann', id)).map(({ status }: { status: string }) => status).sort(), [
        'delivered',
        'failed',
      ])
      assert.equal((await ask('ann', `POST /api/v2/webhooks/${id}/pause`)).status, 200)
      assert.equal(running().logged('webhook_paused').length, 1)
      running().forgetLog()
    })

    test('15.2.7 three days of failures pause it, and so does a version that is no longer served', async () => {
      const { ask, hook } = await stage(running())
      const failing = await hook('ann', ['noteCreated'])
      const old = await hook('ben', ['noteCreated'])
      receiver.answer(500)
      await ask('ann', 'POST /api/v2/notes', { title: 'One', shared: true })
      await settled()
      await run(
        "update duet_webhook_lane set failing_since = '2020-01-01T00:00:00.000Z' where failing_since is not null",
      )
      await run(`update webhooks set api_version = 'v0' where id = '${old.id}'`)
      await hurry()
      const reasonOf = async (who: Person, id: string) =>
        (await ask(who, `GET /api/v2/webhooks/${id}`)).data.paused_reason
      assert.equal(await reasonOf('ann', failing.id), 'failing')
      assert.equal(await reasonOf('ben', old.id), 'version')
      assert.equal(running().logged('webhook_paused').length, 2)
      running().forgetLog()
    })

    test('15.2.8 receivers that hang delay no other: what others are sent arrives first', async () => {
      const { ask, hook } = await stage(running())
      for (let at = 0; at < 10; at++) await hook('ben', ['noteCreated'], { url: `${receiver.url}/hanging` })
      await hook('ann', ['noteCreated'], { url: `${receiver.url}/answering` })
      const held: ServerResponse[] = []
      receiver.answer(({ path }, response) => {
        if (path.endsWith('/hanging')) held.push(response)
        else response.writeHead(204).end()
      })
      const before = receiver.messages.length
      for (let at = 0; at < 20; at++) await ask('ann', 'POST /api/v2/notes', { title: `Note ${at}`, shared: true })
      // One waits at each receiver that hangs; all others have their 20.
      await receiver.arrived(before + 30)
      const paths = Map.groupBy(since(before), ({ path }) => path)
      assert.deepEqual([paths.get('/hook/hanging')!.length, paths.get('/hook/answering')!.length], [10, 20])
      for (const response of held) response.writeHead(204).end()
      receiver.answer(204)
      await settled()
    })

    test('15.2.8 one owner has at most 20 attempts at a time', async () => {
      const { ask, hook } = await stage(running())
      let [now, most] = [0, 0]
      receiver.answer((_, response) => {
        most = Math.max(most, ++now)
        setImmediate(() => {
          now--
          response.writeHead(204).end()
        })
      })
      for (let at = 0; at < 20; at++) await hook('ann', ['noteCreated'])
      const before = receiver.messages.length
      for (let at = 0; at < 10; at++) await ask('ann', 'POST /api/v2/notes', { title: `Note ${at}` })
      await receiver.arrived(before + 200)
      await settled()
      assert(most <= 20, `${most} at once`)
      assert.equal(since(before).length, 200)
    })

    test('15.2.9 API keys neither see nor manage webhooks', async () => {
      const { ask, hook, fixtures } = await stage(running())
      const { id } = await hook('ann', ['noteCreated'])
      assert.equal((await ask('ann', `GET /api/v2/webhooks/${id}`)).status, 200)
      const { key } = (await ask('ann', 'POST /api/v2/api-keys', { name: 'all', scopes: ['*'] })).data
      const withKey = async (line: string, body?: unknown) =>
        (
          await running().send(line, {
            fixtures,
            headers: { 'X-API-Key': key },
            ...(body === undefined ? {} : { body }),
          })
        ).status
      const sent = { url: receiver.url, events: ['noteCreated'] }
      assert.equal(await withKey('GET /api/v2/notes'), 200)
      assert.equal(await withKey('POST /api/v2/webhooks', sent), 403)
      assert.equal(await withKey('GET /api/v2/webhooks'), 403)
      assert.equal(await withKey(`GET /api/v2/webhooks/${id}`), 403)
      assert.equal(await withKey(`POST /api/v2/webhooks/${id}/rotate`), 403)
      assert.equal(await withKey('GET /api/v2/webhook-deliveries'), 403)
    })

    test('15.2.10 a delivery shows the beginning of the response, without control characters, and no record', async () => {
      const { ask, hook, deliveries } = await stage(running())
      const { id } = await hook('ann', ['noteCreated'])
      receiver.answer((_, response) => response.writeHead(200).end(`a\u001b[31m\u0000${'x'.repeat(5_000)}`))
      const note = (await ask('ann', 'POST /api/v2/notes', { title: 'Secret title' })).data
      await settled()
      const [delivery] = await deliveries('ann', id)
      // An address that is not public may show what only the inside of a network should.
      assert.equal(delivery.response_text, null)
      const text = JSON.stringify(delivery)
      assert(!text.includes(note.id) && !text.includes('Secret title'))
      await run("update duet_webhook_message set begun_at = '2020-01-01T00:00:00.000Z'")
      await running().webhooks!.sweep(running().now())
      assert.deepEqual(await deliveries('ann', id), [])
    })

    test('15.2.11 ping sends an event of its own', async () => {
      const { ask, hook, deliveries } = await stage(running())
      const { id, secret } = await hook('ann', ['noteCreated'])
      const before = receiver.messages.length
      assert.equal((await ask('ann', `POST /api/v2/webhooks/${id}/ping`)).status, 200)
      await settled()
      const [message] = since(before)
      assert.deepEqual([message!.body.type, message!.body.data], ['ping', { id }])
      assert.deepEqual(signers(message!, [secret]), [secret])
      assert.deepEqual(
        (await deliveries('ann', id)).map(({ event, status }: { event: string; status: string }) => [event, status]),
        [['ping', 'delivered']],
      )
    })

    test('15.2.7 the owner gets one mail for a pause: an account with a verified address, or members who may change it', async () => {
      const mails = await startMailServer()
      const { ask, hook, fixtures } = await stage(running())
      const mailer = createMailer({
        smtpUrl: mails.url,
        baseUrl: 'http://localhost',
        production: true,
        log: silentLog,
        limits: defaultLimits,
      })
      try {
        const { model, store, now } = running()
        const notify = createNotifyOwner({
          model,
          webhook: model.byName.get('Webhook')!,
          store,
          dialect: dialectOf(store.engine),
          send: mailer.send,
          clock: now,
          log: silentLog,
          limits: defaultLimits,
        })
        const team = (await ask('ann', 'POST /api/v2/teams', { name: 'A' })).data.id
        const [ben, cleo] = [await fixtures.idOf('ben'), await fixtures.idOf('cleo')]
        await ask('ann', 'POST /api/v2/memberships', { team_id: team, user_id: ben, role: 'WORKER' })
        await ask('ann', 'POST /api/v2/memberships', { team_id: team, user_id: cleo, role: 'OWNER' })
        const dan = await fixtures.idOf('dan')
        await ask('ann', 'POST /api/v2/memberships', { team_id: team, user_id: dan, role: 'GUEST' })
        const stores = createWebhookStore(model, model.byName.get('Webhook')!, {
          dialect: dialectOf(store.engine),
          cipher: null,
        })
        const pause = async (who: Person, more: object = {}) => {
          const { id } = await hook(who, ['noteCreated'], more)
          await notify((await store.read(stores.find(id)))!, 'gone')
        }
        const login = async (id: string) => (await ask('admin', `GET /api/v2/users/${id}`)).data.email as string
        const [ann, benAddress] = [await login(await fixtures.idOf('ann')), await login(ben)]
        await pause('ann')
        assert.equal(mails.to(ann).length, 1)
        assert.match(mails.to(ann)[0]!.text, /is paused: the receiver answered 410/)
        await pause('cleo')
        assert.deepEqual(mails.to(await login(cleo)), [])
        await pause('ann', { team_id: team, role: 'WORKER' })
        assert.deepEqual([mails.to(ann).length, mails.to(benAddress).length], [2, 1])
        assert.deepEqual(mails.to(await login(dan)), [])
      } finally {
        mailer.close()
        await mails.close()
      }
    })

    test('15.2.12 OpenAPI has the messages of each event, by its name', async () => {
      const { body: document } = await running().client.send('GET /api/v2/openapi.json')
      assert.deepEqual(Object.keys(document.webhooks).sort(), [
        'noteChanged',
        'noteCreated',
        'noteDeleted',
        'taskCreated',
      ])
      const { post } = document.webhooks.noteChanged
      const name = post.requestBody.content['application/json'].schema.$ref.split('/').at(-1)
      const { properties } = document.components.schemas[name]
      assert.deepEqual(Object.keys(properties.previous_attributes.properties), ['title', 'price', 'reader_id'])
      const { hook, ask } = await stage(running())
      await hook('ann', ['noteChanged'])
      const { id } = (await ask('ann', 'POST /api/v2/notes', { title: 'One' })).data
      await ask('ann', `PATCH /api/v2/notes/${id}`, { title: 'Two' })
      await settled()
      const { body } = receiver.messages.at(-1)!
      assert.deepEqual(
        Object.keys(body).sort(),
        Object.keys(properties)
          .filter((each) => each !== 'error')
          .sort(),
      )
    })

    test('15.2.5 verifyWebhook of the client takes what was signed, and nothing else', async () => {
      const { ask, hook } = await stage(running())
      const { id, secret } = await hook('ann', ['noteCreated'])
      await ask('ann', `POST /api/v2/webhooks/${id}/ping`)
      await settled()
      const { headers, text: body } = receiver.messages.at(-1)!
      const now = new Date(Number(headers['webhook-timestamp']) * 1000)
      const message = await verifyWebhook(secret, { headers, body }, { now })
      assert.deepEqual([message.type, message.data, message.id], ['ping', { id }, headers['webhook-id']])
      const asRequest = new Request('http://localhost/', {
        method: 'POST',
        headers: headers as Record<string, string>,
        body,
      })
      assert.equal((await verifyWebhook(['whsec_AAAA', secret], asRequest, { now })).type, 'ping')
      const other = `whsec_${randomBytes(32).toString('base64')}`
      await assert.rejects(verifyWebhook(other, { headers, body }, { now }), /No signature/)
      await assert.rejects(verifyWebhook(secret, { headers, body: `${body} ` }, { now }), /No signature/)
      await assert.rejects(
        verifyWebhook(secret, { headers: { ...headers, 'webhook-id': 'x' }, body }, { now }),
        /No signature/,
      )
      await assert.rejects(verifyWebhook(secret, { headers: {}, body }, { now }), /lacks the headers/)
      for (const offset of [-301, 301])
        await assert.rejects(
          verifyWebhook(secret, { headers, body }, { now: new Date(+now + offset * 1000) }),
          /five minutes/,
        )
      await assert.rejects(verifyWebhook('secret!', { headers, body }, { now }), /begins with whsec_/)
    })

    test('15.2.5 the typed client has the secret in the answers to create and rotate alone', async () => {
      const { fixtures } = await stage(running())
      const token = await running().token(await fixtures.idOf('ann'))
      const client = createClient<typeof noticeboard>(running().url, { version: 'v2', accessToken: () => token })
      const team = await client.teams.create({ name: 'A' })
      const { id, secret, role } = await client.webhooks.create({
        url: receiver.url,
        events: ['taskCreated'],
        teamId: team.id,
        role: 'WORKER',
      })
      const rotated: string = (await client.webhooks.rotate(id)).secret
      assert.deepEqual([role, secret === rotated, /^whsec_/.test(rotated)], ['WORKER', false, true])
      const pinged = await client.webhooks.ping(id)
      assert(!('secret' in pinged))
      // @ts-expect-error: it is shown once
      assert.equal((await client.webhooks.get(id)).secret, undefined)
      await settled()
      const [delivery] = (await client.webhookDeliveries.page({ filter: { webhookId: id } })).data
      assert.deepEqual([delivery!.event, delivery!.status], ['ping', 'delivered'])
      await client.webhooks.delete(id)
      // Its deliveries go with it, however many there are.
      assert.deepEqual((await client.webhookDeliveries.page()).data, [])
      await assert.rejects(client.webhookDeliveries.replay(delivery!.id), { code: 'NOT_FOUND' })
    })
  },
  { definition: noticeboard },
)
