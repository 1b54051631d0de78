import type { Seed } from 'duet-api'
import { Customer } from './customer.ts'
import { Plan } from './plan.ts'
import { Subscription } from './subscription.ts'
import { User } from './user.ts'

/** Cleo keeps the books, Carl is a customer with a subscription. */
export function fillDemo(seed: Seed, password: string): void {
  const createdAt = new Date(Date.UTC(2026, 10, 1))
  const account = (name: string, role: 'CUSTOMER' | 'CLERK') =>
    seed.create(User, { name, email: `${name.toLowerCase()}@example.com`, role, password, createdAt })
  account('Cleo', 'CLERK')
  const user = account('Carl', 'CUSTOMER')
  const customer = seed.create(Customer, { externalId: '42', name: 'Carl & Co', currency: 'EUR', user, createdAt })
  const plan = seed.create(Plan, {
    code: 'team',
    name: 'Team',
    price: '19.90',
    unitPrice: '0.01',
    currency: 'EUR',
    createdAt,
  })
  seed.create(Subscription, { externalId: 's1', customer, plan, seats: 3, startsOn: '2026-11-01', createdAt })
}
