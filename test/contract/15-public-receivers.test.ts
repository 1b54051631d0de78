// What owners of webhooks see of the responses of public receivers, and through GraphQL. (contract 15.2.5, 15.2.10)

import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, test } from 'node:test'
import { defaultLimits } from '../../src/limits.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { noticeboard } from '../support/domain/noticeboard.ts'
import { type Receiver, signers, startReceiver } from '../support/server/receiver.ts'
import { withService } from '../support/server/service.ts'

// As if this machine were a public receiver, whose answers owners see.
const everywhere = { judge: () => ({ isPublic: true, allowsHttp: true }) }

withService(
  '15.2 webhooks with public receivers',
  (running) => {
    let receiver: Receiver
    before(async () => {
      receiver = await startReceiver()
    })
    after(() => receiver.close())

    const injected = '{"level":"error","msg":"injected"}'
    const answers: readonly (readonly [what: string, answer: (response: ServerResponse) => void])[] = [
      ['a line of JSON', (response) => response.end(`ok\n${injected}\r\n${injected}`)],
      ['sequences of a terminal', (response) => response.end(`\u001b[2J\u001b]0;injected\u0007\u009b31m${injected}`)],
      ['zero bytes', (response) => response.end(`\u0000injected\u0000`)],
      ['bytes that are no UTF-8', (response) => response.end(Buffer.from([0xff, 0xfe, 0xc0, 0x80, 0xed, 0xa0, 0x80]))],
      ['half a character at its end', (response) => response.end('😀'.repeat(400))],
      ['a status and a header', (response) => response.writeHead(500, 'injected', { 'x-log': injected }).end()],
    ]
    for (const [what, answer] of answers)
      test(`15.2.10 the response is shown without control characters and not logged: ${what}`, async () => {
        const fixtures = running().fixtures({ ann: { User: {} } })
        const ask = async (line: string, body?: unknown) =>
          (await running().send(line, { as: '{ann}', fixtures, ...(body === undefined ? {} : { body }) })).body.data
        receiver.answer((_, response) => answer(response))
        running().forgetLog()
        const { id } = await ask('POST /api/v2/webhooks', { url: receiver.url, events: ['noteCreated'] })
        await ask(`POST /api/v2/webhooks/${id}/ping`)
        await running().webhooks!.settled()
        const [{ status, response_text: shown }] = await ask(`GET /api/v2/webhook-deliveries?webhook_id=${id}`)
        assert.equal(status, what === 'a status and a header' ? 'waiting' : 'delivered')
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it must not hold
        assert.doesNotMatch(shown, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
        assert(Buffer.byteLength(shown) <= 1_024 + 3, `${Buffer.byteLength(shown)} bytes`)
        for (const line of running().log()) assert.doesNotMatch(line, /injected/)
        running().assertLog()
        await ask(`POST /api/v2/webhooks/${id}/pause`)
      })

    test('15.2.5 GraphQL shows the secret in the answers to create and rotate alone', async () => {
      receiver.answer(204)
      const fixtures = running().fixtures({ ann: { User: {} } })
      const ask = async (query: string, variables: object = {}) => {
        const { body } = await running().graphql(query, { as: '{ann}', fixtures, variables })
        assert.equal(body.errors, undefined, JSON.stringify(body.errors))
        return body.data
      }
      const create = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { id secret apiVersion } }'
      const input = { url: receiver.url, events: ['noteCreated'] }
      const { createWebhook: made } = await ask(create, { input })
      const { rotateWebhook: rotated } = await ask(`mutation { rotateWebhook(id: "${made.id}") { secret } }`)
      assert.match(made.secret, /^whsec_/)
      assert.match(rotated.secret, /^whsec_/)
      assert.notEqual(made.secret, rotated.secret)
      const before = receiver.messages.length
      await ask(`mutation { pingWebhook(id: "${made.id}") { id } createNote(input: { title: "One" }) { id } }`)
      await running().settled()
      await running().webhooks!.settled()
      const messages = receiver.messages.slice(before)
      assert.deepEqual(messages.map(({ body }) => body.type).sort(), ['noteCreated', 'ping'])
      for (const message of messages) assert.equal(signers(message, [made.secret, rotated.secret]).length, 2)
      const read = await ask(
        `{ webhook(id: "${made.id}") { secret } webhookDeliveries(filter: { webhookId: "${made.id}" }) { nodes { id status } } }`,
      )
      assert.equal(read.webhook.secret, null)
      assert.deepEqual(
        read.webhookDeliveries.nodes.map(({ status }: { status: string }) => status),
        ['delivered', 'delivered'],
      )
      await ask(`mutation { replayWebhookDelivery(id: "${read.webhookDeliveries.nodes[0].id}") { status } }`)
      await running().webhooks!.settled()
      assert.equal(receiver.messages.length - before, 3)
    })
  },
  { definition: noticeboard, outbound: createOutbound({ rule: everywhere, limits: defaultLimits }) },
)
