import type { Seed } from 'duet-api'
import { EventType } from './event-type.ts'
import { Absence, Availability } from './hours.ts'
import { Membership, Team } from './team.ts'
import { User } from './user.ts'

/** The team Acme with its owner Ann and its host Bob, who work from Monday to Friday, and Cat, who is in no team. */
export function fillDemo(seed: Seed, passwordHash: string): void {
  let minute = 0
  const createdAt = () => new Date(Date.UTC(2026, 10, 1, 9, minute++))
  const account = (name: string) =>
    seed.create(User, {
      name,
      email: `${name.toLowerCase()}@example.com`,
      password: passwordHash,
      createdAt: createdAt(),
    })
  const [ann, bob] = [account('Ann'), account('Bob'), account('Cat')] as const
  const team = seed.create(Team, { name: 'Acme', slug: 'acme', createdAt: createdAt() })
  seed.create(Membership, { team, user: ann, role: 'OWNER', createdAt: createdAt() })
  seed.create(Membership, { team, user: bob, role: 'HOST', createdAt: createdAt() })
  for (const host of [ann, bob])
    for (const weekday of ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY'] as const)
      seed.create(Availability, { team, host, weekday, opensAt: 540, closesAt: 1_020, createdAt: createdAt() })
  seed.create(Absence, { team, host: bob, firstDay: '2027-02-01', returnsOn: '2027-02-08', createdAt: createdAt() })
  const type = { team, minutes: 30, createdAt: createdAt() }
  seed.create(EventType, { ...type, host: ann, title: 'Introduction' })
  seed.create(EventType, { ...type, host: bob, title: 'Consultation', needsApproval: true })
  seed.create(EventType, { ...type, host: ann, title: 'Board', isPublic: false })
}
