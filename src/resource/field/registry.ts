// Looks up the kind of a specification: lists and objects contain fields of other kinds.

import { memoize } from '../../cache/memoize.ts'
import type {
  ColumnType,
  Comparing,
  ExamplePlace,
  FieldKind,
  JsonSchema,
  PartName,
  Problem,
  SpecBase,
} from './field.ts'

const kinds = new Map<string, FieldKind>()

export function registerKinds(all: Readonly<Record<string, FieldKind>>): void {
  for (const [name, kind] of Object.entries(all)) kinds.set(name, kind)
}

export const isKind = (name: unknown): boolean => typeof name === 'string' && kinds.has(name)

export function kindOf(spec: SpecBase): FieldKind {
  const kind = kinds.get(spec.kind)
  if (kind === undefined) throw new Error(`There is no kind of field named ${spec.kind}.`)
  return kind
}

export function columnTypeOf(spec: SpecBase): ColumnType | null {
  const { column } = kindOf(spec)
  return typeof column === 'object' && column !== null ? column.of(spec) : column
}

/** Null: only for equality. */
export function comparesOf(spec: SpecBase): Comparing | null {
  const { compares = null } = kindOf(spec)
  return typeof compares === 'object' && compares !== null ? compares.of(spec) : compares
}

/** The specification of values it compares with. (contract 12.1.15) */
export const comparedOf = memoize((spec: SpecBase): SpecBase => kindOf(spec).compared?.(spec) ?? spec)

export const isWord = (spec: SpecBase): boolean =>
  isKind(spec.kind) && kindOf(spec).embeddable && comparesOf(spec) !== 'not at all'

/** Whether lists of it support `contains`: JSON texts with one spelling per value. */
export function isSearchable(spec: SpecBase): boolean {
  const type = isWord(spec) ? columnTypeOf(spec) : null
  return type === 'text' || type === 'date' || type === 'uuid'
}

/** Converts JSON form to callback form. Ids have no kind. */
export function readValue(spec: SpecBase, value: unknown): unknown {
  return value === null || !isTranslated(spec) ? value : kindOf(spec).read!(spec, value)
}

export function writeValue(spec: SpecBase, value: unknown): unknown {
  return value === null || value === undefined || !isTranslated(spec) ? value : kindOf(spec).write!(spec, value)
}

/** Whether JSON form and callback form differ, also in nested values. */
export const isTranslated = memoize((spec: SpecBase): boolean => {
  const kind = kinds.get(spec.kind)
  if (kind?.read === undefined) return false
  return kind.parts?.(spec).some(([, of]) => isTranslated(of)) ?? true
})

/** Invalid text is unchanged. */
export const valueOfText = (text: string, spec: SpecBase, problem: Problem = () => {}): unknown =>
  kindOf(spec).ofText?.(text, problem) ?? text

/** The result is ignored after a problem. */
export function checkText(spec: SpecBase, text: string, problem: Problem, partName: PartName): unknown {
  let isSound = true
  const value = valueOfText(text, spec, (path, message) => {
    isSound = false
    problem(path, message)
  })
  return isSound ? kindOf(spec).check(spec, value, problem, partName) : undefined
}

export const exampleOf = (spec: SpecBase, place: ExamplePlace): unknown =>
  kindOf(spec).example?.(spec, place) ?? writeValue(spec, initialValue(spec))

const shortChars = 64

/** Ids have no kind. */
export const charsMaxOf = (spec: SpecBase): number => kinds.get(spec.kind)?.charsMax?.(spec) ?? shortChars

/** Null if the name alone is enough. Ids have no kind. */
export const aboutOf = (spec: SpecBase, field: string, holder: string): string | null =>
  kinds.get(spec.kind)?.about?.(field, holder) ?? null

/** The maximal length inside JSON text, where a character may become an escape of six. */
export const jsonCharsMaxOf = (spec: SpecBase): number =>
  kinds.has(spec.kind) && columnTypeOf(spec) === 'text' ? 6 * charsMaxOf(spec) : charsMaxOf(spec)

export const initialValue = (spec: SpecBase): unknown =>
  defaultValue(spec) ?? (spec.optional ? null : kindOf(spec).initial?.(spec))

/** An invalid one, reported at the start, is unchanged. */
export const defaultValue = (spec: SpecBase): unknown => (spec.default === undefined ? undefined : validDefault(spec))
const validDefault = memoize(
  (spec: SpecBase) => (checkValue(spec, spec.default, () => undefined) ?? spec.default) as {},
)

export function checkValue(spec: SpecBase, value: unknown, problem: Problem): unknown {
  if (value === null) {
    if (spec.optional !== true) problem('', 'Must not be null.')
    return null
  }
  const kind = kindOf(spec)
  return kind.checkValue === undefined
    ? kind.check(spec, value, problem, (part) => part)
    : kind.checkValue(spec, value, problem)
}

export function valueSchema(spec: SpecBase, input: boolean, partName: PartName): JsonSchema {
  const schema = kindOf(spec).schema(spec, input, partName)
  if (!spec.optional) return schema
  const { enum: values } = schema as { enum?: readonly unknown[] }
  return { ...schema, type: [schema['type'], 'null'], ...(values === undefined ? {} : { enum: [...values, null] }) }
}
