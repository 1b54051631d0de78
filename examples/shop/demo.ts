import type { Seed } from 'duet-api'
import { Product } from './product.ts'
import { User } from './user.ts'

/** Cat buys, Kim keeps the shop, and two products are there. */
export function fillDemo(seed: Seed, passwordHash: string): void {
  const createdAt = new Date(Date.UTC(2026, 10, 1))
  const account = (name: string, role: 'CUSTOMER' | 'KEEPER') =>
    seed.create(User, { name, email: `${name.toLowerCase()}@example.com`, role, password: passwordHash, createdAt })
  account('Cat', 'CUSTOMER')
  account('Kim', 'KEEPER')
  const product = (sku: string, name: string, price: string, stock: number) =>
    seed.create(Product, {
      sku,
      name,
      price: price,
      taxRate: '0.19',
      stock,
      currency: 'EUR',
      attributes: {},
      createdAt,
    })
  product('PEN', 'A pen', '1.10', 3)
  product('INK', 'A bottle of ink', '9.99', 10)
}
