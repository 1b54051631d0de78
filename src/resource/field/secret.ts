// What is accepted or made and never answered: passwords, tokens, arguments.

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
}
export interface ArgumentSpec extends SpecBase {
  readonly of: SpecBase
}

/**
 * Accepted, stored encrypted with `DATA_KEY`, never answered: a key for another service. Code has it as text, in effects and
 * reactions and as the service itself. At most 1,000 characters unless `max` says otherwise. (contract 11.4.1)
 */
export const secret = (options: { max?: number; was?: string; about?: string } = {}): Field<'secret', string> =>
  field('secret', options)
/** Accepted, stored as a hash, never answered. */
export const password = (options: {
  min: number
  max: number
  was?: string
  about?: string
}): Field<'password', never, string> => field('password', options)
/** Accepted, handed to the action that accepts it, neither stored nor answered. */
export const argument = <K extends string, V, I, N, T>(of: Field<K, V, I, N, T>): Field<'argument', never, I, N, T> => {
  const { optional, about } = of as unknown as SpecBase
  return field('argument', { of, ...(optional ? { optional } : {}), ...(about === undefined ? {} : { about }) })
}
/**
 * Made by the service, stored as a hash, answered once: in the answer to create. For rules that ask for it (`hasToken`) it ends
 * at the moment of the record's field `until`, and once it has let `maxUses` writes through; without them it does not end.
 * (contract 10.1.17)
 */
export const token = (options: {
  prefix: string
  until?: string
  maxUses?: number
  was?: string
  about?: string
}): Field<'token', never, never, 'free'> => field('token', options)

const secretMax = 1_000
export const secretKind: FieldKind<SecretSpec> = {
  column: 'text',
  options: ['max', 'was'],
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
  options: ['min', 'max', 'was'],
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
  options: ['prefix', 'until', 'maxUses', 'was'],
  embeddable: false,
  graphql: null,
  check: (_, _value, problem) => problem('', 'Is made by the service.'),
  example: ({ prefix }) => `${prefix}${'A'.repeat(43)}`,
  schema: () => ({ type: 'string', maxLength: 128 }),
  initial: () => null,
  contradiction({ prefix, maxUses = 1 }) {
    if (typeof prefix !== 'string' || !/^[a-z][a-z0-9_]{0,15}$/.test(prefix))
      return [
        `its prefix ${shown(prefix)} is no beginning of a token`,
        'use up to 16 small letters, digits and underscores',
      ]
    return Number.isInteger(maxUses) && maxUses >= 1 && maxUses <= usesMax
      ? null
      : [`its maxUses ${shown(maxUses)} is no number of uses`, `use a whole number from 1 to ${usesMax}`]
  },
}
/** What both databases count to. */
const usesMax = 2 ** 31 - 1
