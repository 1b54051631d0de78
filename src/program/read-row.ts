// From the JSON that a read plan prints to the row that callbacks see: moments are dates again.

import { invariant } from '../failure/failure.ts'
import type { SpecBase } from '../resource/field/field.ts'
import type { ResourceModel } from '../resource/model/model.ts'

type Members = Readonly<Record<string, unknown>>

/** One record, by the names of its definition. What its reader may not see is missing. */
export function readRow(resource: ResourceModel, json: string | null): Members {
  invariant(json !== null, 'nothing that is left out can be refused')
  return rowOf(resource, JSON.parse(json))
}

/** A list of them. */
export function readRows(resource: ResourceModel, json: string | null): readonly Members[] {
  invariant(json !== null, 'nothing that is left out can be refused')
  return (JSON.parse(json) as readonly Members[]).map((row) => rowOf(resource, row))
}

const rowOf = (resource: ResourceModel, row: Members): Members =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, readValue(resource.fields.get(name)!.spec, value)]),
  )

interface Spec extends SpecBase {
  readonly of?: Spec
  readonly fields?: Readonly<Record<string, Spec>>
}

function readValue(spec: Spec, value: unknown): unknown {
  if (value === null) return null
  if (spec.kind === 'timestamp') return new Date(value as string)
  if (spec.kind === 'list') return (value as readonly unknown[]).map((each) => readValue(spec.of!, each))
  if (spec.kind !== 'object') return value
  const parts = Object.entries(value as Members)
  return Object.fromEntries(parts.map(([name, each]) => [name, readValue(spec.fields![name]!, each)]))
}
