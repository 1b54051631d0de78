// Relations refer to resources by name, so that definition files never import each other in a cycle.

import type { KeptKind } from '../language/row/row.ts'
import type { AccountName, AnyRule, RuleNode } from '../language/rule/rule.ts'
import {
  type Field,
  type FieldKind,
  field,
  type Id,
  isStorable,
  notStorable,
  type SpecBase,
  type Was,
} from './field.ts'
import { anyText } from './text.ts'

export interface OneSpec extends SpecBase {
  readonly kind: 'one'
  readonly target: string
  readonly leadsToAccount?: true
  readonly onDelete?: 'cascade' | 'restrict'
  /** Deleted with its target, whether or not the caller may delete it. */
  readonly cascade?: 'regardless'
  /** Deleted with its target although it is optional. */
  readonly goesAlong?: true
  /** Stays when its target is deleted, and expires on its own. Library resources only. */
  readonly stays?: true
  readonly isActor?: true
  readonly into?: RuleNode
  readonly same?: string | readonly string[]
  readonly isTenant?: true
  /** The relation whose record provides the value on create. */
  readonly from?: string
  readonly tree?: true
}
export interface EitherSpec extends SpecBase {
  readonly kind: 'either'
  readonly of: readonly string[]
  /** The resources that they lead to; filled in when the definition is compiled. */
  readonly types?: readonly string[]
}
export interface ManySpec extends SpecBase {
  readonly kind: 'many' | 'manyToMany'
  readonly target: string
  readonly by: string
  /** The records above a record; never published. */
  readonly tree?: string
}

export interface ActorDefault {
  readonly actor: true
}
/** The default of a relation to an account: the creator of the record. */
export const actor: ActorDefault = { actor: true }

/**
 * Deleting the target deletes the record if the caller may delete that too (`onDelete: 'cascade'`), in any case (`cascade:
 * 'regardless'`) or is refused (`'restrict'`); an optional relation is cleared. (contract 2.5.7) `default: actor` names the
 * creator unless a client sends a value. `into` is a rule on the record a client names, `same` a relation it must share;
 * otherwise 422 with the field. Values from `set`, effects and defaults are not checked. (contract 10.1.12, 10.1.13) `from`
 * declares a read-only tenant that follows from `within`. (contract 10.2.2) `tree` makes a tree of one resource, without
 * cycles. (contract 10.3)
 */
export const one = <const T extends string, const D extends ActorDefault = never, const From extends string = never>(
  to: T,
  options: {
    onDelete?: 'cascade' | 'restrict'
    cascade?: 'regardless'
    was?: Was
    column?: string
    about?: string
    into?: AnyRule
    same?: string | readonly string[]
    from?: From
    tree?: true
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
export const toAccount = <const D extends ActorDefault = never>(
  options: { default?: D } = {},
): Field<'one', Id<AccountName>, Id<AccountName>, [D] extends [never] ? 'needed' : 'actor', AccountName> =>
  field('one', {
    target: 'User',
    leadsToAccount: true,
    cascade: 'regardless',
    ...(options.default === actor ? { isActor: true } : {}),
  })
/** Keeps invalid defaults for the contradictions to report. */
const unlike = (initial: unknown) => (initial === undefined || initial === actor ? {} : { default: initial })
/** The other end of `one`; `by` is that relation. */
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

/** The type and the id of a record: the value of `either(…)`. */
export interface TypedId {
  readonly type: string
  readonly id: string
}
/**
 * One of these optional relations to different resources: every record has exactly one, or at most one if `optional`. Actions
 * accept it, and lists filter by it, in place of its relations. (contract 11.6)
 */
export const either = <const B extends string>(
  of: readonly [B, B, ...B[]],
  options: { about?: string } = {},
): Field<'either', TypedId, TypedId, 'needed', never, B> => field('either', { of, ...options })

export const isEither = (spec: SpecBase): spec is EitherSpec => spec.kind === 'either'
export const isToMany = (spec: SpecBase | undefined): spec is ManySpec =>
  spec?.kind === 'many' || spec?.kind === 'manyToMany'
export const isTenantField = (spec: SpecBase): boolean => (spec as OneSpec).isTenant === true
/** Of this resource, and optional: the topmost record has none above it. */
export const isTreeField = (spec: SpecBase, holder: string): boolean => {
  const { kind, tree, target, optional } = spec as OneSpec
  return (kind as string) === 'one' && tree === true && target === holder && optional === true
}
export const isAbove = (spec: SpecBase): boolean => spec.kind === 'manyToMany' && 'tree' in spec
export const isActorDefault = (spec: SpecBase): boolean => (spec as OneSpec).isActor === true

/** Longer than any id. */
export const idLengthMax = 64

export const oneKind: FieldKind<OneSpec> = {
  column: 'text',
  options: [
    'target',
    'onDelete',
    'cascade',
    'was',
    'column',
    'column',
    'default',
    'isActor',
    'into',
    'same',
    'isTenant',
    'from',
    'goesAlong',
    'tree',
    'stays',
    'leadsToAccount',
  ],
  embeddable: true,
  graphql: 'relation',
  compared: () => anyText,
  // Malformed ids are treated like missing records, by the database.
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

export const eitherKind: FieldKind<EitherSpec> = {
  column: null,
  options: ['of', 'types'],
  embeddable: false,
  graphql: 'relation',
  check: ({ types }, value, problem) => {
    const { type, id } = (value ?? {}) as Partial<Readonly<Record<keyof TypedId, unknown>>>
    if (typeof value !== 'object' || Object.keys(value!).length !== 2 || type === undefined || id === undefined)
      return problem('', 'Must be an object with type and id.')
    if (!types!.includes(type as string)) return problem('.type', `Must be one of ${types!.join(', ')}.`)
    return {
      type,
      id: oneKind.check({ kind: 'one' } as OneSpec, id, (path, message) => problem(`.id${path}`, message), String),
    }
  },
  example: ({ types = [] }, { idOf }) => ({ type: types[0], id: idOf(types[0]!) }),
  schema: ({ types }) => ({
    type: 'object',
    additionalProperties: false,
    properties: {
      type: { type: 'string', enum: types, description: 'The type of the record.' },
      id: { type: 'string', maxLength: idLengthMax, description: 'Its id.' },
    },
    required: ['type', 'id'],
  }),
}
