// Text, and the texts that have a form: e-mail addresses, web addresses, currencies, scopes. Lengths count code points. (contract 4.3.7)

import {
  codePoints,
  type Field,
  type FieldKind,
  field,
  isStorable,
  type NeedOf,
  notStorable,
  type SpecBase,
  sizeContradiction,
} from './field.ts'
import { matches, type Pattern, patternContradiction, wholePattern } from './pattern.ts'

type Format = 'email' | 'url' | 'currency' | 'scope'
interface TextSpec extends SpecBase {
  readonly min?: number
  readonly max?: number
  readonly format?: Format
  readonly pattern?: Pattern
  readonly message?: string
}

/**
 * Text of at least `min` (1 unless said) and at most `max` characters. The whole of it must match the `pattern`, a regular
 * expression without flags but `u`; clients whose text does not are told the `message`. One that could take a time that
 * grows faster than the text stops the start; to judge that takes the package `redos-detector`. (contract 11.3.1)
 */
export const text = <const D extends string = never>(options: {
  min?: number
  max: number
  pattern?: string | RegExp
  message?: string
  unique?: true | string
  default?: D
  was?: string
  about?: string
}): Field<'text', string, string, NeedOf<D>> => field('text', options)
/** An e-mail address, lower-cased. */
export const email = (options: { unique?: true | string; was?: string; about?: string } = {}): Field<'text', string> =>
  field('text', { format: 'email', max: 254, ...options })
/** An absolute http or https address. */
export const url = (options: { was?: string; about?: string } = {}): Field<'text', string> =>
  field('text', { format: 'url', max: 2_048, ...options })
/** Three capital letters of ISO 4217. */
export const currency = (options: { was?: string; about?: string } = {}): Field<'text', string> =>
  field('text', { format: 'currency', max: 3, ...options })

/** What an API key may do: `read:posts`, `read:*`, `*`. (contract 5.3.2) */
export const scope = (options: { about?: string } = {}): Field<'text', string> =>
  field('text', { format: 'scope', max: 100, ...options })

// A dot-atom, one @, a domain with a dot (RFC 5322 3.4.1, less quotes and comments): delivery is the only real proof.
// Never with the u flag: the Kelvin sign would be a k, and somebody else's address.
const atom = "[a-z0-9!#$%&'*+/=?^_`{|}~-]+"
const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const emailForm = new RegExp(`^(?=[^@]{1,64}@)${atom}(?:\\.${atom})*@(?:${label}\\.)+${label}$`, 'i')
// Whether there is such a resource, and such an action, is not a question of form.
const scopeForm = /^(?:\*|[a-z][A-Za-z0-9]*:(?:\*|[a-z][a-z0-9]*(?:-[a-z0-9]+)*))$/
const currencies = new Set(Intl.supportedValuesOf('currency'))

interface FormatRule {
  readonly problem: string
  readonly normal: (text: string) => string | null
  readonly schema: object
  readonly example: string
}
const formats: Record<Format, FormatRule> = {
  email: {
    problem: 'Must be an e-mail address.',
    normal: (value) => (emailForm.test(value) ? value.toLowerCase() : null),
    schema: { format: 'email' },
    example: 'ada@example.com',
  },
  url: {
    problem: 'Must be an absolute http or https address.',
    normal: (value) => (isWebAddress(value) ? value : null),
    schema: { format: 'uri', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' },
    example: 'https://example.com/ada',
  },
  currency: {
    problem: 'Must be a currency code of ISO 4217.',
    normal: (value) => (currencies.has(value) ? value : null),
    schema: { pattern: '^[A-Z]{3}$' },
    example: 'EUR',
  },
  scope: {
    problem: 'Must be a scope such as read:posts, read:* or *.',
    normal: (value) => (scopeForm.test(value) ? value : null),
    schema: { pattern: scopeForm.source },
    example: 'read:*',
  },
}

// As it is written in ASCII (RFC 3986 2), and without a name or password in it.
const isWebAddress = (value: string): boolean => webForm.test(value) && URL.canParse(value)
const webText = (also: string) => `(?:[a-z0-9._~!$&'()*+,;=:@/${also}-]|%[0-9a-f]{2})*`
const webForm = new RegExp(
  `^https?://[a-z0-9.:[\\]_~-]+(?:/${webText('')})?(?:\\?${webText('?')})?(?:#${webText('?')})?$`,
  'i',
)

export const kind: FieldKind<TextSpec> = {
  column: 'text',
  options: ['min', 'max', 'format', 'pattern', 'message', 'unique', 'default', 'was'],
  graphql: 'String',
  check(spec, value, problem) {
    if (typeof value !== 'string') return problem('', 'Must be text.')
    if (!isStorable(value)) return problem('', notStorable)
    const length = codePoints(value)
    const min = spec.min ?? 1
    if (length < min) return problem('', min === 1 ? 'Must not be empty.' : `At least ${min} characters.`)
    if (spec.max !== undefined && length > spec.max) return problem('', `At most ${spec.max} characters.`)
    if (spec.pattern !== undefined && !matches(spec.pattern, value)) return problem('', patternMessage(spec))
    if (spec.format === undefined) return value
    const { normal, problem: message } = formats[spec.format]
    return normal(value) ?? problem('', message)
  },
  schema: (spec) => ({
    type: 'string',
    minLength: spec.min ?? 1,
    ...(spec.max === undefined ? {} : { maxLength: spec.max }),
    ...(spec.pattern === undefined ? {} : { pattern: wholePattern(spec.pattern) }),
    ...(spec.format === undefined ? {} : formats[spec.format].schema),
  }),
  example({ format, min = 1, max = 200 }, { name, direction }) {
    // Not somebody who has an account already.
    if (format === 'email' && direction === 'input') return 'grace@example.com'
    if (format !== undefined) return formats[format].example
    const text = `Some ${name.replace(/[A-Z]/g, ' $&').toLowerCase()}`
    return text.padEnd(min, '.').slice(0, max).trimEnd()
  },
  embeddable: true,
  // Limits count code points, each of which is one or two characters.
  charsMax: (spec) => 2 * (spec.max ?? Number.POSITIVE_INFINITY),
  contradiction({ min = 1, max, pattern, message }) {
    if (message !== undefined && (typeof message !== 'string' || pattern === undefined))
      return ['its message is for whoever sends what its pattern does not match', 'give it a pattern and a sentence']
    return sizeContradiction(min, max) ?? (pattern === undefined ? null : patternContradiction(pattern))
  },
}

const patternMessage = ({ pattern, message }: TextSpec): string => message ?? `Must match ${wholePattern(pattern!)}.`
