import { actor, integer, may, now, one, own, resource, state, timestamp } from 'duet-api'
import { Product } from './product.ts'

/** Pieces that are kept back for a customer. */
export const Reservation = resource('Reservation', {
  prefix: 'rsv',
  fields: {
    product: one('Product'),
    customer: one('User', { default: actor }),
    quantity: integer({ min: 1, max: 99 }),
    until: timestamp(),
    status: state('held', 'released'),
  },
  actions: {
    read: { allow: own('customer') },
    create: {
      allow: may('create'),
      accept: ['product', 'quantity'],
      set: { until: now.plus({ minutes: 15 }) },
      effect: async ({ input, records }) => {
        const [product] = await records.lockExisting(Product, [input.product])
        if (product!.stock < input.quantity) return `Only ${product!.stock} of ${product!.name} are left.`
        await records.change(Product, product!.id, { stock: product!.stock - input.quantity })
        return undefined
      },
    },
    // By the customer, or by the clock.
    release: {
      at: 'until',
      allow: own('customer'),
      from: 'held',
      to: 'released',
      effect: async ({ record, records }) => {
        const [product] = await records.lockExisting(Product, [record.product])
        if (product !== undefined) await records.change(Product, product.id, { stock: product.stock + record.quantity })
      },
    },
  },
})
