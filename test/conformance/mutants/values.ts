// Faults of values, keys and kept numbers.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: sources contain templates.

import { type Mutant, of } from './mutant.ts'

export const values: readonly Mutant[] = [
  ...of('gallery', [
    ['UUIDs keep their case', 'src/resource/field/uuid.ts', '? value.toLowerCase()', '? value', '11.1.2'],
    [
      'UUIDs need no dashes',
      'src/resource/field/uuid.ts',
      'const form = /^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/',
      'const form = /^[0-9A-Fa-f]{8}(?:-?[0-9A-Fa-f]{4}){3}-?[0-9A-Fa-f]{12}$/',
      '11.1.2',
    ],
    [
      'floats are text, too',
      'src/resource/field/float.ts',
      "if (typeof value !== 'number' || !Number.isFinite(value)) return",
      "if (typeof value === 'string') return Number(value)\n    if (typeof value !== 'number' || !Number.isFinite(value)) return",
      '11.1.3',
    ],
    [
      'bigints are numbers, too',
      'src/resource/field/bigint.ts',
      "if (typeof value !== 'string') return problem('', 'Must be a whole number as text, such as \"42\".')\n    if (inputForm",
      "if (typeof value === 'number') return BigInt(value)\n    if (typeof value !== 'string') return problem('', 'No.')\n    if (inputForm",
      '11.1.4',
    ],
    [
      'bigints begin with zeros',
      'src/resource/field/bigint.ts',
      'const inputForm = /^-?(?:0|[1-9]\\d{0,18})$/',
      'const inputForm = /^-?\\d{1,19}$/',
      '11.1.4',
    ],
    [
      'decimals are written as they are sent',
      'src/resource/field/decimal.ts',
      '(number.isZero() ? new Exact(0) : number).toFixed(scale)',
      'number.toFixed()',
      '11.1.5',
    ],
    [
      'decimals have more digits',
      'src/resource/field/decimal.ts',
      "if (value.includes('.') && digits > spec.scale)",
      "if (value.includes('.') && digits > spec.scale + 5)",
      '11.1.5',
    ],
    ['documents have no limits of decimals', 'src/resource/field/decimal.ts', "'x-minimum': from,", '', '11.1.9'],
    [
      'currencies are small letters, too',
      'src/resource/field/text.ts',
      'currencyCodes.has(value) ? value : null',
      'currencyCodes.has(value.toUpperCase()) ? value.toUpperCase() : null',
      '11.1.8',
    ],
    [
      'ordered choices sort as text',
      'src/resource/field/choice.ts',
      '(spec as ChoiceSpec).ordered === true ? (spec as ChoiceSpec).values : null',
      'false ? (spec as ChoiceSpec).values : null',
      '11.3.3',
    ],
    [
      'kept numbers count twice',
      'src/action/row/kept-number.ts',
      'if (of === null) return 1n',
      'if (of === null) return 2n',
      '13.2.2,13.2.4',
    ],
    [
      'deletes leave kept numbers',
      'src/action/row/kept-number.ts',
      'yield* noteRecords(resource, changes, scope)\n}',
      '}',
      '13.2.2',
    ],
    [
      'secrets are texts',
      'test/conformance/gallery/service.ts',
      'alarm: optional(secret({ max: 200 })),',
      'alarm: optional(text({ max: 200 })),',
      '11.4.1,11.4.4',
    ],
  ]),
  ...of('helpdesk', [
    [
      'counters count all tickets',
      'examples/helpdesk/ticket.ts',
      'number: counter(), // 1, 2, 3 … in each organization',
      "number: counter({ within: 'requester' }),",
      '11.3.8',
    ],
    [
      'the pattern of slugs is open',
      'examples/helpdesk/organization.ts',
      'pattern: /[a-z0-9-]+/,',
      'pattern: /[ -~]+/,',
      '11.3.1',
    ],
    [
      'priorities sort as text',
      'src/resource/field/choice.ts',
      '(spec as ChoiceSpec).ordered === true ? (spec as ChoiceSpec).values : null',
      'false ? (spec as ChoiceSpec).values : null',
      '11.3.3',
    ],
  ]),
  ...of('shop', [
    [
      'drafts have numbers',
      'examples/shop/invoice.ts',
      "number: counter({ on: 'issue' }),",
      'number: counter(),',
      '11.3.6',
    ],
    [
      'lines are counted together',
      'examples/shop/invoice.ts',
      "position: counter({ within: 'invoice' }),",
      'position: counter(),',
      '11.3.8',
    ],
    [
      'days are moments, too',
      'src/resource/field/date.ts',
      'const form = /^(?!0000)(\\d{4})-(\\d\\d)-(\\d\\d)$/',
      'const form = /^(?!0000)(\\d{4})-(\\d\\d)-(\\d\\d)/',
      '11.1.1',
    ],
    [
      'every month has 31 days',
      'src/resource/field/date.ts',
      'return calendar.getUTCMonth() === month! - 1 && calendar.getUTCDate() === day',
      'return month! < 13 && day! < 32',
      '11.1.1',
    ],
    [
      'keys have no addresses',
      'examples/shop/product.ts',
      "  keys: [['sku']],",
      "  unique: [['sku']],",
      '11.2.8,11.2.9',
    ],
  ]),
]
