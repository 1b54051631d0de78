import type { Seed } from 'duet-api'
import { Membership, Organization } from './organization.ts'
import { Project } from './project.ts'
import { Task } from './task.ts'
import { User } from './user.ts'

/** Fills a new database while DEMO_DATA is on, as it is in development: Acme, which Ada owns, and Umbra, which Eve owns. */
export function fillDemo(seed: Seed, passwordHash: string): void {
  const day = (date: number) => new Date(Date.UTC(2026, 0, date))
  const account = (name: string, createdAt: Date, role: 'USER' | 'ADMIN' = 'USER') =>
    seed.create(User, { name, email: `${name.toLowerCase()}@example.com`, role, password: passwordHash, createdAt })
  account('Admin', day(1), 'ADMIN')
  const ada = account('Ada', day(2))
  const ben = account('Ben', day(3))
  const cleo = account('Cleo', day(4))
  const eve = account('Eve', day(5))

  const acme = seed.create(Organization, { name: 'Acme', createdAt: day(6) })
  seed.create(Membership, { organization: acme, user: ada, role: 'OWNER', createdAt: day(6) })
  seed.create(Membership, { organization: acme, user: ben, role: 'MEMBER', createdAt: day(7) })
  seed.create(Membership, { organization: acme, user: cleo, role: 'GUEST', createdAt: day(7) })
  const umbra = seed.create(Organization, { name: 'Umbra', createdAt: day(6) })
  seed.create(Membership, { organization: umbra, user: eve, role: 'OWNER', createdAt: day(6) })

  const project = seed.create(Project, { organization: acme, name: 'Learn Duet', createdAt: day(8) })
  for (const title of ['Read the definitions', 'Change one', 'See the tests fail']) {
    seed.create(Task, { project, title, createdAt: day(9) })
  }
  seed.create(Project, { organization: umbra, name: 'Hidden', createdAt: day(8) })
}
