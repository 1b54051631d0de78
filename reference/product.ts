import { anyone, atLeast, atMost, currency, integer, is, may, resource, text } from 'duet-api'

/** Something for sale. Prices are in minor units of their currency. (contract 2.2.5) */
export const Product = resource('Product', {
  prefix: 'prod',
  about: 'Something that can be ordered, as long as there is stock.',

  fields: {
    name: text({ max: 200 }),
    category: text({ max: 50 }),
    price: integer({ min: 0, about: 'What one costs, in the smallest unit of its currency.' }),
    currency: currency(),
    stock: integer({
      min: 0,
      about: 'How many there are; an order takes them, and gives them back when it is cancelled.',
    }),
  },

  filter: { category: is, minPrice: atLeast('price'), maxPrice: atMost('price') },
  sort: ['price', 'name'],
  where: ['name', 'category', 'price', 'stock', 'createdAt'],
  search: ['name', 'category'],
  summary: { by: ['category', 'currency'], of: ['price', 'stock'] },

  actions: {
    read: { allow: anyone, maxAgeSeconds: 60 },
    create: { allow: may('create'), accept: ['name', 'category', 'price', 'currency', 'stock'] },
    update: { allow: may('edit'), accept: ['name', 'category', 'price', 'currency', 'stock'] },
    delete: { allow: may('delete') },
  },
})
