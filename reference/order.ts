import {
  actor,
  anyOf,
  contains,
  currency,
  field,
  type Id,
  integer,
  is,
  list,
  may,
  object,
  one,
  optional,
  own,
  type Records,
  readOnly,
  resource,
  state,
} from 'duet-api'
import { Product } from './product.ts'

/** A purchase. It takes its stock when it is made and gives it back when it is cancelled, after a day unless paid. (contract 3.3) */
export const Order = resource('Order', {
  prefix: 'ord',
  about:
    'A purchase. It takes its stock when it is made, and gives it back when it is cancelled, after a day if it is not paid.',

  fields: {
    user: optional(one('User', { default: actor })),
    status: state('pending', 'paid', 'cancelled'),
    items: list(
      object({
        product: one('Product'),
        quantity: integer({ min: 1, max: 99 }),
        unitPrice: readOnly(integer({ min: 0 })),
      }),
      { min: 1, max: 50 },
    ),
    total: integer({ min: 0, about: 'The sum of all items, in the smallest unit of its currency.' }),
    currency: currency(),
  },

  filter: { status: is, user: is, product: contains('items.product') },
  sort: ['total', 'user.name'],
  where: ['status', 'total', 'user', 'createdAt'],
  summary: { by: ['status', 'currency', 'user', 'user.name', 'createdAt'], of: ['total'] },

  actions: {
    read: { allow: anyOf(own('user'), may('read_any')) },
    create: {
      allow: may('create'),
      accept: ['items'],
      effect: async ({ input, records, assign }) => {
        const products = await records.lockReadable(
          Product,
          input.items.map((item) => item.product),
        )
        const stock = new Map(products.map((product) => [product.id, product.stock]))
        const items = []
        let total = 0
        for (const { product: id, quantity } of input.items) {
          const product = products.find((each) => each.id === id)!
          if (product.currency !== products[0]!.currency) return 'All items must have one currency.'
          const left = stock.get(id)! - quantity
          if (left < 0) return 'Not enough of a product is in stock.'
          stock.set(id, left)
          items.push({ product: id, quantity, unitPrice: product.price })
          total += product.price * quantity
        }
        for (const [id, left] of stock) await records.change(Product, id, { stock: left })
        assign({ items, total, currency: products[0]!.currency })
      },
    },
    pay: { allow: may('pay', own('user')), from: 'pending', to: 'paid' },
    cancel: {
      allow: may('cancel', own('user')),
      from: ['pending', 'paid'],
      to: 'cancelled',
      effect: ({ record, records }) => returnStock(record.items, records),
    },
    expire: {
      at: field('createdAt').plus({ days: 1 }),
      from: 'pending',
      to: 'cancelled',
      effect: ({ record, records }) => returnStock(record.items, records),
    },
  },
})

async function returnStock(
  items: readonly { readonly product: Id<'Product'>; readonly quantity: number }[],
  records: Records,
): Promise<void> {
  // A product that is not sold any more needs no stock.
  const products = await records.lockExisting(
    Product,
    items.map(({ product }) => product),
  )
  for (const { id, stock } of products) {
    const back = items.reduce((sum, { product, quantity }) => (product === id ? sum + quantity : sum), 0)
    await records.change(Product, id, { stock: stock + back })
  }
}
