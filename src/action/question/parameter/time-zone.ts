// The time zone of a summary's calendar units. (contract 12.2.24)

import { type TimeZone, timeZone, utc } from '../../../resource/code/time-zone.ts'
import type { Parameter } from './parameter.ts'

const names = { text: 'time_zone', typed: 'timeZone', code: 'timeZone' } as const

export const zone: Parameter<TimeZone> = {
  read(sent, _, { form }, problems) {
    const name = sent(names[form]) ?? 'UTC'
    // The face has refused an empty parameter.
    const found = form === 'text' && name === '' ? utc : timeZone(name as string)
    if (found !== null) return found
    problems.push({ field: names[form], message: 'Is no time zone; name one such as Europe/Berlin.' })
    return utc
  },

  describe(_, form) {
    return [
      {
        name: names[form],
        about: () => 'The time zone of calendar units, by its name in the IANA database; UTC by default.',
        type: () => ({ is: 'text', charsMax: 64, pattern: '^[A-Za-z0-9_+/-]+$' }),
        more: () => ({ example: 'Europe/Berlin' }),
      },
    ]
  },
}
