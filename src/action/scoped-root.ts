// The same answer to a write, for whoever may read each record by its rule.

import { getOrInsert } from '../cache/get-or-insert.ts'
import type { WriteCall } from './call.ts'

type Root = NonNullable<WriteCall['root']>
const scopedRoots = new WeakMap<Root, Root>()

/** Made once for each root, so that its plan is found again. */
export const scopedRoot = (root: Root): Root =>
  getOrInsert(scopedRoots, root, (unscoped) => ({ ...unscoped, scoped: true }))
