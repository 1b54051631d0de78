// How proofs write accounts: through the engine of all writes, which exists later than authentication.

import type { Program } from '../../store/store.ts'

/** Writes these fields of an account as the service; `last` runs in the transaction. Fails as `update`. */
export type ChangeAccount = (
  id: string,
  values: Readonly<Record<string, unknown>>,
  last: (now: Date) => Program<void>,
) => Promise<void>
