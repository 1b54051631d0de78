// Relations to other records, by name, so that definitions never import each other in a ring.

import type { KeptKind } from '../language/row.ts'
import type { AccountName, AnyRule, RuleNode } from '../language/rule.ts'
import { type Field, type FieldKind, field, type Id, isStorable, notStorable, type SpecBase } from './field.ts'

export interface OneSpec extends SpecBase {
  readonly kind: 'one'
  readonly target: string
  /** Its target is the resource of accounts, whatever that is called. */
  readonly leadsToAccount?: true
  readonly onDelete?: 'cascade' | 'restrict'
  /** The record goes with the one that it names, though it need not name any. */
  readonly goesAlong?: true
  /** A new record has whoever creates it here, where nothing else is sent. */
  readonly isActor?: true
  /** What must hold of the record that is named, for whoever names it. */
  readonly into?: RuleNode
  /** The relations that it and the record must have in common. */
  readonly same?: string | readonly string[]
  /** Names a tenant that the record is in. */
  readonly isTenant?: true
  /** The relation whose record has this one too: a new record takes it from there. */
  readonly from?: string
}
export interface ManySpec extends SpecBase {
  readonly kind: 'many' | 'manyToMany'
  readonly target: string
  readonly by: string
}

export interface ActorDefault {
  readonly actor: true
}
/** The default of a relation to an account: whoever creates the record. */
export const actor: ActorDefault = { actor: true }

/**
 * A record goes when what it requires goes, or (`restrict`) keeps it from going. An optional relation is cleared. With
 * `default: actor` a new record has whoever creates it here, unless an action accepts the field and a client sends it.
 * `into` is a rule of the record that a client names here, `same` a relation that it must have in common with the record:
 * otherwise it is as if there were no such record (422 with the field). What `set`, effects and defaults write is not asked.
 * (contract 10.1.12, 10.1.13)
 *
 * `from` says that it is the tenant which a record has from what it is `within`, so that types know it too; nobody writes it.
 * (contract 10.2.2)
 */
export const one = <const T extends string, const D extends ActorDefault = never, const From extends string = never>(
  to: T,
  options: {
    onDelete?: 'cascade' | 'restrict'
    was?: string
    about?: string
    into?: AnyRule
    same?: string | readonly string[]
    from?: From
    default?: D &
      ([T] extends [AccountName] ? unknown : 'The actor is an account: only a relation to accounts has this default.')
  } = {},
): [From] extends [never]
  ? Field<'one', Id<T>, Id<T>, [D] extends [never] ? 'needed' : 'actor', T>
  : Field<'one' & KeptKind, Id<T>, never, 'free', T> => {
  const { default: initial, ...others } = options
  const actorDefault = initial === actor ? { isActor: true } : {}
  return field('one', { target: to, ...others, ...actorDefault, ...unlike(initial) }) as never
}
/** A relation of the library's own resources to whatever a service calls its accounts. */
export const toAccount = <const D extends ActorDefault = never>(
  options: { default?: D } = {},
): Field<'one', Id<AccountName>, Id<AccountName>, [D] extends [never] ? 'needed' : 'actor', AccountName> =>
  field('one', {
    target: 'User',
    leadsToAccount: true,
    ...(options.default === actor ? { isActor: true } : {}),
  })
/** Whatever else got past the compiler, for the contradictions to name. */
const unlike = (initial: unknown) => (initial === undefined || initial === actor ? {} : { default: initial })
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

/** Whether this field names a tenant that the record is in. */
export const isTenantField = (spec: SpecBase): boolean => (spec as OneSpec).isTenant === true
/** Whether the default of this field is the actor. */
export const isActorDefault = (spec: SpecBase): boolean => (spec as OneSpec).isActor === true

/** Longer than any id. */
export const idLengthMax = 64

export const oneKind: FieldKind<OneSpec> = {
  column: 'text',
  options: [
    'target',
    'onDelete',
    'was',
    'default',
    'isActor',
    'into',
    'same',
    'isTenant',
    'from',
    'goesAlong',
    'leadsToAccount',
  ],
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
  example: ({ target }, { idOf }) => idOf(target),
  schema: () => ({ type: 'string', maxLength: idLengthMax }),
  contradiction: (spec) =>
    spec.default === undefined ? null : ['its default is one record for all', 'write default: actor, or none'],
}

export const manyKind: FieldKind<ManySpec> = {
  column: null,
  options: ['target', 'by'],
  embeddable: false,
  graphql: 'relation',
  check: (_, _value, problem) => problem('', 'Cannot be written.'),
  schema: () => ({}),
}
