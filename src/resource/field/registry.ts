// Where a specification finds its kind. Lists and objects hold fields of other kinds, so they ask here as everyone does.

import type { FieldKind, SpecBase } from './field.ts'

const kinds = new Map<string, FieldKind>()

export function registerKinds(all: Readonly<Record<string, FieldKind>>): void {
  for (const [name, kind] of Object.entries(all)) kinds.set(name, kind)
}

/** What can be done with a specification of this kind. */
export function kindOf(spec: SpecBase): FieldKind {
  const kind = kinds.get(spec.kind)
  if (kind === undefined) throw new Error(`There is no kind of field called ${spec.kind}.`)
  return kind
}
