// Where a specification finds its kind. Lists and objects hold fields of other kinds, so they ask here as everyone does.

import type { FieldKind, JsonSchema, PartName, Problem, SpecBase } from './field.ts'

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

/** Ids, moments, numbers and the words of a choice have no more characters. */
const shortChars = 64

/** The most characters of a value as it is stored. Ids are fields of no kind. */
export const charsMaxOf = (spec: SpecBase): number => kinds.get(spec.kind)?.charsMax?.(spec) ?? shortChars

/** The most characters of a value as a part of JSON text, where a character may become an escape of six. */
export const jsonCharsMaxOf = (spec: SpecBase): number =>
  kinds.get(spec.kind)?.column === 'text' ? 6 * charsMaxOf(spec) : charsMaxOf(spec)

/** The value where a client says nothing. Undefined: the client must say something. */
export const initialValue = (spec: SpecBase): unknown =>
  spec.default ?? (spec.optional ? null : kindOf(spec).initial?.(spec))

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
