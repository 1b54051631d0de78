// The root of a write's answer, restricted to records that the caller may read.

import { memoize } from '../../cache/memoize.ts'
import type { WriteCall } from '../call.ts'

type Root = NonNullable<WriteCall['root']>

/** One per root, so that its plan is reused. */
export const scopedRoot = memoize((root: Root): Root => ({ ...root, scoped: true }))
