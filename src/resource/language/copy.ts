// Detects values made by another copy of the package: two copies in one process look alike but do not work together.

import { ownRoot } from '../../dependency/own-package.ts'
import type { Contradiction } from '../field/field.ts'

const mark = Symbol.for('duet.copy')
/** The location helps the author find the other copy. */
const copy = { location: ownRoot.href }

/** Marks the value with a property that is not enumerated, spread or compared. */
export const marked = <T extends object>(value: T): T => Object.defineProperty(value, mark, { value: copy })

/** The problem with values made by another copy; null if there are none. A copied value has lost its mark. */
export function otherCopy(values: Readonly<Record<string, unknown>>): Contradiction | null {
  const strangers = Object.entries(values).flatMap(([name, value]) => {
    const maker = (value as { readonly [mark]?: typeof copy } | null | undefined)?.[mark]
    return maker === undefined || maker === copy ? [] : [{ name, location: maker.location }]
  })
  const [first] = strangers
  if (first === undefined) return null
  const names = strangers.map(({ name }) => name).join(', ')
  return [
    `two copies of duet-api are loaded: ${names} from ${first.location}, and what starts it from ${copy.location}`,
    'keep one of them, `npm ls duet-api` lists who depends on which',
  ]
}
