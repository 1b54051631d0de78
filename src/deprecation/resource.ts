// The resource that lists uses of deprecated parts. Written by the service, read by admins. (contract 9.4.2)

import { integer } from '../resource/field/number.ts'
import { text } from '../resource/field/text.ts'
import { timestamp } from '../resource/field/timestamp.ts'
import { resource } from '../resource/language/resource.ts'
import { atLeast, atMost, is } from '../resource/language/rule/filter.ts'
import { may } from '../resource/language/rule/rule.ts'

/**
 * Uses of one deprecated part by one client on one day. A row with count 0 marks when counting began. Listed as
 * `/deprecation-usage`.
 */
export const DeprecatedUse = resource('DeprecatedUse', {
  prefix: 'use',
  plural: 'deprecationUsage',
  batch: false,

  fields: {
    /** A version such as `v1`, or a place such as `Comment.text`. */
    what: text({ max: 300 }),
    /** The id of a user or API key, `anonymous`, or `others` beyond the limit of clients. */
    principal: text({ max: 64 }),
    /** From `X-Client-Name`. */
    client: text({ max: 64 }),
    day: timestamp(),
    count: integer({ min: 0 }),
    /** The earliest removal according to this use. */
    removableFrom: timestamp(),
  },

  filter: { what: is, principal: is, client: is, from: atLeast('day'), until: atMost('day') },
  sort: ['day', 'count'],

  actions: {
    read: { allow: may('read') },
  },
})
