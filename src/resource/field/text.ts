// Text, plain or with a format: e-mail addresses, URLs, codes of currencies, countries and languages, scopes. Lengths count code points. (contract 4.3.7)

import { countryCodes } from '../code/country-codes.ts'
import { currencyCodes } from '../code/currency-codes.ts'
import { languageCodes } from '../code/language-codes.ts'
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
  type Was,
} from './field.ts'
import { matches, type Pattern, patternContradiction, wholePattern } from './pattern.ts'

type Format = 'email' | 'url' | 'currency' | 'country' | 'language' | 'scope'
interface TextSpec extends SpecBase {
  readonly min?: number
  readonly max?: number
  readonly format?: Format
  readonly pattern?: Pattern
  readonly message?: string
  /** Library resources only. */
  readonly example?: string
}

/**
 * Text of `min` (default 1) to `max` characters. All of it must match `pattern`, without flags except `u`; otherwise clients
 * get `message`. A pattern whose matching time is not linear stops the start. (contract 11.3.1)
 */
export const text = <const D extends string = never>(options: {
  min?: number
  max: number
  pattern?: string | RegExp
  message?: string
  unique?: true | string
  default?: D
  was?: Was
  column?: string
  about?: string
}): Field<'text', string, string, NeedOf<D>> => field('text', options)
/** An e-mail address, lower-cased. */
export const email = (
  options: { unique?: true | string; was?: Was; column?: string; about?: string } = {},
): Field<'text', string> => field('text', { format: 'email', max: 254, ...options })
export const isEmail = ({ kind, format }: SpecBase & { readonly format?: unknown }): boolean =>
  kind === 'text' && format === 'email'
/** An absolute http or https URL. */
export const url = (options: { was?: Was; column?: string; about?: string } = {}): Field<'text', string> =>
  field('text', { format: 'url', max: 2_048, ...options })
/** A code of ISO 4217, such as `EUR`, or for metals, funds and tests `XAU` and `XTS`. */
export const currency = (options: { was?: Was; column?: string; about?: string } = {}): Field<'text', string> =>
  field('text', { format: 'currency', max: 3, ...options })
/** A country of ISO 3166-1 by its code of two letters, such as `AT`. (contract 11.1.11) */
export const country = (options: { was?: string; column?: string; about?: string } = {}): Field<'text', string> =>
  field('text', { format: 'country', max: 2, ...options })
/** A language of ISO 639 by its shortest code: `de`, or of three letters where it has none of two, `gsw`. (contract 11.1.11) */
export const language = (options: { was?: string; column?: string; about?: string } = {}): Field<'text', string> =>
  field('text', { format: 'language', max: 3, ...options })

/** A permission of an API key: `read:posts`, `read:*`, `*`. (contract 5.3.2) */
export const scope = (options: { about?: string } = {}): Field<'text', string> =>
  field('text', { format: 'scope', max: 100, ...options })

// A dot-atom, one @, a domain with a dot (RFC 5322 3.4.1); only delivery proves an address. The u flag would match the Kelvin
// sign as a k: another address.
const atom = "[a-z0-9!#$%&'*+/=?^_`{|}~-]+"
const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const emailForm = new RegExp(`^(?=[^@]{1,64}@)${atom}(?:\\.${atom})*@(?:${label}\\.)+${label}$`, 'i')
// Whether resource and action exist is not checked here.
const scopeForm = /^(?:\*|[a-z][A-Za-z0-9]*:(?:\*|[a-z][a-z0-9]*(?:-[a-z0-9]+)*))$/

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
    normal: (value) => (currencyCodes.has(value) ? value : null),
    schema: { pattern: '^[A-Z]{3}$' },
    example: 'EUR',
  },
  country: {
    problem: 'Must be a country code of ISO 3166-1.',
    normal: (value) => (countryCodes.has(value) ? value : null),
    schema: { pattern: '^[A-Z]{2}$' },
    example: 'AT',
  },
  language: {
    problem: 'Must be a language code of ISO 639.',
    normal: (value) => (languageCodes.has(value) ? value : null),
    schema: { pattern: '^[a-z]{2,3}$' },
    example: 'de',
  },
  scope: {
    problem: 'Must be a scope such as read:posts, read:* or *.',
    normal: (value) => (scopeForm.test(value) ? value : null),
    schema: { pattern: scopeForm.source },
    example: 'read:*',
  },
}

// ASCII only (RFC 3986 2), without user name or password.
const isWebAddress = (value: string): boolean => webForm.test(value) && URL.canParse(value)
const webText = (also: string) => `(?:[a-z0-9._~!$&'()*+,;=:@/${also}-]|%[0-9a-f]{2})*`
const webForm = new RegExp(
  `^https?://[a-z0-9.:[\\]_~-]+(?:/${webText('')})?(?:\\?${webText('?')})?(?:#${webText('?')})?$`,
  'i',
)

export const anyText: SpecBase & { readonly min: number } = { kind: 'text', min: 0 }

export const kind: FieldKind<TextSpec> = {
  column: 'text',
  options: ['min', 'max', 'format', 'pattern', 'message', 'unique', 'default', 'was', 'column', 'example'],
  graphql: 'String',
  compared: () => anyText,
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
  example({ format, example, min = 1, max = 200 }, { name, direction }) {
    if (example !== undefined) return example
    // Not an address that is already registered in the examples.
    if (format === 'email' && direction === 'input') return 'grace@example.com'
    if (format !== undefined) return formats[format].example
    const text = `Some ${name.replace(/[A-Z]/g, ' $&').toLowerCase()}`
    return text.padEnd(min, '.').slice(0, max).trimEnd()
  },
  embeddable: true,
  // Limits count code points, of one or two characters each.
  charsMax: (spec) => 2 * (spec.max ?? Number.POSITIVE_INFINITY),
  contradiction({ min = 1, max, pattern, message }) {
    if (message !== undefined && (typeof message !== 'string' || pattern === undefined))
      return ['its message is for values that its pattern does not match', 'give it a pattern and a sentence']
    return sizeContradiction(min, max) ?? (pattern === undefined ? null : patternContradiction(pattern))
  },
}

const patternMessage = ({ pattern, message }: TextSpec): string => message ?? `Must match ${wholePattern(pattern!)}.`
