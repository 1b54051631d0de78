import type { Seed } from 'duet-api'
import { Project } from './project.ts'
import { Task } from './task.ts'
import { User } from './user.ts'

/** Fills a new database while DEMO_DATA is on, as it is in development. */
export function fillDemo(seed: Seed, passwordHash: string): void {
  const day = (date: number) => new Date(Date.UTC(2026, 0, date))
  const admin = { name: 'Admin', email: 'admin@example.com', role: 'ADMIN' } as const
  seed.create(User, { ...admin, password: passwordHash, createdAt: day(1) })
  const member = { name: 'Ada', email: 'ada@example.com' }
  const ada = seed.create(User, { ...member, password: passwordHash, createdAt: day(2) })
  const project = seed.create(Project, { name: 'Learn Duet', owner: ada, createdAt: day(3) })
  for (const title of ['Read the definitions', 'Change one', 'See the tests fail']) {
    seed.create(Task, { project, title, createdAt: day(4) })
  }
}
