// A store on a database of its own, which end with the test.

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { defaultLimits } from '../../../src/limits.ts'
import { openStore } from '../../../src/service/open/open-store.ts'
import type { Store } from '../../../src/store/store.ts'
import type { TestDatabase } from './databases.ts'

/** It must log nothing. */
export const loggingFails = { warn: assert.fail, error: assert.fail }
const loggingIsIgnored = { warn: () => {}, error: () => {} }

/** Drops the database, too, when the test ends. */
export async function openTestStore(
  t: TestContext,
  database: TestDatabase,
  log: Parameters<typeof openStore>[1]['log'] = loggingIsIgnored,
): Promise<Store> {
  const store = await openStore(database.url, { limits: defaultLimits, log })
  t.after(async () => {
    await store.close()
    await database.drop()
  })
  return store
}
