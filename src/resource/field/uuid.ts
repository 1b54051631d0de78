// UUIDs of other systems: any version; accepted in either case, returned in lower case. (contract 11.1.2)

import { type Field, type FieldKind, field, type NeedOf, type Was } from './field.ts'

/** A UUID of RFC 9562, any version: text in lower case. */
export const uuid = <const D extends string = never>(
  options: { default?: D; unique?: true; was?: Was; column?: string; about?: string } = {},
): Field<'uuid', string, string, NeedOf<D>> => field('uuid', options)

const form = /^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/
const smallForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
export const isSmallUuid = (text: string): boolean => smallForm.test(text)

export const kind: FieldKind = {
  column: 'uuid',
  options: ['default', 'unique', 'was', 'column'],
  embeddable: true,
  graphql: {
    name: 'UUID',
    about: 'A UUID of RFC 9562, such as `0197a3c2-5b1e-7d40-9f3a-6c2e8b7d1f05`.',
    clause: '11.1.2',
  },
  check: (_, value, problem) =>
    typeof value === 'string' && form.test(value)
      ? value.toLowerCase()
      : problem('', 'Must be a UUID, such as 0197a3c2-5b1e-7d40-9f3a-6c2e8b7d1f05.'),
  example: () => '0197a3c2-5b1e-7d40-9f3a-6c2e8b7d1f05',
  schema: (_, input) => ({
    type: 'string',
    format: 'uuid',
    pattern: (input ? form : smallForm).source,
    maxLength: 36,
  }),
}
