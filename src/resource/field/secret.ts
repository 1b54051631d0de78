// What is accepted or made and never answered: passwords, tokens, arguments.

import { codePoints, type Field, type FieldKind, field, type SpecBase } from './field.ts'
import { kindOf } from './registry.ts'

interface PasswordSpec extends SpecBase {
  readonly min: number
  readonly max: number
}
export interface ArgumentSpec extends SpecBase {
  readonly of: SpecBase
}

/** Accepted, stored as a hash, never answered. */
export const password = (options: { min: number; max: number; was?: string }): Field<'password', never, string> =>
  field('password', options)
/** Accepted, handed to the action that accepts it, neither stored nor answered. */
export const argument = <K extends string, V, I, N, T>(of: Field<K, V, I, N, T>): Field<'argument', never, I, N, T> =>
  field('argument', { of, ...((of as unknown as SpecBase).optional ? { optional: true } : {}) })
/** Made by the service, stored as a hash, answered once: in the answer to create. */
export const token = (options: { prefix: string; was?: string }): Field<'token', never, never, 'free'> =>
  field('token', options)

export const passwordKind: FieldKind<PasswordSpec> = {
  column: 'text',
  graphql: 'String',
  check(spec, value, problem) {
    if (typeof value !== 'string') return problem('', 'Must be text.')
    const length = codePoints(value)
    if (length < spec.min) return problem('', `At least ${spec.min} characters.`)
    return length > spec.max ? problem('', `At most ${spec.max} characters.`) : value
  },
  schema: (spec) => ({ type: 'string', format: 'password', minLength: spec.min, maxLength: spec.max, writeOnly: true }),
}

export const argumentKind: FieldKind<ArgumentSpec> = {
  column: null,
  graphql: null,
  check: (spec, value, problem, partName) => kindOf(spec.of).check(spec.of, value, problem, partName),
  schema: (spec, input, partName) => kindOf(spec.of).schema(spec.of, input, partName),
}

export const tokenKind: FieldKind = {
  column: 'text',
  graphql: null,
  check: (_, _value, problem) => problem('', 'Is made by the service.'),
  schema: () => ({ type: 'string', maxLength: 128 }),
  initial: () => null,
}
