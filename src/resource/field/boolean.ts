// Yes or no.

import { type Field, type FieldKind, field, type NeedOf } from './field.ts'

export const boolean = <const O extends { default?: boolean; was?: string }>(
  options?: O,
): Field<'boolean', boolean, boolean, NeedOf<O>> => field('boolean', options)

export const kind: FieldKind = {
  column: 'boolean',
  graphql: 'Boolean',
  check: (_, value, problem) => (typeof value === 'boolean' ? value : problem('', 'Must be true or false.')),
  schema: () => ({ type: 'boolean' }),
}
