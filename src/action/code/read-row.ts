// Parses the JSON of a read plan into the rows that callbacks see, with Dates.

import { invariant } from '../../failure/failure.ts'
import { readValue } from '../../resource/field/registry.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import { type Cipher, clearValue } from '../encrypted-value.ts'

type Members = Readonly<Record<string, unknown>>

/** By names of the definition. Hidden fields are omitted. */
export function readRow(resource: ResourceModel, json: string | null, cipher: Cipher): Members {
  invariant(json !== null, 'nothing that is left out can be refused')
  return rowOf(resource, JSON.parse(json), cipher)
}

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
