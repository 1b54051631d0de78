// Bodies as they were sent, signatures over them, headers and lines in the log, through real HTTP. (contract 5.5)

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { standardWebhooks } from '../../src/custom-route/signature.ts'
import { rawRoutes as routes, webhookSecrets } from '../support/domain/raw-routes.ts'
import { clauses, type Row } from '../support/rows/clauses.ts'
import { withService } from '../support/server/service.ts'

const png = { 'Content-Type': 'image/png', 'Picture-Width': '5' }
const hello = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'

const rows: readonly Row[] = [
  {
    clause: '5.5.6',
    it: 'hands on the body as it was sent',
    as: 'viewer',
    send: 'PUT /api/v2/pictures/own',
    headers: png,
    body: Buffer.from([0, 255, 1, 254]),
    answer: { status: 200, data: { size: 4, width: 5 } },
  },
  {
    clause: '5.5.6',
    it: 'takes as many bytes as it says',
    as: 'viewer',
    send: 'PUT /api/v2/pictures/own',
    headers: png,
    body: '0123456789',
    answer: { status: 200, data: { size: 10 } },
  },
  {
    clause: '5.5.6',
    it: 'takes no more bytes than it says',
    as: 'viewer',
    send: 'PUT /api/v2/pictures/own',
    headers: png,
    body: '0123456789a',
    answer: { status: 413, code: 'PAYLOAD_TOO_LARGE' },
  },
  ...['text/png', 'image/*', 'application/json', ''].map(
    (type): Row => ({
      clause: '5.5.6',
      it: `takes only the media types that it names, and not "${type}"`,
      as: 'viewer',
      send: 'PUT /api/v2/pictures/own',
      headers: { ...png, 'Content-Type': type },
      body: 'x',
      answer: {
        status: 415,
        code: 'UNSUPPORTED_MEDIA_TYPE',
        message: 'Send the body as image/png or image/jpeg.',
      },
    }),
  ),
  {
    clause: '5.5.6',
    it: 'overlooks the parameters of a media type',
    as: 'viewer',
    send: 'PUT /api/v2/pictures/own',
    headers: { ...png, 'Content-Type': 'Image/JPEG; q=1' },
    body: 'x',
    answer: { status: 200, data: { size: 1 } },
  },
  {
    clause: '5.5.6',
    it: 'refuses in the same order as others',
    send: 'PUT /api/v2/pictures/own',
    headers: { 'Content-Type': 'image/png', 'Picture-Width': 'x' },
    body: 'x',
    answer: { status: 401, code: 'UNAUTHENTICATED' },
  },
  ...[
    [undefined, 'Is required.'],
    ['x', 'Must be a whole number.'],
    ['10000', 'At most 9999.'],
  ].map(
    ([width, message]): Row => ({
      clause: '5.5.6',
      it: `checks the headers that it names: ${width ?? 'none'}`,
      as: 'viewer',
      send: 'PUT /api/v2/pictures/own',
      headers: { 'Content-Type': 'image/png', ...(width === undefined ? {} : { 'Picture-Width': width }) },
      body: 'x',
      answer: {
        status: 400,
        code: 'VALIDATION_ERROR',
        body: { error: { details: [{ field: 'Picture-Width', message }] } },
      },
    }),
  ),
  {
    clause: '5.5.7',
    it: 'knows a sender by a signature of any scheme: the vector that GitHub documents',
    send: 'POST /api/v2/hooks/push',
    headers: { 'Content-Type': 'text/plain', 'X-Hub-Signature-256': hello, 'X-GitHub-Event': 'push' },
    body: 'Hello, World!',
    answer: { status: 200, data: { text: 'Hello, World!', event: 'push' } },
  },
  ...[
    ['one byte more', { 'X-Hub-Signature-256': hello }, 'Hello, World!!'],
    ['another signature', { 'X-Hub-Signature-256': hello.replace('7', '8') }, 'Hello, World!'],
    ['none', {}, 'Hello, World!'],
  ].map(
    ([name, headers, body]): Row => ({
      clause: '5.5.7',
      it: `refuses ${name}`,
      send: 'POST /api/v2/hooks/push?x=1',
      headers: headers as {},
      body,
      answer: {
        status: 401,
        code: 'UNAUTHENTICATED',
        message: 'The signature of this message is missing, wrong or too old.',
      },
    }),
  ),
]
clauses('5.5 Raw bodies and signatures', rows, { routes })

const [first, second] = webhookSecrets as [string, string]

