// One of a few words. A choice is sent by clients; a state moves only through actions.

import { type Field, type FieldKind, field, type SpecBase } from './field.ts'

interface ChoiceSpec extends SpecBase {
  readonly values: readonly string[]
}

export const choice = <const V extends string, const D extends V = never>(
  values: readonly V[],
  options?: { default?: D; was?: string },
): Field<'choice', V, V, [D] extends [never] ? 'needed' : 'free'> => field('choice', { values, ...options })
/** Moves only through actions with `from` and `to`; the first value is where a new record starts. */
export function state<const V extends string>(...values: readonly V[]): Field<'state', V, never, 'free'>
export function state<const V extends string>(
  values: readonly V[],
  options: { was: string },
): Field<'state', V, never, 'free'>
export function state(...said: readonly unknown[]): never {
  const [values, options] = Array.isArray(said[0]) ? said : [said, {}]
  return field('state', { values, ...(options as object) })
}

export const kind: FieldKind<ChoiceSpec> = {
  column: 'text',
  graphql: 'enum',
  check: (spec, value, problem) =>
    typeof value === 'string' && spec.values.includes(value)
      ? value
      : problem('', `Must be one of ${spec.values.join(', ')}.`),
  schema: (spec) => ({ type: 'string', enum: spec.values }),
  initial: (spec) => (spec.kind === 'state' ? spec.values[0] : undefined),
  contradiction: (spec) =>
    spec.values.length === 0
      ? 'it has no values'
      : new Set(spec.values).size < spec.values.length
        ? 'it names a value twice'
        : null,
}
