// Carries out a write. One code path for one target and for many; each stage runs over all targets before the next.

import { Failure, invariant } from '../failure/failure.ts'
import { type RecordAnswer, runRecords } from '../read-plan/run.ts'
import type { Actor } from '../resource/actor.ts'
import { type Condition, holds } from '../resource/condition.ts'
import type { ActionModel, LinkRelation, OneRelation } from '../resource/model.ts'
import { valuesOf } from '../store/sql/text.ts'
import type { WriteStatements } from '../store/sql/write-statements.ts'
import type { Program } from '../store/store.ts'
import type { WriteCall, WriteOutcome } from './call.ts'
import type { Change, EmittedEvent, OtherChange, RunnerContext } from './context.ts'
import { changeRecord, recordsOf } from './effect.ts'
import { type KeyUse, keepKey, replayed } from './idempotency.ts'
import { requireInvariants } from './invariant.ts'
import { type Loaded, loadReadable, type RowValues, requireFound } from './load.ts'
import { callerOf, changesOf, type MomentGiven, requireRule, requireState } from './move.ts'
import { requireRange } from './range.ts'
import { insertRecord, newRecord } from './record.ts'
import { requireLiving, requireReferences } from './reference.ts'
import { remove } from './remove.ts'
import { stage } from './stage.ts'
import type { ValidInput } from './validate.ts'

/** A write that has passed everything which needs no database. */
export interface CheckedWrite {
  readonly call: WriteCall
  readonly now: Date
  /** What `allow` still asks of each record. */
  readonly condition: Condition
  /** What the rules of single fields still ask, for each target. */
  readonly fieldConditions: readonly Condition[]
  readonly inputs: readonly ValidInput[]
  readonly secrets: readonly TargetSecrets[]
  readonly key: KeyUse | null
}
export interface TargetSecrets {
  readonly hashes: ReadonlyMap<string, string>
  readonly tokens: Readonly<Record<string, string>>
}
export interface Written {
  readonly outcome: WriteOutcome
  /** Null where nothing was written, because an idempotency key was seen before. */
  readonly change: Change | null
}

/** One target on its way through the stages. */
interface Subject {
  readonly id: string
  /** As it was; null for a new record. */
  readonly before: Readonly<RowValues> | null
  /** As it will be. */
  readonly after: RowValues
  /** The fields that are written. */
  readonly changed: Set<string>
  readonly moment: MomentGiven
  readonly actions: readonly ActionModel[]
  readonly secrets: TargetSecrets
}

/** The transaction of one write. The order is the contract's ("What wins"); keep it. (4, 5.12, 7.1) */
export function* writeProgram(
  write: CheckedWrite,
  context: RunnerContext,
  statements: WriteStatements,
): Program<Written> {
  const { call, now, key } = write
  const { action, actor } = call
  const { dialect, model } = context
  if (key !== null) {
    const ids = yield* replayed(key, now, context.limits.idempotencySeconds, dialect)
    if (ids !== null) return { outcome: yield* replay(ids, call, context), change: null }
  }
  const subjects = action.kind === 'create' ? create(write, context) : yield* load(write, context, statements) // 404, 403, 409
  yield* requireReferences(action, write.inputs, actor, call.vocabulary, model, statements, dialect) // 422
  decide(subjects, write) // 422
  const changed: OtherChange[] = []
  for (const [index, subject] of subjects.entries()) yield* effects(subject, index, write, context, statements, changed) // 422
  yield* requireLiving(action, subjects, actor, statements, dialect)
  for (const [index, subject] of subjects.entries()) yield* commit(subject, index, write, context, statements) // 409
  const ids = subjects.map((each) => each.id)
  const removed = action.kind === 'delete'
  const gone = removed ? yield* remove(action.resource, ids, now, model, statements, dialect) : []
  yield* requireInvariants(action.resource, subjects, removed, statements, dialect) // 422
  const records = subjects.map(({ id, before, after, secrets }) => ({
    id,
    before,
    after,
    secrets: [...secrets.hashes.keys()],
  }))
  const events = removed ? [] : subjects.flatMap(eventsOf)
  const change: Change = { action, records, others: [...changed, ...gone], events }
  if (change.events.length > 0) yield* context.emit(change.events, now)
  yield* context.changed(change, now)
  if (key !== null) yield* keepKey(key, ids, now, dialect)
  const answers = call.root === null ? [] : yield* answer(call, ids, subjects, context)
  return {
    outcome: { records: answers, ids, replayed: false, tokens: subjects.map((each) => each.secrets.tokens) },
    change,
  }
}

