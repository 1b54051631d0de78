// Accounts whose passwords cost next to nothing to check, for tests that sign in hundreds of times.

import { hash } from '@node-rs/argon2'
import { bind, command } from '../../../src/store/store.ts'
import { password, type TestService } from './service.ts'

export interface QuickAccount {
  readonly id: string
  readonly email: string
}

/** The library reads the cost of a hash in the hash itself: this one is as cheap as there can be. */
const quickHash = hash(password, { memoryCost: 8, timeCost: 1, parallelism: 1 })

export async function createQuickAccounts(service: TestService, count: number): Promise<readonly QuickAccount[]> {
  const accounts: QuickAccount[] = []
  const [one, two] = service.engine === 'sqlite' ? ['?1', '?2'] : ['$1', '$2']
  const setHash = command(`update users set password_hash = ${one} where id = ${two}`)
  const value = await quickHash
  for (let made = 0; made < count; made += 1) {
    const fixtures = service.fixtures({ person: { User: { name: 'P', email: '{word}@example.com' } } })
    const id = await fixtures.idOf('person')
    await service.store.write(function* () {
      yield bind(setHash, value, id)
    })
    accounts.push({ id, email: await fixtures.fill('{word}@example.com') })
  }
  return accounts
}
