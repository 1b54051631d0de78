// The third face: how the code of a service, in custom routes and reactions, reads and writes records. Each deed is a call
// of the runner, made for whoever calls and under every rule there is, or for the service itself.

import type { Act, FinishRecords } from '../action/act.ts'
import { aggregateInput, summedColumn } from '../action/aggregate.ts'
import type { ListInput, Runner } from '../action/call.ts'
import type { CodeFace, CodeFaces, CodeList } from '../action/code-face.ts'
import { serviceForm } from '../action/service-form.ts'
import type { ReadSql } from '../action/sql.ts'
import { tenantOf } from '../action/tenant-role.ts'
import type { Deadline } from '../budget/deadline.ts'
import { invariant } from '../failure/failure.ts'
import { type Asker, isService, type Requester, type TheService, theService } from '../resource/actor.ts'
import type { AnyResource } from '../resource/language/any-resource.ts'
import type { Column } from '../resource/model/column.ts'
import type { ActionModel, Model, ResourceModel } from '../resource/model/model.ts'
import { asDefined, type Vocabulary } from '../resource/model/vocabulary.ts'
import type { Matching as MatchingOf, RouteRecords, Which } from './route-records.ts'
import type { ServiceRecords } from './service-records.ts'
import { writeInput } from './write-value.ts'

export interface RecordsDependencies {
  readonly model: Model
  readonly runner: Runner
  readonly codeFaces: CodeFaces
  /** What the service itself does in one transaction. */
  readonly act: Act
  readonly readSql: ReadSql
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
  const { model, act, readSql } = dependencies
  const recordsFor = (caller: RecordsCaller): unknown => {
    const { actor } = caller
    const faceOf = ({ name }: AnyResource): CodeFace => {
      const resource = model.byName.get(name)
      invariant(resource !== undefined, `${name} is a resource of this service`)
      return dependencies.codeFaces(resource, actor)
    }
    const records = { ...readsOf(faceOf, caller, dependencies), ...writesOf(faceOf, caller, dependencies) }
    // What a row holds is known to whoever wrote the resource; here it is any row.
    if (actor !== theService) return records as never
    const within = (tenant: string) =>
      recordsFor({ ...caller, actor: { inside: { id: tenant, resource: tenantOf(tenant, model).name } } })
    const sql = (strings: TemplateStringsArray, ...values: readonly unknown[]) =>
      readSql({ strings, values }, caller.deadline)
    return { ...records, once: onceOf(act), sql, within } as never
  }
  return recordsFor as RecordsFor
}

type Matching = MatchingOf<AnyResource>

type FaceOf = (of: AnyResource) => CodeFace

function readsOf(faceOf: FaceOf, { actor, deadline }: RecordsCaller, { runner }: RecordsDependencies) {
  const basis = { actor, lists: [], deadline } as const
  const listCall = (
    { source, lists }: CodeFace,
    which: CodeList,
    of: (input: ListInput) => ListInput = (same) => same,
  ) => ({
    ...basis,
    source,
    vocabulary: asDefined,
    input: () => of(lists.read(which, actor)),
  })
  const aggregate = (face: CodeFace, which: Matching, sum: Column | null) =>
    runner.aggregate(listCall(face, which, (input) => aggregateInput(input, sum)))
  return {
    async get(of: AnyResource, id: string) {
      const { resource, record, row } = faceOf(of)
      const { json } = await runner.record({ ...basis, resource, root: record, id })
      return row(json)
    },
    async list(of: AnyResource, which: Which<AnyResource> = {}) {
      const face = faceOf(of)
      const { json, hasNext } = await runner.list(listCall(face, which))
      return { records: face.rows(json), hasNext }
    },
    async *each(of: AnyResource, which: Pick<Which<AnyResource>, 'filter' | 'where' | 'search' | 'sort'> = {}) {
      const face = faceOf(of)
      let cursor: string | null = null
      do {
        const page: Awaited<ReturnType<Runner['list']>> = await runner.list(listCall(face, { ...which, cursor }))
        yield* face.rows(page.json)
        cursor = page.nextCursor
      } while (cursor !== null)
    },
    count: (of: AnyResource, which: Matching = {}) => aggregate(faceOf(of), which, null),
    async sum(of: AnyResource, field: string, which: Matching = {}) {
      const face = faceOf(of)
      return await aggregate(face, which, summedColumn(face.resource, field))
    },
  }
}

function writesOf(faceOf: FaceOf, caller: RecordsCaller, { model, runner }: RecordsDependencies) {
  const { actor, vocabulary, requestId, deadline } = caller
  const basis = { actor, lists: [], deadline } as const
  async function write({ resource, records, row }: CodeFace, name: string, id: string | null, sent: object = {}) {
    const written = actionOf(resource, name)
    const action = isService(actor) ? serviceForm(written, model.accounts.resource) : written
    invariant(action.kind !== 'collection', `${name} is about one of ${resource.path}`)
    const input = () => {
      const members = writeInput(action, sent, vocabulary)
      return { targets: [id === null ? { input: members } : { id, input: members }] }
    }
    const root = action.kind === 'delete' ? null : records
    const [record] = (await runner.write({ ...basis, action, input, vocabulary, root, requestId })).records
    return record === undefined ? undefined : row(record.json)
  }
  return {
    create: (of: AnyResource, input: object) => write(faceOf(of), 'create', null, input),
    update: (of: AnyResource, id: string, change: object) => write(faceOf(of), 'update', id, change),
    delete: async (of: AnyResource, id: string) => void (await write(faceOf(of), 'delete', id)),
    run: (of: AnyResource, id: string, move: string, input?: object) => write(faceOf(of), move, id, input),
  }
}

const onceOf = (act: Act) => async (key: string, work: (records: FinishRecords) => Promise<unknown>) => {
  let isDone = false
  await act(async (records) => {
    isDone = await records.once(key, work as never)
  })
  return isDone
}

function actionOf({ name, actions }: ResourceModel, action: string): ActionModel {
  const model = actions.get(action)
  invariant(model !== undefined, `${name} has the action ${action}`)
  return model
}
