// Values that no service holds.

import type { Subject } from './kit.ts'

/** An id of the right form that belongs to no record, as far as the prefix can be seen from a record of this run. */
export const missingId = (subject: Subject): string =>
  `${subject.profile.type.toLowerCase().slice(0, 3)}_${'0'.repeat(26)}`

/** Texts that JSON can hold and that no text field takes. */
export const unreadableTexts: Readonly<Record<string, string>> = {
  NUL: '"a\\u0000b"',
  'a lone surrogate': '"\\ud800"',
}
