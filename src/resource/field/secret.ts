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
import { kindOf } from './registry.ts'

interface PasswordSpec extends SpecBase {
  readonly min: number
  readonly max: number
}
export interface TokenSpec extends SpecBase {
  readonly prefix: string
}
export interface ArgumentSpec extends SpecBase {
  readonly of: SpecBase
}

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
/** Made by the service, stored as a hash, answered once: in the answer to create. */
export const token = (options: {
  prefix: string
  was?: string
  about?: string
}): Field<'token', never, never, 'free'> => field('token', options)

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
  schema: (spec) => ({ type: 'string', format: 'password', minLength: spec.min, maxLength: spec.max, writeOnly: true }),
  embeddable: false,
  contradiction: (spec) => sizeContradiction(spec.min, spec.max),
}

export const argumentKind: FieldKind<ArgumentSpec> = {
  column: null,
  options: ['of'],
  graphql: null,
  check: (spec, value, problem, partName) => kindOf(spec.of).check(spec.of, value, problem, partName),
  schema: (spec, input, partName) => kindOf(spec.of).schema(spec.of, input, partName),
  embeddable: false,
  parts: (spec) => [['', spec.of]],
}

export const tokenKind: FieldKind<TokenSpec> = {
  column: 'text',
  options: ['prefix', 'was'],
  embeddable: false,
  graphql: null,
  check: (_, _value, problem) => problem('', 'Is made by the service.'),
  schema: () => ({ type: 'string', maxLength: 128 }),
  initial: () => null,
  contradiction: ({ prefix }) =>
    typeof prefix === 'string' && /^[a-z][a-z0-9_]{0,15}$/.test(prefix)
      ? null
      : [
          `its prefix ${shown(prefix)} is no beginning of a token`,
          'use up to 16 small letters, digits and underscores',
        ],
}
