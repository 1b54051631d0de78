// Custom routes that take bodies as they were sent, know their callers by signatures, and read headers.

import { createHmac, timingSafeEqual } from 'node:crypto'
import {
  anyone,
  choice,
  Failure,
  integer,
  list,
  object,
  one,
  open,
  optional,
  reply,
  route,
  type Signature,
  signedIn,
  standardWebhooks,
  text,
} from 'duet-api'
import { Order } from '../../../reference/order.ts'

/** What the payment provider of the tests signs with; the second is about to replace the first. */
export const webhookSecrets = [
  'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  `whsec_${btoa('another secret, as long as it must be')}`,
]

/** Marks an order as paid when the provider says so. */
const payments = route('POST', '/api/v2/payments/webhook', {
  summary: 'Receive events of the payment provider',
  access: anyone,
  signed: standardWebhooks(...webhookSecrets),
  headers: { webhookId: text({ max: 200 }) },
  body: open({
    type: text({ max: 100 }),
    data: object({ order: one('Order'), lines: list(object({ name: text({ max: 9 }) }), { max: 9 }) }),
  }),
  answer: { seen: text({ max: 200 }), lines: integer() },
  async handle({ input: { type, data }, headers, asService, log }) {
    log.info('The payment provider has told something.', { type, token: 'xyz' })
    if (type === 'payment.succeeded') await asService.records.run(Order, data.order, 'pay')
    return { seen: headers.webhookId, lines: Object.keys(data.lines[0]!).length }
  },
})

const secretOfGithub = "It's a Secret to Everybody"
const github: Signature = {
  headers: ['x-hub-signature-256'],
  verify({ bytes, headers }) {
    const expected = Buffer.from(`sha256=${createHmac('sha256', secretOfGithub).update(bytes).digest('hex')}`)
    const sent = Buffer.from(headers['x-hub-signature-256'] ?? '')
    return sent.length === expected.length && timingSafeEqual(sent, expected)
  },
}
const pushed = route('POST', '/api/v2/hooks/push', {
  summary: 'Take what GitHub says',
  access: anyone,
  raw: { maxBytes: 100 },
  signed: github,
  headers: { xGithubEvent: optional(text({ max: 20 })), userAgent: optional(text({ max: 200 })) },
  answer: { text: text({ max: 100 }), event: optional(text({ max: 20 })) },
  handle: async ({ bytes, headers }) => ({ text: new TextDecoder().decode(bytes), event: headers.xGithubEvent }),
})

export const picture = route('PUT', '/api/v2/pictures/own', {
  summary: 'Take a picture',
  access: signedIn,
  raw: { maxBytes: 10, mediaTypes: ['image/png', 'image/jpeg'] },
  headers: { pictureWidth: integer({ min: 1, max: 9_999 }) },
  answer: { size: integer(), width: integer() },
  async handle({ bytes, headers, log }) {
    log.warn('A picture has come.', { bytes: bytes.length })
    return { size: bytes.length, width: headers.pictureWidth }
  },
})

/** Every order that the caller may see, however many there are. */
export const exported = route('GET', '/api/v2/exports/orders.csv', {
  summary: 'Export orders',
  access: signedIn,
  query: { status: optional(choice(['pending', 'paid'])) },
  answer: 'text/csv',
  async handle({ query, records }) {
    async function* lines() {
      yield 'id,total\n'
      const filter = query.status === null ? {} : { status: query.status }
      for await (const { id, total } of records.each(Order, { filter, sort: ['-total'] })) yield `${id},${total}\n`
    }
    return reply({ headers: { 'Content-Disposition': 'attachment; filename="orders.csv"' }, body: lines() })
  },
})
/** A generator may be the handle itself. */
const counted = route('GET', '/api/v2/exports/{upTo}', {
  summary: 'Count',
  access: anyone,
  params: { upTo: integer({ min: 0, max: 9 }) },
  answer: 'application/x-ndjson',
  async *handle({ params }) {
    if (params.upTo === 9) throw new Failure('BUSINESS_RULE_VIOLATION', { message: 'Nine is too much.' })
    for (let each = 1; each <= params.upTo; each++) yield `${each}\n`
  },
})
const bytes = route('GET', '/api/v2/pixels/one.gif', {
  summary: 'Show a pixel',
  access: anyone,
  answer: 'image/gif',
  handle: async () =>
    reply({ headers: { 'Last-Modified': 'Fri, 20 Nov 2026 09:30:00 GMT' }, body: new Uint8Array([71, 73, 70]) }),
})
const forbidden = route('GET', '/api/v2/pixels/forbidden', {
  summary: 'Set a cookie',
  access: anyone,
  answer: 'text/plain',
  handle: async () => reply({ headers: { 'Set-Cookie': 'a=b' } as {}, body: 'x' }),
})
const wrong = route('GET', '/api/v2/pixels/wrong', {
  summary: 'Answer a number',
  access: anyone,
  answer: 'text/plain',
  handle: async () => 5 as unknown as string,
})
const security = route('GET', '/.well-known/security.txt', {
  summary: 'Say whom to tell of a vulnerability',
  access: anyone,
  answer: 'text/plain',
  handle: async () => 'Contact: mailto:security@example.com\nExpires: 2027-11-20T09:30:00.000Z\n',
})

export const rawRoutes = [payments, pushed, picture]
export const mediaRoutes = [exported, counted, bytes, forbidden, wrong, security]
