// The third face: `records` for custom routes and reactions. Each method is a call of the runner, as the caller or as the service
// itself.

import type { Deadline } from '../../budget/deadline.ts'
import { invariant } from '../../failure/failure.ts'
import type { SummaryRoot } from '../../read-plan/summary.ts'
import { type Caller, isService, type Requester, type TheService, theService } from '../../resource/actor.ts'
import type { AnyResource } from '../../resource/language/row/any-resource.ts'
import type { ActionModel, Model, ResourceModel } from '../../resource/model/model.ts'
import { asDefined, type Vocabulary } from '../../resource/model/vocabulary.ts'
import type { ListInput, RequestOrigin, Runner } from '../call.ts'
import type { CodeFace, CodeFaces, CodeList } from '../code-face.ts'
import { aggregateInput } from '../question/aggregate.ts'
import { requireFields } from '../row/fit.ts'
import { tenantOf } from '../row/tenant-role.ts'
import type { Act } from './own-records.ts'
import { type ResourceReference, readsBy, type Values } from './reads.ts'
import type { RouteRecords } from './route-records.ts'
import { serviceForm } from './service-form.ts'
import type { ServiceRecords } from './service-records.ts'
import type { ReadSql } from './sql.ts'
import { writeInput } from './write-value.ts'

export interface RecordsDependencies {
  readonly model: Model
  readonly runner: Runner
  readonly codeFaces: CodeFaces
  /** One transaction as the service itself. */
  readonly act: Act
  readonly readSql: ReadSql
}

/** Who reads and writes, and until when. */
export interface RecordsCaller<A extends Caller = Caller> {
  readonly actor: A
  /** Names fields in failures of writes. */
  readonly vocabulary: Vocabulary
  /** Null for code that no request runs, and for the service itself. */
  readonly request: RequestOrigin | null
  readonly deadline: Deadline
}

/** For one request or reaction, until its deadline. */
export interface RecordsFor {
  (caller: RecordsCaller<Requester>): RouteRecords
  (caller: RecordsCaller<TheService>): ServiceRecords
}

export function createRecords(dependencies: RecordsDependencies): RecordsFor {
  const { model, act, readSql } = dependencies
  const recordsFor = (caller: RecordsCaller): unknown => {
    const { actor } = caller
    const faceOf = ({ name }: ResourceReference): CodeFace => {
      const resource = model.byName.get(name)
      invariant(resource !== undefined, `${name} is a resource of this service`)
      return dependencies.codeFaces(resource, actor)
    }
    const records = { ...readsOf(faceOf, caller, dependencies), ...writesOf(faceOf, caller, dependencies) }
    // Rows are typed by the resource's definition; here they are any rows.
    if (actor !== theService) return records as never
    const within = (tenant: string) =>
      recordsFor({ ...caller, actor: { inside: { id: tenant, resource: tenantOf(tenant, model).name } } })
    const sql = (strings: TemplateStringsArray, ...values: readonly unknown[]) =>
      readSql({ strings, values }, caller.deadline)
    const once = (key: string, work: (own: unknown) => Promise<unknown>) => act((own) => own.once(key, work))
    const upsert = (of: AnyResource, key: Values, values: Values) => act((own) => own.upsert(of, key, values))
    return { ...records, once, upsert, sql, within } as never
  }
  return recordsFor as RecordsFor
}

type FaceOf = (of: ResourceReference) => CodeFace

function readsOf(faceOf: FaceOf, { actor, deadline }: RecordsCaller, { runner }: RecordsDependencies) {
  const basis = { actor, lists: [], deadline } as const
  const call = (
    { source, lists }: CodeFace,
    which: CodeList,
    of: (input: ListInput) => ListInput = (same) => same,
  ) => ({
    ...basis,
    source,
    vocabulary: asDefined,
    input: () => of(lists.read(which, actor)),
  })
  return readsBy({
    faceOf,
    async record({ resource, record, row }, id) {
      const { json } = await runner.record({ ...basis, resource, root: record, id })
      return row(json)
    },
    async page(face, which) {
      const { json, hasNext, nextCursor } = await runner.list(call(face, which))
      return { rows: face.rows(json), hasNext, nextCursor }
    },
    async summary({ resource, summary }, which) {
      let shape: SummaryRoot | undefined
      const input = () => {
        const read = summary.read(which, actor)
        if ('shape' in read) shape = read.shape
        return read
      }
      const { json, hasNext } = await runner.summary({ ...basis, resource, vocabulary: asDefined, input })
      return { groups: summary.groups(json, shape!), hasNext }
    },
    total: (face, which, aggregate) => runner.aggregate(call(face, which, (input) => aggregateInput(input, aggregate))),
  })
}

function writesOf(faceOf: FaceOf, caller: RecordsCaller, { model, runner }: RecordsDependencies) {
  const { actor, vocabulary, request, deadline } = caller
  const basis = { actor, lists: [], deadline } as const
  async function write({ resource, records, row }: CodeFace, name: string, id: string | null, sent: object = {}) {
    const written = actionOf(resource, name)
    const action = isService(actor) ? serviceForm(written, model.accounts.resource) : written
    invariant(action.kind !== 'collection', `${name} is about one of ${resource.path}`)
    requireFields(`${resource.name}.${name}`, sent)
    const input = () => {
      const members = writeInput(action, sent, vocabulary)
      return { targets: [id === null ? { input: members } : { id, input: members }] }
    }
    const root = action.kind === 'delete' ? null : records
    const [record] = (await runner.write({ ...basis, action, input, vocabulary, root, request })).records
    return record === undefined ? undefined : row(record.json)
  }
  return {
    create: (of: AnyResource, input: object) => write(faceOf(of), 'create', null, input),
    update: (of: AnyResource, id: string, change: object) => write(faceOf(of), 'update', id, change),
    delete: async (of: AnyResource, id: string) => void (await write(faceOf(of), 'delete', id)),
    run: (of: AnyResource, id: string, move: string, input?: object) => write(faceOf(of), move, id, input),
  }
}

function actionOf({ name, actions }: ResourceModel, action: string): ActionModel {
  const model = actions.get(action)
  invariant(model !== undefined, `${name} has the action ${action}`)
  return model
}
