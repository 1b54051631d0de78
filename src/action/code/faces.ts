// What code reads of each resource.

import { getOrInsert } from '../../cache/get-or-insert.ts'
import { invariant } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import type { Dialect } from '../../read-plan/selection.ts'
import { isService } from '../../resource/actor.ts'
import { kindOf, readValue } from '../../resource/field/registry.ts'
import type { FieldModel, Model, ResourceModel } from '../../resource/model/model.ts'
import { asDefined, restVocabulary } from '../../resource/model/vocabulary.ts'
import type { CodeFace, CodeFaces } from '../code-face.ts'
import { type Cipher, clearValue } from '../encrypted-value.ts'
import type { PageLimits } from '../question/list-page.ts'
import type { WhereLimits } from '../question/where/meter.ts'
import { fieldsOf, makeSelection } from '../record-selection.ts'
import { createRootCache } from '../root-cache.ts'
import { createListReader } from './list.ts'
import { createSummaryReader } from './summary.ts'

export interface FacesDependencies {
  readonly dialect: Dialect
  readonly versions: Model['versions']
  readonly limits: PageLimits & WhereLimits & Pick<Limits, 'plans' | 'planBytes'>
  /** Null if no resource has secrets. */
  readonly cipher: Cipher
}

export function createFaces(dependencies: FacesDependencies): CodeFaces {
  const { limits, cipher } = dependencies
  const roots = createRootCache(limits)
  const textVocabulary = restVocabulary(dependencies.versions.at(-1)!)
  const faces = new Map<string, CodeFace>()
  function makeFace(resource: ResourceModel, secrets: readonly FieldModel[]): CodeFace {
    const of = makeSelection(resource, asDefined, {
      fields: [...fieldsOf(resource), ...secrets],
      links: [],
      can: false,
    })
    const readers = { ...dependencies, roots, textVocabulary }
    return {
      resource,
      record: { kind: 'record', of, etag: false },
      records: { kind: 'records', of, etag: false, scoped: false },
      source: { resource, within: null },
      lists: createListReader(resource, of, readers),
      summary: createSummaryReader(resource, readers),
      row: (json) => rowOf(resource, parsed(json) as Members, cipher),
      rows: (json) => (parsed(json) as readonly Members[]).map((row) => rowOf(resource, row, cipher)),
    }
  }
  return (resource, caller) => {
    const secrets = isService(caller) ? secretsOf(resource) : []
    const key = secrets.length === 0 ? resource.name : `${resource.name} with secrets`
    return getOrInsert(faces, key, () => makeFace(resource, secrets))
  }
}

/** Only the service itself reads them. */
const secretsOf = ({ columns }: ResourceModel): readonly FieldModel[] =>
  columns
    .filter(({ encrypted }) => encrypted)
    .map((column) => {
      const { field: name, spec, nullable } = column
      return { name, spec, kind: kindOf(spec), column, nullable, computed: null }
    })

type Members = Readonly<Record<string, unknown>>

function parsed(json: string | null): unknown {
  invariant(json !== null, 'nothing that is left out can be refused')
  return JSON.parse(json)
}

/** As callbacks see it, with Dates, by names of the definition. Hidden fields are omitted. */
const rowOf = (resource: ResourceModel, row: Members, cipher: Cipher): Members =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const column = resource.column.get(name)
      if (column?.encrypted) return [name, clearValue(column, value, resource, row['id'] as string, cipher)]
      return [name, readValue(resource.fields.get(name)!.spec, value)]
    }),
  )
