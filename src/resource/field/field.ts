// Fields: their types for authors, their specification at run time, and the interface of a field kind.

import { inspect } from 'node:util'
import type { Deprecating } from '../deprecation.ts'

declare const target: unique symbol
/** The id of a resource. Accepts any string, but not the id of another resource. */
export type Id<Name extends string> = string & { readonly [target]?: Name }
/** Any JSON object: the value of `json(…)`. */
export type JsonObject = { readonly [name: string]: unknown }

/**
 * `Value` is stored, `Input` is sent; `Need`: whether create requires it. Code, which may run without an actor, must give a
 * default actor.
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
/** The resource that a relation leads to; of an `either`, those of its relations. */
export type TargetOf<F extends Fields, N extends string> = F[N]['kind'] extends 'either'
  ? F[F[N]['by']]['target']
  : F[N]['target']
export type NeedOf<Default> = [Default] extends [never] ? 'needed' : 'free'

/** How a value is stored; adapters map these to SQL types. */
export type ColumnType = PlainType | DecimalType
export type PlainType = 'text' | 'integer' | 'boolean' | 'timestamp' | 'json' | 'date' | 'uuid' | 'bigint' | 'double'
export type DecimalType = `decimal(${number},${number})`
export type JsonSchema = { readonly [keyword: string]: unknown }

/** The field's previous name: its column is renamed and keeps its values. Or the column of its previous kind. */
export type Was = string | FormerKind

/**
 * The column that a field had when it was of another kind. Both columns are kept, each filled from the other, until
 * `duet migrate apply --finish`. (contract 18.4)
 */
export interface FormerKind {
  readonly column: string
  /** SQL that makes the new value of the former `value`, such as `upper(value)`. By default values are converted exactly. */
  readonly to?: string
  /** SQL that makes the former value of the new `value`. */
  readonly back?: string
}

export interface SpecBase {
  readonly kind: string
  readonly optional?: boolean
  readonly readOnly?: boolean
  /** Derived from a list of the record; read-only. (contract 13.2) */
  readonly isKept?: true
  /** Unique in the nearest tenant; in the named tenant; 'everywhere': in the service. */
  readonly unique?: boolean | string
  readonly default?: unknown
  readonly deprecated?: Deprecating
  readonly about?: string
  readonly was?: Was
  /** The name of its column, if the field had another name when it was made: nothing is renamed. (contract 18.1.8) */
  readonly column?: string
}

/** Reports a problem; `path` is relative to the checked value, such as `[2].quantity`. */
export type Problem = (path: string, message: string) => void
export type PartName = (part: string, spec: SpecBase) => string

export type Contradiction = readonly [problem: string, remedy: string]

/** A GraphQL scalar of texts that `check` validates, so that both faces report the same. */
export interface TextScalar {
  readonly name: string
  readonly about: string
  /** The clause of docs/contract.md that defines its form. */
  readonly clause: string
}

export type Comparing = 'not at all' | 'in order' | 'in time'

export interface ExamplePlace {
  readonly name: string
  /** `input`: without read-only parts. */
  readonly direction: 'answer' | 'input'
  readonly partName: PartName
  readonly idOf: (resource: string) => string
}

/** The interface of a field kind. A new kind is one file that exports one. */
export interface FieldKind<S extends SpecBase = SpecBase> {
  readonly column: ColumnType | null | { of(spec: S): ColumnType }
  /** Options besides `optional`; others are reported as mistakes. */
  readonly options: readonly string[]
  /** Validates input and returns the stored form; ignored after a problem. */
  check(spec: S, value: unknown, problem: Problem, partName: PartName): unknown
  /** For values from code, in the form of callbacks: a Date for a moment. Required if the forms differ. */
  checkValue?(spec: S, value: unknown, problem: Problem): unknown
  /** Converts JSON form to callback form, if they differ. A value in callback form is unchanged. */
  read?(spec: S, value: unknown): unknown
  /** The reverse. Leaves invalid values and values in JSON form unchanged. */
  write?(spec: S, value: unknown): unknown
  /**
   * Parses text as strictly as a body: reports digits that would be lost. Other invalid text is unchanged, for `check` to
   * refuse. (contract 7.2.9)
   */
  ofText?(text: string, problem: Problem): unknown
  /** Null if it is in range. */
  excess?(spec: S, value: unknown): string | null
  /** The type without the field's bounds, for values to compare with. */
  compared?(spec: S): SpecBase
  readonly compares?: Comparing | { of(spec: S): Comparing | null }
  /** The schema of a response, or with `input` of a request. */
  schema(spec: S, input: boolean, partName: PartName): JsonSchema
  /** The maximal stored length; without it values are short. */
  charsMax?(spec: S): number
  /** The GraphQL type of one value, without `!`. The schema names `enum`, `object` and `relation` types. */
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
  about?(field: string, holder: string): string
  /** A plausible JSON value, always the same; by default the initial one. */
  example?(spec: S, place: ExamplePlace): unknown
  /** The value if neither client nor definition gives one. Undefined: required. */
  initial?(spec: S): unknown
  /** May be used inside a list or an object. */
  readonly embeddable: boolean
  /** Nested specifications with their path: `[]` for list elements, `.price` for a part. */
  parts?(spec: S): readonly (readonly [path: string, of: SpecBase])[]
  /** Null if there is no contradiction. */
  contradiction?(spec: S): Contradiction | null
}

/** The inert value in a definition; its type carries more than the value. */
export const field = (kind: string, options: object = {}): never => ({ kind, ...options }) as never
export const specOf = (of: AnyField): SpecBase => of as unknown as SpecBase

/** Makes a field nullable: null in code, cleared by sending null. */
export const optional = <K extends string, V, I, N, T, B>(
  of: Field<K, V, I, N, T, B>,
): Field<K, V | null, I | null, 'free', T, B> => ({ ...of, optional: true }) as never

/** Databases cannot store NUL or half a surrogate pair. (contract 7.2.5) */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()
export const notStorable = 'Must not contain NUL or half a surrogate pair.'

export function sizeContradiction(min: unknown, max: unknown): Contradiction | null {
  if (max === undefined) return ['it has no max', 'set the largest length']
  if (!isCount(max) || max === 0) return [`its max ${shown(max)} is no length`, 'use a whole number, 1 or more']
  if (!isCount(min)) return [`its min ${shown(min)} is no length`, 'use a whole number']
  return min > max ? [`its min ${min} is more than its max ${max}`, 'lower one or raise the other'] : null
}
/** Formats any value for a message to the author. */
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
