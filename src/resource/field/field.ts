// What a field is: its type for authors, its specification for the machine, and what each kind must be able to do.

import { inspect } from 'node:util'
import type { Deprecating } from '../deprecation.ts'

declare const target: unique symbol
/** The id of one resource. Any string will do, but the id of another resource will not. */
export type Id<Name extends string> = string & { readonly [target]?: Name }
/** An object as JSON has it, of any form: the value of `json(…)`. */
export type JsonObject = { readonly [name: string]: unknown }

/**
 * `Value` is what a record holds, `Input` what a client sends, `Need` whether create can do without it: the service's own
 * code cannot where the default is the actor, for it may run for nobody.
 */
export interface Field<
  out Kind extends string,
  out Value,
  out Input = Value,
  out Need = 'needed',
  out Target = never,
  out By = never,
> {
  readonly kind: Kind
  readonly target: Target
  readonly by: By
  readonly phantom: { readonly value: Value; readonly input: Input; readonly need: Need }
}
export type AnyField = Field<string, unknown, unknown, unknown, string, string>
export type Fields = { readonly [name: string]: AnyField }
/** `Default` is never where no default was given. */
export type NeedOf<Default> = [Default] extends [never] ? 'needed' : 'free'

/** How a value is stored. Adapters turn these into their own types. */
export type ColumnType = PlainType | DecimalType
export type PlainType = 'text' | 'integer' | 'boolean' | 'timestamp' | 'json' | 'date' | 'uuid' | 'bigint' | 'double'
/** So many digits, and so many of them behind the point. */
export type DecimalType = `decimal(${number},${number})`
/** A JSON Schema, draft 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** What a specification may say, whatever its kind. */
export interface SpecBase {
  readonly kind: string
  readonly optional?: boolean
  readonly readOnly?: boolean
  /** Follows from a list of the record's: only read, and written by whatever changes the list. (contract 13.2) */
  readonly isKept?: true
  /** In the nearest tenant of the record; in a tenant that is named; 'everywhere': in the whole service. */
  readonly unique?: boolean | string
  readonly default?: unknown
  readonly deprecated?: Deprecating
  /** What clients are told that it is, in a sentence or more; otherwise one is made of its name. */
  readonly about?: string
  /** The name that this field had before: its column is renamed, and keeps its values. */
  readonly was?: string
}

/** Reports one problem; `path` is relative to the value that is checked, such as `[2].quantity`. */
export type Problem = (path: string, message: string) => void
/** What a face calls the parts of an embedded object. */
export type PartName = (part: string, spec: SpecBase) => string

/** What is wrong, and what to do about it. */
export type Contradiction = readonly [problem: string, remedy: string]

/** A GraphQL scalar of ours. Its values are texts, whose form is for `check` to judge: so both faces say the same. */
export interface TextScalar {
  readonly name: string
  readonly about: string
  /** The clause of docs/contract.md that says its form. */
  readonly clause: string
}

/** How the values of a kind compare with each other: as the same or not, unless it says more or less. */
export type Comparing = 'not at all' | 'in order' | 'in time'

/** Where an example stands. */
export interface ExamplePlace {
  /** The name of its field. */
  readonly name: string
  /** `input`: as a client sends it, without the parts that are only answered. */
  readonly direction: 'answer' | 'input'
  readonly partName: PartName
  /** The id of a record of this resource, by its name. */
  readonly idOf: (resource: string) => string
}

