// Whether an answer tells what the reader may do: then all the scopes of an API key decide about it, not those to read alone.

import { getOrInsert } from '../cache/get-or-insert.ts'
import type { ListParts, Root, Selection } from './selection.ts'

/** Whether any record in the answer says what may be done with it. */
export const tellsCan = (root: Root): boolean =>
  getOrInsert(results, root, () => (root.kind === 'list' ? selectionsOf(root.parts) : [root.of]).some(hasCan))
const results = new WeakMap<Root, boolean>()

function selectionsOf(parts: ListParts): readonly Selection[] {
  if (parts.as === 'array') return [parts.of]
  return parts.parts.flatMap((part) => {
    if (part.kind === 'nodes') return [part.of]
    return part.kind === 'edges' ? part.parts.flatMap((each) => (each.kind === 'node' ? [each.of] : [])) : []
  })
}

const hasCan = ({ parts }: Selection): boolean =>
  parts.some(
    (part) =>
      part.kind === 'can' || ((part.kind === 'one' || part.kind === 'list' || part.kind === 'self') && hasCan(part.of)),
  )
