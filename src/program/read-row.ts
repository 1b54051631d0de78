// From the JSON that a read plan prints to the row that callbacks see: moments are dates again.

import { type Cipher, clearValue } from '../action/encrypted-value.ts'
import { invariant } from '../failure/failure.ts'
import { readValue } from '../resource/field/registry.ts'
import type { ResourceModel } from '../resource/model/model.ts'

type Members = Readonly<Record<string, unknown>>

/** One record, by the names of its definition. What its reader may not see is missing. */
export function readRow(resource: ResourceModel, json: string | null, cipher: Cipher): Members {
  invariant(json !== null, 'nothing that is left out can be refused')
  return rowOf(resource, JSON.parse(json), cipher)
}

/** A list of them. */
export function readRows(resource: ResourceModel, json: string | null, cipher: Cipher): readonly Members[] {
  invariant(json !== null, 'nothing that is left out can be refused')
  return (JSON.parse(json) as readonly Members[]).map((row) => rowOf(resource, row, cipher))
}

const rowOf = (resource: ResourceModel, row: Members, cipher: Cipher): Members =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const column = resource.column.get(name)
      if (column?.encrypted) return [name, clearValue(column, value, resource, row['id'] as string, cipher)]
      return [name, readValue(resource.fields.get(name)!.spec, value)]
    }),
  )