/** What Duet must know of a kind of field. A new kind is one file that exports one of these. */
export interface FieldKind<S extends SpecBase = SpecBase> {
  /** Null for a kind that has no column in its own table; `of` where the type depends on what the specification says. */
  readonly column: ColumnType | null | { of(spec: S): ColumnType }
  /** What its specification may say besides `optional`: anything else is a slip of the pen. */
  readonly options: readonly string[]
  /** Checks what a client sent and answers it as a record holds it; what it answers after a problem is not used. */
  check(spec: S, value: unknown, problem: Problem, partName: PartName): unknown
  /**
   * The same of what a definition's own code gave, which is written as a record holds it: a moment is a Date. Needed by
   * kinds whose two forms differ.
   */
  checkValue?(spec: S, value: unknown, problem: Problem): unknown
  /** Turns a value as JSON has it into what callbacks see, where that is another. What they see stays as it is. */
  read?(spec: S, value: unknown): unknown
  /** The reverse. What does not fit, and what JSON has, stays as it is. */
  write?(spec: S, value: unknown): unknown
  /** The value that a query string, a path or a command spells so; what does not fit stays text, for `check` to refuse. */
  ofText?(text: string): unknown
  /** What is said of a value that is too large or too small for the field though code rightly worked it out; null where it is not. */
  excess?(spec: S, value: unknown): string | null
  /** `of` where it depends on what the specification says. */
  readonly compares?: Comparing | { of(spec: S): Comparing | null }
  /** What an answer's value looks like, and with `input` what a client may send. */
  schema(spec: S, input: boolean, partName: PartName): JsonSchema
  /** The most characters of a value as it is stored; without it a value is short. */
  charsMax?(spec: S): number
  /** The GraphQL type of one value, without its `!`. `enum`, `object` and `relation` types are named by the schema. */
  readonly graphql:
    | 'String'
    | 'Int'
    | 'Float'
    | 'Boolean'
    | 'ID'
    | 'JSON'
    | 'enum'
    | 'list'
    | 'object'
    | 'relation'
    | TextScalar
    | null
  /** What a field of this name is, of what this is a record of; otherwise the name itself says it. */
  about?(field: string, holder: string): string
  /** A plausible value as JSON has it, the same every time; without it, the one that the field has at first. */
  example?(spec: S, place: ExamplePlace): unknown
  /** The value of a new record where neither the client nor the definition gives one. Undefined: it is needed. */
  initial?(spec: S): unknown
  /** May stand inside a list or an object. */
  readonly embeddable: boolean
  /** The specifications inside this one, each with its path: `[]` for a list's elements, `.price` for an object's part. */
  parts?(spec: S): readonly (readonly [path: string, of: SpecBase])[]
  /** For an author whose options contradict each other, what is wrong and what to do; null when all is well. */
  contradiction?(spec: S): Contradiction | null
}

/** Makes the inert value that stands in a definition. Its type says more than the value holds. */
export const field = (kind: string, options: object = {}): never => ({ kind, ...options }) as never
/** The specification that a definition's field holds at run time. */
export const specOf = (of: AnyField): SpecBase => of as unknown as SpecBase

/** May be absent: null inside, and cleared by sending null. */
export const optional = <K extends string, V, I, N, T, B>(
  of: Field<K, V, I, N, T, B>,
): Field<K, V | null, I | null, 'free', T, B> => ({ ...of, optional: true }) as never

/** Whether text can be stored: no NUL, no half of a surrogate pair. (contract 7.2.5) */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()
export const notStorable = 'Must not contain NUL or half a surrogate pair.'

/** What is wrong with the limits of a length, and what to do; null when they are well. */
export function sizeContradiction(min: unknown, max: unknown): Contradiction | null {
  if (max === undefined) return ['it has no max', 'say how long it may be at most']
  if (!isCount(max) || max === 0) return [`its max ${shown(max)} is no length`, 'say a whole number, 1 or more']
  if (!isCount(min)) return [`its min ${shown(min)} is no length`, 'say a whole number']
  return min > max ? [`its min ${min} is more than its max ${max}`, 'lower one or raise the other'] : null
}
/** A value as a sentence for an author shows it, whatever it is. */
export const shown = (value: unknown): string =>
  inspect(value, { depth: 1, breakLength: Number.POSITIVE_INFINITY, maxStringLength: 40, maxArrayLength: 5 })
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

export const codePoints = (text: string): number => {
  let count = 0
  for (let at = 0; at < text.length; at++, count++) {
    const unit = text.charCodeAt(at)
    if (unit >= 0xd800 && unit < 0xdc00) at++
  }
  return count
}
