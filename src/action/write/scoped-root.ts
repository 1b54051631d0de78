// The root of a write's answer, restricted to records that the caller may read.

import { getOrInsert } from '../../cache/get-or-insert.ts'
import type { WriteCall } from '../call.ts'

type Root = NonNullable<WriteCall['root']>
const scopedRoots = new WeakMap<Root, Root>()

/** One per root, so that its plan is reused. */
export const scopedRoot = (root: Root): Root =>
  getOrInsert(scopedRoots, root, (unscoped) => ({ ...unscoped, scoped: true }))
