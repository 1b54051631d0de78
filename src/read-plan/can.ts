// An answer with `can` depends on all scopes of an API key, not only those for reading.

import { elementsOf, type Root, type Selection } from './selection.ts'

/** True if a record in the answer includes `can`. */
export const answersCan = (root: Root): boolean =>
  (root.kind === 'list' ? elementsOf(root.parts) : [root.of]).some(hasCan)

const hasCan = ({ parts }: Selection): boolean =>
  parts.some(
    (part) =>
      part.kind === 'can' || ((part.kind === 'one' || part.kind === 'list' || part.kind === 'self') && hasCan(part.of)),
  )
