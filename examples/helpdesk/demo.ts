import type { Seed } from 'duet-api'
import { Membership, Organization } from './organization.ts'
import { Message, Tag, Ticket } from './ticket.ts'
import { User } from './user.ts'

/** Acme, owned by Ann, and Umbra, owned by Gil, where Ann is a customer. Sue supports both. */
export function fillDemo(seed: Seed, passwordHash: string): void {
  let minute = 0
  const createdAt = () => new Date(Date.UTC(2026, 10, 1, 9, minute++))
  const account = (name: string, role: 'USER' | 'SUPPORT' | 'ADMIN' = 'USER') =>
    seed.create(User, {
      name,
      email: `${name.toLowerCase()}@example.com`,
      role,
      password: passwordHash,
      createdAt: createdAt(),
    })
  const [ann, bob, cat, gil] = [account('Ann'), account('Bob'), account('Cat'), account('Gil')] as const
  account('Sue', 'SUPPORT')
  account('Adam', 'ADMIN')

  const organization = (name: string) =>
    seed.create(Organization, { name, slug: name.toLowerCase(), createdAt: createdAt() })
  const [acme, umbra] = [organization('Acme'), organization('Umbra')] as const
  const join = (where: string, user: string, role: 'OWNER' | 'AGENT' | 'CUSTOMER') =>
    seed.create(Membership, { organization: where, user, role, createdAt: createdAt() } as never)
  join(acme, ann, 'OWNER')
  join(acme, bob, 'AGENT')
  join(acme, cat, 'CUSTOMER')
  join(umbra, gil, 'OWNER')
  join(umbra, ann, 'CUSTOMER')

  const ticket = (where: string, requester: string, subject: string) =>
    seed.create(Ticket, {
      organization: where,
      requester,
      subject,
      body: `${subject}.`,
      createdAt: createdAt(),
    } as never)
  const printer = ticket(acme, cat, 'The printer is on fire')
  ticket(acme, bob, 'A new chair')
  ticket(umbra, ann, 'An invoice is missing')
  const message = (author: string, body: string, internal = false) =>
    seed.create(Message, { ticket: printer, author, body, internal, createdAt: createdAt() } as never)
  message(cat, 'Please hurry.')
  message(bob, 'It is the third this week.', true)
  seed.create(Tag, { organization: acme, name: 'hardware', createdAt: createdAt() } as never)
}
