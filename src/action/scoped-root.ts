// The same answer to a write, for whoever may read each record by its rule.

import type { WriteCall } from './call.ts'

type Root = NonNullable<WriteCall['root']>
const scopedRoots = new WeakMap<Root, Root>()

/** Made once for each root, so that its plan is found again. */
export const scopedRoot = (root: Root): Root =>
  scopedRoots.getOrInsertComputed(root, (unscoped) => ({ ...unscoped, scoped: true }))
