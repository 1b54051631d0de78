// Compiles an operation's tree and list shapes to calls that lack only values. Done once per document, directives' outcome and list
// shapes; read plans are cached by its roots.

import type { GraphQLObjectType } from 'graphql'
import type { ListRoot, ListSource } from '../../action/call.ts'
import { writeSelectionRoot } from '../../action/question/write-selection.ts'
import type { RouteDefinition } from '../../custom-route/definition.ts'
import type { ListShape, Root, ValueShape } from '../../read-plan/selection.ts'
import type { SummaryRoot } from '../../read-plan/summary.ts'
import type { KeyModel } from '../../resource/model/column.ts'
import type { ActionModel, EventModel, ResourceModel } from '../../resource/model/model.ts'
import type { RootMeaning, WriteTargets } from '../schema/meaning.ts'
import type { BoundSite } from './list-arguments.ts'
import { connectionParts, objectShape, SelectionBuilder } from './selection.ts'
import type { Branch, Tree, TreeField } from './tree.ts'

/** A root of a read plan, with the operation's lists in the order of its slots. */
export interface Reading<R extends Root = Root> {
  readonly root: R
  readonly lists: readonly number[]
}
export type RecordReading = Reading<Extract<Root, { kind: 'record' }>>
export type ListReading = Reading<Extract<Root, { kind: 'list' }>>
export type RecordsReading = Reading<Extract<Root, { kind: 'records' }>>

export type RootCall = { readonly field: TreeField } & (
  | { readonly is: 'typename'; readonly json: string }
  | { readonly is: 'introspection' }
  | {
      readonly is: 'record' | 'me'
      readonly resource: ResourceModel
      readonly key?: KeyModel | undefined
      readonly reading: RecordReading
    }
  | { readonly is: 'upsert' | 'upsertMany'; readonly resource: ResourceModel; readonly reading: RecordsReading }
  | {
      readonly is: 'result'
      readonly resource: ResourceModel
      readonly reading: RecordReading
      readonly missing: Branch
      readonly refused: Branch
    }
  | { readonly is: 'anything'; readonly readings: ReadonlyMap<string, RecordReading> }
  | { readonly is: 'list'; readonly source: ListSource; readonly reading: ListReading }
  | { readonly is: 'summary'; readonly resource: ResourceModel; readonly shape: SummaryRoot }
  | { readonly is: 'event'; readonly event: EventModel; readonly reading: RecordsReading }
  | {
      readonly is: 'write'
      readonly action: ActionModel
      readonly targets: WriteTargets
      readonly selection: ListRoot | null
      readonly reading: RecordsReading | null
    }
  /** The shape is null if it answers nothing. */
  | { readonly is: 'route'; readonly route: RouteDefinition; readonly shape: ValueShape | null }
)

export function compileRoots(
  tree: Tree,
  bound: readonly BoundSite[],
  rootType: GraphQLObjectType,
  byGraphqlName: ReadonlyMap<string, ResourceModel>,
): readonly RootCall[] {
  const shapes = bound.map(({ shape }) => shape)
  return tree.roots.map((field): RootCall => {
    const meaning = field.meaning as RootMeaning | undefined
    if (meaning?.is === 'summary')
      return { is: 'summary', field, resource: meaning.resource, shape: bound[field.list]!.summary!.shape }
    if (meaning !== undefined) return compileRoot(field, meaning, shapes, byGraphqlName)
    return field.field.name === '__typename'
      ? { is: 'typename', field, json: JSON.stringify(rootType.name) }
      : { is: 'introspection', field }
  })
}

