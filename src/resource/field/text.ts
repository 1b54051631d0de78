// Text, and the texts that have a form: e-mail addresses, web addresses, currencies. Lengths count code points. (contract 4)

import { codePoints, type Field, type FieldKind, field, type NeedOf, type SpecBase } from './field.ts'

type Format = 'email' | 'url' | 'currency'
interface TextSpec extends SpecBase {
  readonly min?: number
  readonly max?: number
  readonly format?: Format
}

/** Text of at least `min` (1 unless said) and at most `max` characters. */
export const text = <const O extends { min?: number; max: number; unique?: true; default?: string; was?: string }>(
  options: O,
): Field<'text', string, string, NeedOf<O>> => field('text', options)
/** An e-mail address, lower-cased. */
export const email = (options: { unique?: true; was?: string } = {}): Field<'text', string> =>
  field('text', { format: 'email', max: 254, ...options })
/** An absolute http or https address. */
export const url = (options: { was?: string } = {}): Field<'text', string> =>
  field('text', { format: 'url', max: 2_048, ...options })
/** Three capital letters of ISO 4217. */
export const currency = (options: { was?: string } = {}): Field<'text', string> =>
  field('text', { format: 'currency', max: 3, ...options })

// One @, no spaces or controls, a dot somewhere in the domain: delivery is the only real proof of an address.
const emailForm =
  /^[^\s@"(),:;<>[\\\]]{1,64}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const currencies = new Set(Intl.supportedValuesOf('currency'))

const formats: Record<Format, { problem: string; normal: (text: string) => string | null; schema: object }> = {
  email: {
    problem: 'Must be an e-mail address.',
    normal: (value) => (emailForm.test(value.toLowerCase()) ? value.toLowerCase() : null),
    schema: { format: 'email' },
  },
  url: {
    problem: 'Must be an absolute http or https address.',
    normal: (value) => (isWebAddress(value) ? value : null),
    schema: { format: 'uri', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' },
  },
  currency: {
    problem: 'Must be a currency code of ISO 4217.',
    normal: (value) => (currencies.has(value) ? value : null),
    schema: { pattern: '^[A-Z]{3}$' },
  },
}

const isWebAddress = (value: string): boolean =>
  /^https?:\/\/[^\s]+$/i.test(value) && URL.canParse(value) && !/^https?:\/\/[^/?#]*@/i.test(value)

export const kind: FieldKind<TextSpec> = {
  column: 'text',
  graphql: 'String',
  check(spec, value, problem) {
    if (typeof value !== 'string') return problem('', 'Must be text.')
    const length = codePoints(value)
    const min = spec.min ?? 1
    if (length < min) return problem('', min === 1 ? 'Must not be empty.' : `At least ${min} characters.`)
    if (spec.max !== undefined && length > spec.max) return problem('', `At most ${spec.max} characters.`)
    if (spec.format === undefined) return value
    const { normal, problem: message } = formats[spec.format]
    return normal(value) ?? problem('', message)
  },
  schema: (spec) => ({
    type: 'string',
    minLength: spec.min ?? 1,
    ...(spec.max === undefined ? {} : { maxLength: spec.max }),
    ...(spec.format === undefined ? {} : formats[spec.format].schema),
  }),
  contradiction: (spec) =>
    spec.max !== undefined && (spec.min ?? 1) > spec.max
      ? `its min ${spec.min ?? 1} is more than its max ${spec.max}`
      : null,
}
