import { anyone, object, one, open, route, standardWebhooks, text } from 'duet-api'
import { Invoice } from './invoice.ts'

/** The payment provider tells us; its signature covers the raw bytes. A message counts once, however often it comes. */
export const paid = (secret: string) =>
  route('POST', '/api/v1/hooks/payments', {
    summary: 'Receive events of the payment provider',
    access: anyone,
    signed: standardWebhooks(secret),
    headers: { webhookId: text({ max: 100 }) },
    body: open({ type: text({ max: 100 }), data: object({ invoice: one('Invoice') }) }),
    async handle({ input: { type, data }, headers, asService }) {
      if (type !== 'payment.succeeded') return
      await asService.records.once(headers.webhookId, async (records) => {
        await records.run(Invoice, data.invoice, 'pay')
      })
    },
  })
