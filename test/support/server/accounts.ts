// Accounts for tests that sign in as many users.

import type { TestService } from './service.ts'

export interface TestAccount {
  readonly id: string
  readonly email: string
}

export async function createTestAccounts(service: TestService, count: number): Promise<readonly TestAccount[]> {
  const accounts: TestAccount[] = []
  for (let made = 0; made < count; made += 1) {
    const fixtures = service.fixtures({ person: { User: { name: 'P', email: '{word}@example.com' } } })
    accounts.push({ id: await fixtures.idOf('person'), email: await fixtures.fill('{word}@example.com') })
  }
  return accounts
}