/** The records that an idempotency key made, as this caller may see them now. Fails with NOT_FOUND when one is gone. */
function* replay(ids: readonly string[], call: WriteCall, context: RunnerContext): Program<WriteOutcome> {
  invariant(call.root !== null, 'only writes that answer records have idempotency keys')
  const root = scopedRoots.getOrInsertComputed(call.root, (unscoped) => ({ ...unscoped, scoped: true }))
  const plan = context.plans.plan(root, call.actor)
  const found = yield* runRecords(plan, { actor: call.actor?.id ?? null, ids, lists: call.lists }, context.dialect)
  const records = stage(found, (each) => {
    if (each === null) throw new Failure(call.action.resource.notFound)
    return each
  })
  return { records, ids, replayed: true, tokens: [] }
}

const scopedRoots = new WeakMap<NonNullable<WriteCall['root']>, NonNullable<WriteCall['root']>>()

function create({ call, now, condition, inputs, secrets }: CheckedWrite, context: RunnerContext): Subject[] {
  const { resource } = call.action
  return inputs.map((input, index) => {
    const id = context.newId(resource, now)
    const after = newRecord(resource, id, input.fields, now)
    const record = { value: (column: { field: string }) => after[column.field], related: () => null }
    if (!holds(condition, record, call.actor?.id ?? null)) throw new Failure('FORBIDDEN')
    const moment = {
      actor: callerOf(call.actor),
      now,
      input: input.fields,
      record: after,
      tokens: secrets[index]!.tokens,
    }
    return {
      id,
      before: null,
      after,
      changed: new Set<string>(),
      moment,
      actions: [call.action, ...input.also],
      secrets: secrets[index]!,
    }
  })
}

function* load(write: CheckedWrite, context: RunnerContext, statements: WriteStatements): Program<Subject[]> {
  const { call, now, inputs, secrets } = write
  const { action, actor, targets } = call
  const ids = targets.map((each) => each.id!)
  const conditions = [write.condition, ...write.fieldConditions]
  const found = yield* loadReadable(action.resource, ids, conditions, actor, 'update', statements, context.dialect)
  const loaded = stage(found, (each) => requireFound(each, action.resource))
  stage(loaded, (each) => requireAllowed(each, write))
  stage(loaded, (each, index) => requireVersion(each, targets[index]!.versions))
  stage(loaded, (each) => requireState(action, each.record))
  return loaded.map(({ id, record }, index) => {
    const { fields } = inputs[index]!
    const moment = { actor: callerOf(actor), now, input: fields, record, tokens: {} }
    return {
      id,
      before: record,
      after: { ...record },
      changed: new Set<string>(),
      moment,
      actions: [action],
      secrets: secrets[index]!,
    }
  })
}

function requireAllowed(loaded: Loaded, { fieldConditions }: CheckedWrite): void {
  const [allowed, ...fieldsAllowed] = loaded.holds
  if (!allowed || fieldConditions.some((_, at) => !fieldsAllowed[at])) throw new Failure('FORBIDDEN')
}

/** `If-Match`: one of these versions must be the record's. (contract 4) */
function requireVersion(loaded: Loaded, versions: readonly number[] | undefined): void {
  if (versions !== undefined && !versions.includes(loaded.version)) {
    throw new Failure('CONFLICT', { message: 'The record was changed since this version of it was read.' })
  }
}

/** Business rules, then everything that the actions write. Pure: no await, no database. */
function decide(subjects: readonly Subject[], { inputs }: CheckedWrite): void {
  stage(subjects, ({ moment, actions, after, changed }, index) => {
    const write = (values: Readonly<RowValues>) => {
      for (const [field, value] of Object.entries(values)) {
        after[field] = value
        changed.add(field)
      }
    }
    const [action, ...moves] = actions
    requireRule(action!, moment)
    write(storedOf(action!, inputs[index]!.fields))
    write(changesOf(action!, moment))
    for (const move of moves) {
      const then = { ...moment, input: {}, record: { ...after } }
      requireState(move, after)
      requireRule(move, then)
      write(changesOf(move, then))
    }
  })
}

