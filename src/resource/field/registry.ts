// Where a specification finds its kind. Lists and objects hold fields of other kinds, so they ask here as everyone does.

import { getOrInsert } from '../../cache/get-or-insert.ts'
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

/** What can be done with a specification of this kind. */
export function kindOf(spec: SpecBase): FieldKind {
  const kind = kinds.get(spec.kind)
  if (kind === undefined) throw new Error(`There is no kind of field called ${spec.kind}.`)
  return kind
}

/** How its values are stored; null where it has no column in its own table. */
export function columnTypeOf(spec: SpecBase): ColumnType | null {
  const { column } = kindOf(spec)
  return typeof column === 'object' && column !== null ? column.of(spec) : column
}

/** How its values compare; null where only as the same or not. */
export function comparesOf(spec: SpecBase): Comparing | null {
  const { compares = null } = kindOf(spec)
  return typeof compares === 'object' && compares !== null ? compares.of(spec) : compares
}

/** Whether its values are words, such as a query string can hold. */
export const isWord = (spec: SpecBase): boolean =>
  isKind(spec.kind) && kindOf(spec).embeddable && comparesOf(spec) !== 'not at all'

/** Whether a list of its values can be searched for one: they are texts in JSON, and no two texts are one value. */
export function isSearchable(spec: SpecBase): boolean {
  const type = isWord(spec) ? columnTypeOf(spec) : null
  return type === 'text' || type === 'date' || type === 'uuid'
}

/** A value as JSON has it, null included, as callbacks see it. Ids are fields of no kind. */
export function readValue(spec: SpecBase, value: unknown): unknown {
  return value === null || !isTranslated(spec) ? value : kindOf(spec).read!(spec, value)
}

/** The reverse. */
export function writeValue(spec: SpecBase, value: unknown): unknown {
  return value === null || value === undefined || !isTranslated(spec) ? value : kindOf(spec).write!(spec, value)
}

/** Whether callbacks see its values, or what is inside of them, in another form than JSON has. */
export const isTranslated = (spec: SpecBase): boolean =>
  getOrInsert(translated, spec, () => {
    const kind = kinds.get(spec.kind)
    if (kind?.read === undefined) return false
    return kind.parts?.(spec).some(([, of]) => isTranslated(of)) ?? true
  })
const translated = new WeakMap<SpecBase, boolean>()

/** A value that arrives as text, as JSON would have written it. What does not fit stays text, and is refused as that. */
export const valueOfText = (text: string, spec: SpecBase): unknown => kindOf(spec).ofText?.(text) ?? text

/** A value that a field of this name may have, as JSON has it. */
export const exampleOf = (spec: SpecBase, place: ExamplePlace): unknown =>
  kindOf(spec).example?.(spec, place) ?? writeValue(spec, initialValue(spec))

/** Ids, moments, numbers and the words of a choice have no more characters. */
const shortChars = 64

/** The most characters of a value as it is stored. Ids are fields of no kind. */
export const charsMaxOf = (spec: SpecBase): number => kinds.get(spec.kind)?.charsMax?.(spec) ?? shortChars

/** What a field of this name is, of what `holder` calls; null where the name itself says it. Ids are fields of no kind. */
export const aboutOf = (spec: SpecBase, field: string, holder: string): string | null =>
  kinds.get(spec.kind)?.about?.(field, holder) ?? null

/** The most characters of a value as a part of JSON text, where a character may become an escape of six. */
export const jsonCharsMaxOf = (spec: SpecBase): number =>
  kinds.has(spec.kind) && columnTypeOf(spec) === 'text' ? 6 * charsMaxOf(spec) : charsMaxOf(spec)

/** The value where a client says nothing. Undefined: the client must say something. */
export const initialValue = (spec: SpecBase): unknown =>
  defaultValue(spec) ?? (spec.optional ? null : kindOf(spec).initial?.(spec))

/** The default of a definition as callbacks see it; one that does not fit, which stops the start, as it is. */
export const defaultValue = (spec: SpecBase): unknown =>
  spec.default === undefined
    ? undefined
    : getOrInsert(defaults, spec, () => (checkValue(spec, spec.default, () => undefined) ?? spec.default) as {})
// Every new record asks for them.
const defaults = new WeakMap<SpecBase, {}>()

/** Checks what a definition's own code gave, null included, and answers it as a record holds it. */
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

/** The schema of a value that may be null where its field is optional. */
export function valueSchema(spec: SpecBase, input: boolean, partName: PartName): JsonSchema {
  const schema = kindOf(spec).schema(spec, input, partName)
  if (!spec.optional) return schema
  const { enum: values } = schema as { enum?: readonly unknown[] }
  return { ...schema, type: [schema['type'], 'null'], ...(values === undefined ? {} : { enum: [...values, null] }) }
}
