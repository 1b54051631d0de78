// Marks what this copy of the package makes: two copies in one process look alike and are not.

import type { Contradiction } from '../field/field.ts'

const mark = Symbol.for('duet.copy')
/** This copy; where it was loaded from is what its author needs to find it. */
const copy = { location: new URL('../../..', import.meta.url).href }

/** The same value, marked where nothing that enumerates, spreads or compares sees it. */
export const marked = <T extends object>(value: T): T => Object.defineProperty(value, mark, { value: copy })

/** What is wrong with values that another copy made; null where none did. Whoever copied a value took its mark away. */
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
    'keep one of them, `npm ls duet-api` tells who brings which',
  ]
}