const storedOf = (action: ActionModel, fields: Readonly<RowValues>): RowValues =>
  Object.fromEntries(
    action.accept.flatMap(({ field, column }) =>
      column === null || column.secret || !(field in fields) ? [] : [[field, fields[field]]],
    ),
  )

function* effects(
  subject: Subject,
  index: number,
  { call, now }: CheckedWrite,
  context: RunnerContext,
  statements: WriteStatements,
  others: OtherChange[],
): Program<void> {
  for (const action of subject.actions) {
    if (action.effect === null) continue
    const { effect } = action
    yield {
      pause: async (run) => {
        const set = (change: Readonly<RowValues>) => {
          for (const [field, value] of Object.entries(change)) {
            subject.after[field] = value
            subject.changed.add(field)
          }
        }
        const records = recordsOf(context, statements, call.actor, now, run, others)
        const sentence = await effect({ ...subject.moment, records, set })
        if (typeof sentence === 'string')
          throw new Failure('BUSINESS_RULE_VIOLATION', { message: sentence, target: index })
      },
    }
  }
}

function* commit(
  subject: Subject,
  index: number,
  { call, now }: CheckedWrite,
  context: RunnerContext,
  statements: WriteStatements,
): Program<void> {
  const { resource } = call.action
  const { dialect } = context
  const written = Object.fromEntries([...subject.changed].map((field) => [field, subject.after[field]]))
  requireRange(resource, written, (field, message) => ({ field: call.vocabulary.name(resource, field), message }))
  writing.set(call, index)
  if (subject.before === null) yield* insertRecord(resource, subject.after, subject.secrets.hashes, statements, dialect)
  else if (subject.changed.size + subject.secrets.hashes.size > 0) {
    const change = { ...written, ...Object.fromEntries(subject.secrets.hashes) }
    yield* changeRecord(resource, subject.id, change, now, context, statements)
  }
  for (const action of subject.actions) {
    if (action.link !== null) yield linkOf(action.link, subject.id, call.actor!, statements.link(action.link.link))
    if (action.unlink !== null)
      yield linkOf(action.unlink, subject.id, call.actor!, statements.unlink(action.unlink.link))
  }
}
/** Which target of a call is being written, for a unique violation that the database reports. */
export const writing = new WeakMap<WriteCall, number>()

function linkOf(
  relation: LinkRelation,
  id: string,
  actor: Actor,
  { statement, sources }: ReturnType<WriteStatements['link']>,
) {
  const input = relation.side === 'source' ? [id, actor.id] : [actor.id, id]
  return { statement, values: valuesOf(sources, { actor: null, input }) }
}

const eventsOf = ({ id, actions, after }: Subject): EmittedEvent[] =>
  actions.flatMap(({ emit, resource }) => {
    const by = (relation: OneRelation | null) => (relation === null ? null : (after[relation.field] as string))
    return emit === null ? [] : [{ name: emit.name, resource: resource.name, id, by: by(emit.by) }]
  })

function* answer(
  call: WriteCall,
  ids: readonly string[],
  subjects: readonly Subject[],
  context: RunnerContext,
): Program<readonly RecordAnswer[]> {
  const reader = call.actor ?? newAccount(call, subjects, context)
  const plan = context.plans.plan(call.root!, reader)
  const found = yield* runRecords(plan, { actor: reader?.id ?? null, ids, lists: call.lists }, context.dialect)
  return found.map((each) => {
    invariant(each !== null, 'a record that was just written is there')
    return each
  })
}

/** In the answer to sign-up the new account is its own reader. (contract 2) */
function newAccount({ action }: WriteCall, [subject]: readonly Subject[], { model }: RunnerContext): Actor | null {
  if (action.resource !== model.accounts.resource || action.kind !== 'create') return null
  const role = subject!.after[model.accounts.role.field] as string
  const credential = { kind: 'bearer', tokenId: '', sessionId: null, expiresAt: new Date(0) } as const
  return { id: subject!.id, role, permissions: model.roles.get(role)!, scopes: null, credential }
}
