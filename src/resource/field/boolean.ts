// Yes or no.

import { words } from '../naming/casing.ts'
import { type Field, type FieldKind, field, type NeedOf, type Was } from './field.ts'

/** True or false; `"true"` and 1 are VALIDATION_ERROR. */
export const boolean = <const D extends boolean = never>(options?: {
  default?: D
  was?: Was
  column?: string
  about?: string
}): Field<'boolean', boolean, boolean, NeedOf<D>> => field('boolean', options)

export const kind: FieldKind = {
  column: 'boolean',
  options: ['default', 'was', 'column'],
  embeddable: true,
  graphql: 'Boolean',
  check: (_, value, problem) => (typeof value === 'boolean' ? value : problem('', 'Must be true or false.')),
  ofText: (text) => text === 'true' || (text === 'false' ? false : text),
  about: (field, holder) => `Whether the ${holder} is ${words(field).replace(/^is /, '')}.`,
  example: (spec) => spec.default ?? true,
  schema: () => ({ type: 'boolean' }),
}
