// The third face: how the code of a service, in custom routes and reactions, reads and writes records. Each deed is a call
// of the runner, made for whoever calls and under every rule there is, or for the service itself.

import type { ListSource, RecordRoot, Runner, WriteCall } from '../action/call.ts'
import type { Cipher } from '../action/encrypted-value.ts'
import type { PageLimits } from '../action/list-page.ts'
import { fieldsOf, makeSelection } from '../action/record-selection.ts'
import { createRootCache } from '../action/root-cache.ts'
import { serviceForm } from '../action/service-form.ts'
import type { Deadline } from '../budget/deadline.ts'
import { invariant } from '../failure/failure.ts'
import { getOrInsert } from '../get-or-insert.ts'
import type { Limits } from '../limits.ts'
import type { Dialect } from '../read-plan/selection.ts'
import { type Asker, type Requester, type TheService, theService } from '../resource/actor.ts'
import { kindOf } from '../resource/field/registry.ts'
import type { AnyResource } from '../resource/language/any-resource.ts'
import type { ActionModel, FieldModel, Model, ResourceModel } from '../resource/model/model.ts'
import { asDefined, type Vocabulary } from '../resource/model/vocabulary.ts'
import { createListReader, type ListReader } from './list.ts'
import { readRow, readRows } from './read-row.ts'
import type { RouteRecords, Which } from './route-records.ts'
import type { ServiceRecords } from './service-records.ts'
import { writeInput } from './write-value.ts'

export interface RecordsDependencies {
  readonly model: Model
  readonly runner: Runner
  readonly dialect: Dialect
  readonly limits: PageLimits & Pick<Limits, 'plans'>
  /** Null where no resource has secrets. */
  readonly cipher: Cipher
}

/** On whose behalf records are read and written, and until when. */
export interface RecordsCaller<A extends Asker = Asker> {
  readonly actor: A
  /** Names the fields in failures of writes. */
  readonly vocabulary: Vocabulary
  readonly requestId: string
  readonly deadline: Deadline
}

/** What one request or reaction may do, until its deadline. */
export interface RecordsFor {
  (caller: RecordsCaller<Requester>): RouteRecords
  (caller: RecordsCaller<TheService>): ServiceRecords
}

export function createRecords(dependencies: RecordsDependencies): RecordsFor {
  const { model, runner, limits, cipher } = dependencies
  const roots = createRootCache(limits)
  const faces = new Map<string, ResourceFace>()
  const faceFor = ({ name }: AnyResource, actor: Asker): ResourceFace => {
    const resource = model.byName.get(name)
    invariant(resource !== undefined, `${name} is a resource of this service`)
    const secrets = actor === theService ? secretsOf(resource) : []
    return getOrInsert(faces, secrets.length === 0 ? name : `${name} with secrets`, () => makeFace(resource, secrets))
  }
  function makeFace(resource: ResourceModel, secrets: readonly FieldModel[]): ResourceFace {
    const of = makeSelection(resource, asDefined, { fields: [...fieldsOf(resource), ...secrets], can: false })
    const lists = createListReader(resource, of, { ...dependencies, roots })
    return {
      resource,
      record: { kind: 'record', of, etag: false },
      records: { kind: 'records', of, etag: false, scoped: false },
      source: { resource, within: null },
      lists,
    }
  }

  return (caller: RecordsCaller) => {
    const { actor, vocabulary, requestId, deadline } = caller
    const faceOf = (of: AnyResource) => faceFor(of, actor)
    const basis = { actor, lists: [], deadline } as const
    async function write({ resource, records }: ResourceFace, name: string, id: string | null, sent: object = {}) {
      const written = actionOf(resource, name)
      const action = actor === theService ? serviceForm(written, model.accounts.resource) : written
      invariant(action.kind !== 'collection', `${name} is about one of ${resource.path}`)
      const input = () => {
        const members = writeInput(action, sent, vocabulary)
        return { targets: [id === null ? { input: members } : { id, input: members }] }
      }
      const root = action.kind === 'delete' ? null : records
      const [record] = (await runner.write({ ...basis, action, input, vocabulary, root, requestId })).records
      return record === undefined ? undefined : readRow(resource, record.json, cipher)
    }
    const records = {
      async get(of: AnyResource, id: string) {
        const { resource, record } = faceOf(of)
        const { json } = await runner.record({ ...basis, resource, root: record, id })
        return readRow(resource, json, cipher)
      },
      async list(of: AnyResource, which: Which<AnyResource> = {}) {
        const { resource, source, lists } = faceOf(of)
        const input = () => lists.read(which, actor)
        const { json, hasNext } = await runner.list({ ...basis, source, vocabulary: asDefined, input })
        return { records: readRows(resource, json, cipher), hasNext }
      },
      async *each(of: AnyResource, which: Pick<Which<AnyResource>, 'where' | 'sort'> = {}) {
        const { resource, source, lists } = faceOf(of)
        let cursor: string | null = null
        do {
          const names = { ...which, cursor }
          const input = () => lists.read(names, actor)
          const page = await runner.list({ ...basis, source, vocabulary: asDefined, input })
          yield* readRows(resource, page.json, cipher)
          cursor = page.nextCursor
        } while (cursor !== null)
      },
      create: (of: AnyResource, input: object) => write(faceOf(of), 'create', null, input),
      update: (of: AnyResource, id: string, change: object) => write(faceOf(of), 'update', id, change),
      delete: async (of: AnyResource, id: string) => void (await write(faceOf(of), 'delete', id)),
      run: (of: AnyResource, id: string, move: string, input?: object) => write(faceOf(of), move, id, input),
    }
    // What a row holds is known to whoever wrote the resource; here it is any row.
    return records as never
  }
}

/** What only the service itself reads, and no face selects. */
const secretsOf = ({ columns }: ResourceModel): readonly FieldModel[] =>
  columns
    .filter(({ encrypted }) => encrypted)
    .map((column) => {
      const { field: name, spec, nullable } = column
      return { name, spec, kind: kindOf(spec), column, nullable, computed: null }
    })

/** How a resource is read here, made once so that its read plans are found again. */
interface ResourceFace {
  readonly resource: ResourceModel
  readonly record: RecordRoot
  readonly records: NonNullable<WriteCall['root']>
  readonly source: ListSource
  readonly lists: ListReader
}

function actionOf({ name, actions }: ResourceModel, action: string): ActionModel {
  const model = actions.get(action)
  invariant(model !== undefined, `${name} has the action ${action}`)
  return model
}