withService(
  "5.5 A payment provider's messages",
  (service) => {
    const line = 'POST /api/v2/payments/webhook'
    const event = (order: string, more: object = {}) =>
      JSON.stringify({
        type: 'payment.succeeded',
        data: { order_id: order, lines: [{ name: 'A', price: 5 }], fee: { amount: 1 } },
        api_version: '9',
        ...more,
      })
    const headersOf = (body: string, { secret = first, at = service().now(), id = 'msg_1' } = {}) => ({
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret).sign(id, at, body),
    })
    const pending = () => service().fixtures().idOf('pending order')
    const tell = async (body: string, headers: Record<string, string>) => service().send(line, { headers, body })
    const refused = async (body: string, headers: Record<string, string>) => {
      const { status, body: answer } = await tell(body, headers)
      assert.deepEqual([status, answer.error?.code], [401, 'UNAUTHENTICATED'])
    }

    test('5.5.7, 5.5.8 a signed message is carried out, and what it holds beside is ignored at any depth', async () => {
      const id = await pending()
      service().forgetLog()
      const body = event(id)
      const { status, body: answer } = await tell(body, headersOf(body))
      assert.deepEqual([status, answer.data], [200, { seen: 'msg_1', lines: 1 }])
      const order = await service().send(`GET /api/v2/orders/${id}`, { as: 'admin' })
      assert.equal(order.body.data.status, 'paid')
      // Told again, it finds an order that is paid.
      assert.equal((await tell(body, headersOf(body))).status, 409)
    })

    test('5.5.9 what a route says is in the log, with the id of the request and without secrets', async () => {
      service().forgetLog()
      const body = event(await pending())
      const { headers } = await tell(body, { ...headersOf(body), 'X-Request-ID': 'req-7' })
      assert.equal(headers['x-request-id'], 'req-7')
      const lines = service().logged() as readonly Record<string, unknown>[]
      const entry = lines.find(({ msg }) => msg === 'The payment provider has told something.')
      const { level, time, msg, ...fields } = entry ?? {}
      assert.deepEqual(fields, { type: 'payment.succeeded', token: '[secret]', requestId: 'req-7', route: line })
      assert.equal(level, 'info')
    })

    test('5.5.7 either secret signs while one replaces the other, and one signature of several is enough', async () => {
      const body = event(await pending())
      const { 'webhook-signature': good, ...rest } = headersOf(body, { secret: second })
      const signatures = ['v1,', 'v1a,AAAA', `v1,${btoa('x'.repeat(32))}`, good].join(' ')
      assert.equal((await tell(body, { ...rest, 'webhook-signature': signatures })).status, 200)
    })

    test('5.5.7 a message is refused that is not signed as it is', async () => {
      const body = event(await pending())
      const headers = headersOf(body)
      await refused(`${body} `, headers)
      await refused(body, { ...headers, 'webhook-id': 'msg_2' })
      await refused(body, { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) })
      await refused(body, { ...headers, 'webhook-timestamp': '1e9' })
      await refused(body, headersOf(body, { secret: `whsec_${btoa('a secret that nobody has given us')}` }))
      await refused(body, { ...headers, 'webhook-signature': headers['webhook-signature'].replace('v1,', 'v2,') })
      await refused(body, {})
    })

    test('5.5.7 the time of a message may be five minutes from now, and no more', async () => {
      const body = event(await pending(), { type: 'payment.failed' })
      for (const [seconds, status] of [
        [-300, 200],
        [-302, 401],
        [300, 200],
        [302, 401],
      ] as const) {
        const at = new Date(service().now().getTime() + seconds * 1_000)
        assert.equal((await tell(body, headersOf(body, { at }))).status, status, `${seconds} s`)
      }
    })

    test('5.5.7 a message is read as JSON once it is known whose it is, and not before', async () => {
      await refused('{', {})
      const { status, body: answer } = await tell('{', headersOf('{'))
      assert.deepEqual([status, answer.error.code], [400, 'VALIDATION_ERROR'])
      const typed = { ...headersOf('{}'), 'Content-Type': 'text/plain' }
      assert.equal((await tell('{}', typed)).status, 415)
    })

    test('5.5.8 what an open body names is checked as ever', async () => {
      const body = JSON.stringify({
        type: 5,
        data: { lines: [{ name: 'A', more: 1 }, { nome: 'B' }], x: 1 },
        y: 1,
      })
      const { body: answer } = await tell(body, headersOf(body))
      const fields = answer.error.details.map(({ field }: { field: string }) => field)
      assert.deepEqual(fields, ['type', 'data.order_id', 'data.lines[1].name'])
    })
  },
  { routes },
)

describe('5.4.6 the secrets of standard webhooks', () => {
  const rows: [name: string, secrets: string[], problem: string | undefined][] = [
    ['one', [first], undefined],
    ['one without its prefix', [first.slice('whsec_'.length)], undefined],
    ['none', [], 'its standardWebhooks has no secret; give it one such as whsec_…'],
    [
      'too short',
      [`whsec_${btoa('x'.repeat(23))}`],
      'a secret of its standardWebhooks is not 24 to 64 bytes in Base64; give it one such as whsec_…',
    ],
    [
      'absent where it runs',
      [undefined as never],
      'a secret of its standardWebhooks is not 24 to 64 bytes in Base64; give it one such as whsec_…',
    ],
  ]
  for (const [name, secrets, problem] of rows) {
    test(name, () => assert.equal(standardWebhooks(...secrets).contradictions![0], problem))
  }
})
