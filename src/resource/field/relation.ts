// Relations to other records, by name, so that definitions never import each other in a ring.

import { type Field, type FieldKind, field, type Id, isStorable, notStorable, type SpecBase } from './field.ts'

export interface OneSpec extends SpecBase {
  readonly kind: 'one'
  readonly target: string
  readonly onDelete?: 'cascade' | 'restrict'
}
export interface ManySpec extends SpecBase {
  readonly kind: 'many' | 'manyToMany'
  readonly target: string
  readonly by: string
}

/** A record goes when what it requires goes, or (`restrict`) keeps it from going. An optional relation is cleared. */
export const one = <const T extends string>(
  to: T,
  options: { onDelete?: 'cascade' | 'restrict'; was?: string; about?: string } = {},
): Field<'one', Id<T>, Id<T>, 'needed', T> => field('one', { target: to, ...options })
/** The other end of `one`: `by` is the relation that leads back. */
export const many = <const T extends string, const B extends string>(
  of: T,
  by: B,
  options: { about?: string } = {},
): Field<'many', never, never, 'free', T, B> => field('many', { target: of, by, ...options })
/** Both ends name each other. */
export const manyToMany = <const T extends string, const B extends string>(
  of: T,
  inverse: B,
  options: { about?: string } = {},
): Field<'manyToMany', never, never, 'free', T, B> => field('manyToMany', { target: of, by: inverse, ...options })

/** Longer than any id. */
export const idLengthMax = 64

export const oneKind: FieldKind<OneSpec> = {
  column: 'text',
  options: ['target', 'onDelete', 'was'],
  embeddable: true,
  graphql: 'relation',
  // Whether such a record exists is a question for the database: a text that is no id is a record that is missing.
  check: (_, value, problem) =>
    typeof value !== 'string'
      ? problem('', 'Must be an id.')
      : value.length > idLengthMax
        ? problem('', `At most ${idLengthMax} characters.`)
        : isStorable(value)
          ? value
          : problem('', notStorable),
  schema: () => ({ type: 'string', maxLength: idLengthMax }),
}

export const manyKind: FieldKind<ManySpec> = {
  column: null,
  options: ['target', 'by'],
  embeddable: false,
  graphql: 'relation',
  check: (_, _value, problem) => problem('', 'Cannot be written.'),
  schema: () => ({}),
}
