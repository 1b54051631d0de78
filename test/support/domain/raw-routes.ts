// Custom routes that take bodies as they were sent, know their callers by signatures, and read headers.

import { createHmac, timingSafeEqual } from 'node:crypto'
import {
  anyone,
  integer,
  list,
  object,
  one,
  open,
  optional,
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
  summary: 'Take what the payment provider says',
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

const picture = route('PUT', '/api/v2/pictures/own', {
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

export const rawRoutes = [payments, pushed, picture]
