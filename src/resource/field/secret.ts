// Write-only fields: secrets, passwords, tokens, arguments.

import {
  codePoints,
  type Field,
  type FieldKind,
  field,
  isStorable,
  notStorable,
  type SpecBase,
  shown,
  sizeContradiction,
} from './field.ts'
import { exampleOf, kindOf } from './registry.ts'

interface SecretSpec extends SpecBase {
  readonly max?: number
}
interface PasswordSpec extends SpecBase {
  readonly min: number
  readonly max: number
}
export interface TokenSpec extends SpecBase {
  readonly prefix: string
  readonly until?: string
  readonly maxUses?: number
  /** Moves that make it anew, and whose answers show it once. Library resources only. */
  readonly renewedBy?: readonly string[]
}
export interface ArgumentSpec extends SpecBase {
  readonly of: SpecBase
}

/**
 * Stored encrypted with `DATA_KEY` and never shown: a key for another service. Text in effects, reactions and for the service
 * itself. At most 1,000 characters by default. (contract 11.4.1)
 */
export const secret = (
  options: { max?: number; was?: string; column?: string; about?: string } = {},
): Field<'secret', string> => field('secret', options)
/** Stored as a hash and never shown. */
export const password = (options: {
  min: number
  max: number
  was?: string
  column?: string
  about?: string
}): Field<'password', never, string> => field('password', options)
/** Passed to the action that accepts it; neither stored nor shown. */
export const argument = <K extends string, V, I, N, T>(of: Field<K, V, I, N, T>): Field<'argument', never, I, N, T> => {
  const { optional, about } = of as unknown as SpecBase
  return field('argument', { of, ...(optional ? { optional } : {}), ...(about === undefined ? {} : { about }) })
}
/**
 * Generated, stored as a hash, and shown once: in the answer to create. For `hasToken` it expires at the time in the field `until`
 * and after `maxUses` writes; without these never. (contract 10.1.17)
 */
export const token = (options: {
  prefix: string
  until?: string
  maxUses?: number
  was?: string
  column?: string
  about?: string
}): Field<'token', never, never, 'free'> => field('token', options)

const secretMax = 1_000
export const secretKind: FieldKind<SecretSpec> = {
  column: 'text',
  options: ['max', 'was', 'column'],
  graphql: 'String',
  check({ max = secretMax }, value, problem) {
    if (typeof value !== 'string') return problem('', 'Must be text.')
    if (!isStorable(value)) return problem('', notStorable)
    if (value === '') return problem('', 'Must not be empty.')
    return codePoints(value) > max ? problem('', `At most ${max} characters.`) : value
  },
  example: (_, { name }) => `Some ${name.replace(/[A-Z]/g, ' $&').toLowerCase()}`,
  schema: ({ max = secretMax }) => ({ type: 'string', minLength: 1, maxLength: max, writeOnly: true }),
  compares: 'not at all',
  embeddable: false,
  contradiction: ({ max = secretMax }) => sizeContradiction(1, max),
}

export const passwordKind: FieldKind<PasswordSpec> = {
  column: 'text',
  options: ['min', 'max', 'was', 'column'],
  graphql: 'String',
  check(spec, value, problem) {
    if (typeof value !== 'string') return problem('', 'Must be text.')
    if (!isStorable(value)) return problem('', notStorable)
    const length = codePoints(value)
    if (length < spec.min) return problem('', `At least ${spec.min} characters.`)
    return length > spec.max ? problem('', `At most ${spec.max} characters.`) : value
  },
  example: ({ min, max }) => 'correct horse battery staple'.padEnd(min, '.').slice(0, max).trimEnd(),
  schema: (spec) => ({ type: 'string', format: 'password', minLength: spec.min, maxLength: spec.max, writeOnly: true }),
  embeddable: false,
  contradiction: (spec) => sizeContradiction(spec.min, spec.max),
}

export const argumentKind: FieldKind<ArgumentSpec> = {
  column: null,
  options: ['of'],
  graphql: null,
  check: (spec, value, problem, partName) => kindOf(spec.of).check(spec.of, value, problem, partName),
  example: ({ of }, place) => exampleOf(of, place),
  schema: (spec, input, partName) => kindOf(spec.of).schema(spec.of, input, partName),
  embeddable: false,
  parts: (spec) => [['', spec.of]],
}

export const tokenKind: FieldKind<TokenSpec> = {
  column: 'text',
  options: ['prefix', 'until', 'maxUses', 'was', 'column', 'renewedBy'],
  embeddable: false,
  graphql: null,
  check: (_, _value, problem) => problem('', 'Is made by the service.'),
  example: ({ prefix }) => `${prefix}${'A'.repeat(43)}`,
  schema: () => ({ type: 'string', maxLength: 128 }),
  initial: () => null,
  contradiction({ prefix, maxUses = 1, renewedBy = [] }) {
    if (typeof prefix !== 'string' || !/^[a-z][a-z0-9_]{0,15}$/.test(prefix))
      return [
        `its prefix ${shown(prefix)} is no beginning of a token`,
        'use up to 16 small letters, digits and underscores',
      ]
    if (!Array.isArray(renewedBy))
      return [`its renewedBy ${shown(renewedBy)} is no list of moves`, "write renewedBy: ['rotate']"]
    return Number.isInteger(maxUses) && maxUses >= 1 && maxUses <= usesMax
      ? null
      : [`its maxUses ${shown(maxUses)} is no number of uses`, `use a whole number from 1 to ${usesMax}`]
  },
}
const usesMax = 2 ** 31 - 1