function compileRoot(
  field: TreeField,
  meaning: Exclude<RootMeaning, { is: 'summary' }>,
  shapes: readonly ListShape[],
  byGraphqlName: ReadonlyMap<string, ResourceModel>,
): RootCall {
  const { below } = field
  switch (meaning.is) {
    case 'record':
    case 'me': {
      const { is, resource } = meaning
      const key = 'key' in meaning ? meaning.key : undefined
      return { is, field, resource, key, reading: readRecord(resource, below[0]!, shapes) }
    }
    case 'result': {
      const { resource } = meaning
      const [record, missing, refused] = below as readonly [Branch, Branch, Branch]
      return { is: 'result', field, resource, reading: readRecord(resource, record, shapes), missing, refused }
    }
    case 'anything': {
      const readings = below.map(({ type, fields }) => {
        const resource = byGraphqlName.get(type.name)!
        return [resource.prefix, readRecord(resource, { type, fields }, shapes)] as const
      })
      return { is: 'anything', field, readings: new Map(readings) }
    }
    case 'connection':
    case 'array': {
      const { resource, query } = meaning
      const source = { resource, within: null, query }
      return { is: 'list', field, source, reading: readList(field, meaning, shapes) }
    }
    case 'upsert':
    case 'upsertMany': {
      const { is, resource } = meaning
      return { is, field, resource, reading: readRecords(field, resource, shapes, true) }
    }
    case 'route': {
      const [branch] = below
      return { is: 'route', field, route: meaning.route, shape: branch === undefined ? null : objectShape(branch) }
    }
    case 'event': {
      const { is, event } = meaning
      if (event.changed.length > 0) return { is, field, event, reading: readChanged(field, event.resource, shapes) }
      const { root, lists } = readRecords(field, event.resource, shapes)
      const asOf = event.isDeletion ? 'untilDeleted' : 'now'
      return { is, field, event, reading: { root: { ...root, asOf }, lists } }
    }
    case 'write': {
      const { action, targets } = meaning
      const selection = targets === 'bulk' ? writeSelectionRoot(shapes[field.list]!) : null
      const isAnswered = targets !== 'bulk' && action.kind !== 'delete'
      const reading = isAnswered ? readRecords(field, action.resource, shapes, true) : null
      return { is: 'write', field, action, targets, selection, reading }
    }
  }
}

function readRecord(resource: ResourceModel, branch: Branch, shapes: readonly ListShape[]): RecordReading {
  const builder = new SelectionBuilder(shapes)
  return { root: { kind: 'record', of: builder.record(resource, branch), etag: false }, lists: builder.lists }
}

function readList(
  { below, list }: TreeField,
  { is, resource }: Extract<RootMeaning, { resource: ResourceModel }>,
  shapes: readonly ListShape[],
): ListReading {
  const builder = new SelectionBuilder(shapes)
  const branch = below[0]!
  const parts =
    is === 'connection'
      ? connectionParts(branch, (each) => builder.record(resource, each))
      : ({ as: 'array', of: builder.record(resource, branch) } as const)
  // Counting takes a statement, so only if selected. (contract 4.8.2)
  const total = branch.fields.some(({ meaning }) => meaning?.is === 'totalCount')
  return { root: { kind: 'list', list: shapes[list]!, within: null, parts, total }, lists: builder.lists }
}

/** The record of a write or an event, which has checked the access to it. */
function readRecords(
  { below }: TreeField,
  resource: ResourceModel,
  shapes: readonly ListShape[],
  isWritten = false,
): RecordsReading {
  const builder = new SelectionBuilder(shapes)
  const of = builder.record(resource, below[0]!, isWritten)
  return { root: { kind: 'records', of, etag: false, scoped: false }, lists: builder.lists }
}

function readChanged({ below }: TreeField, resource: ResourceModel, shapes: readonly ListShape[]): RecordsReading {
  const builder = new SelectionBuilder(shapes)
  const of = builder.change(resource, below[0]!)
  const previous = of.parts.flatMap((part) => (part.kind === 'previous' ? part.parts : []))
  const relations = new Set(previous.map(({ field }) => (field === null ? undefined : resource.relations.get(field))))
  const references = [...relations].filter((each) => each?.kind === 'one')
  return { root: { kind: 'records', of, etag: false, scoped: false, previous: references }, lists: builder.lists }
}
