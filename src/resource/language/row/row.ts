// Types derived from fields: records as callbacks see them, and what may be written.

import type { Decimal } from '../../field/exact.ts'
import type { AnyField, Fields, Id } from '../../field/field.ts'

// `{ names: … }['names']` keeps the alias out of error messages, so that they list the names.
type Unwritable = 'many' | 'manyToMany' | 'argument' | 'password' | 'token'
type Unread = Unwritable | 'either'
export type Named<F extends Fields, Kind extends string> = {
  [N in keyof F]: F[N]['kind'] extends Kind ? N : never
}[keyof F] &
  string
/** What rules, lists and readers may use; code also reads secrets. */
export type Stored<F extends Fields> = {
  readonly names: { [N in keyof F]: F[N]['kind'] extends Unread | 'secret' ? never : N }[keyof F] & string
}['names']
/** What lists may be filtered by: an `either`, too. */
export type Comparable<F extends Fields> = {
  readonly names: { [N in keyof F]: F[N]['kind'] extends Unwritable | 'secret' ? never : N }[keyof F] & string
}['names']
export type Acceptable<F extends Fields> = {
  readonly names: { [N in keyof F]: [F[N]['phantom']['input']] extends [never] ? never : N }[keyof F] & string
}['names']
export type Nullable<F extends Fields> = {
  readonly names: { [N in keyof F]: null extends F[N]['phantom']['value'] ? N : never }[keyof F] & string
}['names']
export type StateOf<F extends Fields> = F[Named<F, 'state'>]['phantom']['value']

interface Common<Name extends string> {
  readonly id: Id<Name>
  readonly createdAt: Date
  readonly updatedAt: Date
}
/** One record, as callbacks see it. */
export type Row<Name extends string, F extends Fields> = {
  readonly [N in Stored<F> | Named<F, 'secret'>]: F[N]['phantom']['value']
} & Common<Name>
/** Kept numbers: derived from other records, read-only. */
export interface KeptKind {
  readonly kept: true
}
/** Computed fields that are stored, which lists use like any other. Each states its type and whether it is stored. */
export type WithStored<F extends Fields, Computed> = [keyof Computed] extends [never] ? F : F & StoredFields<Computed>
type StoredFields<Computed> = {
  readonly [N in keyof Computed & string as [Extract<Computed[N], true | { readonly revision: number }>] extends [never]
    ? never
    : N]: Extract<Computed[N], AnyField>
}
/** What code may write: everything stored except states and kept numbers, and an `either`, which stores its relations. */
export type Writable<F extends Fields> = {
  readonly names: {
    [N in keyof F]: F[N]['kind'] extends Unwritable | 'state' | 'counter' | KeptKind ? never : N
  }[keyof F] &
    string
}['names']
/** A value as code may give it: exact numbers also as text. */
export type Given<V> = V extends Decimal ? V | string : V
export type Change<F extends Fields> = { readonly [N in Writable<F>]?: Given<F[N]['phantom']['value']> }
type Needed<F extends Fields> = {
  readonly names: {
    [N in keyof F]: F[N]['kind'] extends 'argument' ? never : F[N]['phantom']['need'] extends 'free' ? never : N
  }[keyof F] &
    string
}['names']
/** What a record without a create action must have. */
export type Whole<F extends Fields> = Change<F> & {
  readonly [N in Extract<Needed<F>, Writable<F>>]: Given<F[N]['phantom']['value']>
}
export type New<F extends Fields> = Change<F> & { readonly [N in Needed<F>]: Given<F[N]['phantom']['value']> }
export type Input<F extends Fields, Stated> = {
  readonly [N in Extract<Stated, keyof F> as F[N]['kind'] extends 'many' | 'manyToMany'
    ? never
    : N]: F[N]['phantom']['input']
}
type Free<F extends Fields> = {
  [N in keyof F]: F[N]['phantom']['need'] extends 'free' | 'actor' ? N : never
}[keyof F] &
  string
/** What an action accepts, as callers send it. */
export type Sent<F extends Fields, Stated> = {
  readonly [N in Exclude<Extract<Stated, keyof F>, Free<F>> & keyof F]: Given<F[N]['phantom']['input']>
} & { readonly [N in Extract<Stated, Free<F>> & string]?: Given<F[N]['phantom']['input']> }
