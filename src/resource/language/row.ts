// What follows from fields: records as callbacks see them, and what may be written.

import type { Decimal } from '../field/decimal.ts'
import type { Fields, Id } from '../field/field.ts'

// `{ names: … }['names']` keeps the alias out of error messages, so that they list the names themselves.
type Unread = 'many' | 'manyToMany' | 'argument' | 'password' | 'token'
export type Named<F extends Fields, Kind extends string> = {
  [N in keyof F]: F[N]['kind'] extends Kind ? N : never
}[keyof F] &
  string
/** What rules, lists and readers may know; code has the secrets as well. */
export type Stored<F extends Fields> = {
  readonly names: { [N in keyof F]: F[N]['kind'] extends Unread | 'secret' ? never : N }[keyof F] & string
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
/** The kind of what follows from other records, and is only read. */
export interface KeptKind {
  readonly kept: true
}
/** What the service itself may write: anything stored but a state and what is counted. */
export type Writable<F extends Fields> = {
  readonly names: {
    [N in keyof F]: F[N]['kind'] extends Unread | 'state' | 'counter' | KeptKind ? never : N
  }[keyof F] &
    string
}['names']
/** What code may give for a value: text for an exact number. */
export type Given<V> = V extends Decimal ? V | string : V
export type Change<F extends Fields> = { readonly [N in Writable<F>]?: Given<F[N]['phantom']['value']> }
type Needed<F extends Fields> = {
  readonly names: {
    [N in keyof F]: F[N]['kind'] extends 'argument' ? never : F[N]['phantom']['need'] extends 'free' ? never : N
  }[keyof F] &
    string
}['names']
/** A complete new record. */
export type New<F extends Fields> = Change<F> & { readonly [N in Needed<F>]: Given<F[N]['phantom']['value']> }
export type Input<F extends Fields, Said> = {
  readonly [N in Extract<Said, keyof F> as F[N]['kind'] extends 'many' | 'manyToMany'
    ? never
    : N]: F[N]['phantom']['input']
}
type Free<F extends Fields> = {
  [N in keyof F]: F[N]['phantom']['need'] extends 'free' | 'actor' ? N : never
}[keyof F] &
  string
/** What an action accepts, as callers of it send it. */
export type Sent<F extends Fields, Said> = {
  readonly [N in Exclude<Extract<Said, keyof F>, Free<F>> & keyof F]: Given<F[N]['phantom']['input']>
} & { readonly [N in Extract<Said, Free<F>> & string]?: Given<F[N]['phantom']['input']> }
