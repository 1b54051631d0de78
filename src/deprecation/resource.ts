// The resource that shows who still uses what is deprecated. Written by the service, read by admins. (contract 9.4.2)

import { integer } from '../resource/field/number.ts'
import { text } from '../resource/field/text.ts'
import { timestamp } from '../resource/field/timestamp.ts'
import { atLeast, atMost, is } from '../resource/language/filter.ts'
import { resource } from '../resource/language/resource.ts'
import { may } from '../resource/language/rule.ts'

/**
 * How often one client used one deprecated thing on one day. The row that counts nothing says since when uses of it are
 * counted. Listed as `/deprecation-usage`.
 */
export const DeprecatedUse = resource('DeprecatedUse', {
  prefix: 'use',
  plural: 'deprecationUsage',
  batch: false,

  fields: {
    /** A version such as `v1`, or a place such as `Comment.text`. */
    what: text({ max: 300 }),
    /** The id of a user or an API key, `anonymous`, or `others` where there were too many. */
    principal: text({ max: 64 }),
    /** What the client calls itself in `X-Client-Name`. */
    client: text({ max: 64 }),
    day: timestamp(),
    count: integer({ min: 0 }),
    /** Before this day it may not go, as far as this use says. */
    removableFrom: timestamp(),
  },

  filter: { what: is, principal: is, client: is, from: atLeast('day'), until: atMost('day') },
  sort: ['day', 'count'],

  actions: {
    read: { allow: may('read') },
  },
})
