import { anyone, atLeast, atMost, currency, integer, json, may, resource, text } from 'duet-api'
import { price, taxRate } from './money.ts'

/** What the shop sells. Its supplier knows it by `sku`, and puts it there: `PUT /products/by/sku/…`. */
export const Product = resource('Product', {
  prefix: 'prod',
  fields: {
    sku: text({ max: 40 }),
    name: text({ max: 200 }),
    price: price(),
    currency: currency(),
    taxRate: taxRate(),
    stock: integer({ min: 0 }),
    attributes: json({ maxBytes: 8192 }),
  },
  keys: [['sku']],
  filter: { minPrice: atLeast('price'), maxPrice: atMost('price'), minStock: atLeast('stock') },
  search: ['name', 'sku'],
  where: ['price', 'stock', 'sku', 'createdAt'],
  sort: ['price', 'name'],
  actions: {
    read: { allow: anyone, maxAgeSeconds: 60 },
    create: { allow: may('create'), accept: ['sku', 'name', 'price', 'currency', 'taxRate', 'stock', 'attributes'] },
    update: { allow: may('edit'), accept: ['name', 'price', 'currency', 'taxRate', 'stock', 'attributes'] },
  },
})
