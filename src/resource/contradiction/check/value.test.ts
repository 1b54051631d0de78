// Options of numbers and days that contradict each other. (contract 5.4.3)

import { atLeast, bigint, contains, date, decimal, float, list, optional, uuid } from 'duet-api'
import { field, postWith, refuses } from '../../../../test/support/domain/valid-service.ts'

const price = (more: object) => field('price', decimal({ precision: 5, scale: 2, ...more }))

refuses('values', [
  [price({ precision: 0 }), 'Post.price: its precision 0 is none; set its number of digits, from 1 to 18.'],
  [price({ precision: 19 }), 'Post.price: its precision 19 is none; set its number of digits, from 1 to 18.'],
  [price({ scale: 6 }), 'Post.price: its scale 6 is none; set how many of its 5 digits follow the point.'],
  [price({ scale: -1 }), 'Post.price: its scale -1 is none; set how many of its 5 digits follow the point.'],
  [
    price({ min: '0.001' }),
    'Post.price: its limit \'0.001\' is none of its values; write a number as text, such as "0".',
  ],
  [price({ max: 5 }), 'Post.price: its limit 5 is none of its values; write a number as text, such as "0".'],
  [price({ min: '2', max: '1' }), 'Post.price: its min 2 is more than its max 1; lower one or raise the other.'],
  [
    price({ default: '1000' }),
    "Post.price: its default '1000' is none of its values; choose another default or wider limits.",
  ],
  [
    field('views', bigint({ min: 2n ** 63n })),
    'Post.views: its limit 9223372036854775808n is no bigint of 64 bits; write a whole number with an n, such as 10n.',
  ],
  [
    field('views', bigint({ min: 1 as never })),
    'Post.views: its limit 1 is no bigint of 64 bits; write a whole number with an n, such as 10n.',
  ],
  [
    field('views', bigint({ min: 2n, max: 1n })),
    'Post.views: its min 2 is more than its max 1; lower one or raise the other.',
  ],
  [
    field('ratio', float({ max: Number.NaN })),
    'Post.ratio: its limit NaN is no number; choose a finite number, or none.',
  ],
  [
    field('ratio', float({ min: 2, max: 1 })),
    'Post.ratio: its min 2 is more than its max 1; lower one or raise the other.',
  ],
  [
    field('day', date({ default: '2027-02-29' })),
    "Post.day: its default '2027-02-29' is none of its values; choose another default or wider limits.",
  ],
  [
    postWith({ fields: { key: optional(uuid()) }, filter: { from: atLeast('key') } }),
    'Post.filter.from: key has no least and no most; use is.',
  ],
  [
    postWith({
      fields: { prices: list(decimal({ precision: 5, scale: 2 }), { max: 3 }) },
      filter: { price: contains('prices') },
    }),
    'Post.filter.price: a decimal cannot be looked for in a list; look for a text, a choice or an id.',
  ],
])
