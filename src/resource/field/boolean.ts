// Yes or no.

import { type Field, type FieldKind, field, type NeedOf } from './field.ts'

/** True or false, and nothing that looks like them: `"true"` and 1 are VALIDATION_ERROR. */
export const boolean = <const D extends boolean = never>(options?: {
  default?: D
  was?: string
  about?: string
}): Field<'boolean', boolean, boolean, NeedOf<D>> => field('boolean', options)

export const kind: FieldKind = {
  column: 'boolean',
  options: ['default', 'was'],
  embeddable: true,
  graphql: 'Boolean',
  check: (_, value, problem) => (typeof value === 'boolean' ? value : problem('', 'Must be true or false.')),
  schema: () => ({ type: 'boolean' }),
}
