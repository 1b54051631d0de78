// Carries out a write. One code path for one target and for many; each stage runs over all targets before the next.

import { Failure, invariant } from '../failure/failure.ts'
import { type RecordAnswer, runRecords } from '../read-plan/run.ts'
import { type Actor, credentialRefusal } from '../resource/actor.ts'
import type { ActionModel } from '../resource/model/model.ts'
import type { WriteStatements } from '../store/sql/write-statements.ts'
import type { Program } from '../store/store.ts'
import type { WriteCall, WriteOutcome } from './call.ts'
import { collectionWrite } from './collection.ts'
import { commit } from './commit.ts'
import type { Change, EmittedEvent, RunnerContext, Written } from './context.ts'
import { type Noted, runEffect } from './effect.ts'
import { forEachTarget } from './for-each-target.ts'
import { type Answered, answeredAs, keepKey, replayed } from './idempotency.ts'
import { requireInvariants, requireInvariantsOf } from './invariant.ts'
import { changesOf, emittedBy, refusedBy, requireRule, requireState, storedOf } from './move.ts'
import { requireLiving, requireReferences } from './reference.ts'
import { remove } from './remove.ts'
import { scopedRoot } from './scoped-root.ts'
import { type CheckedWrite, loadTargets, newTargets, put, type TargetState } from './target-state.ts'

/** The transaction of one write. The order of checks is the contract's; keep it. (contract 4.1) */
export function* writeProgram(
  write: CheckedWrite,
  context: RunnerContext,
  statements: WriteStatements,
): Program<Written> {
  const { call, now, key } = write
  const { action, actor } = call
  const { dialect, model } = context
  if (key !== null) {
    const before = yield* replayed(key, now, context.limits.idempotencySeconds, dialect)
    if (before !== null) return { outcome: yield* replay(before, call, context), change: null }
  }
  if (action.kind === 'collection') return yield* collectionWrite(write, context, statements)
  const targets = action.kind === 'create' ? newTargets(write, context) : yield* loadTargets(write, context, statements) // 404, 403, 409
  yield* requireReferences(action, write.inputs, actor, call.vocabulary, model, statements) // 422
  decide(targets, write) // 422
  const noted: Noted = { others: [], events: [], written: [] }
  for (const [index, target] of targets.entries()) yield* effects(target, index, write, context, statements, noted) // 422
  yield* requireLiving(action, targets, actor, statements)
  for (const [index, target] of targets.entries()) yield* commit(target, index, write, context, statements) // 409
  const ids = targets.map((each) => each.id)
  const removed = action.kind === 'delete'
  const gone = removed ? yield* remove(action.resource, ids, now, model, statements, dialect) : []
  const others = [...noted.others, ...gone]
  yield* requireInvariants(action.resource, targets, removed, statements, dialect) // 422
  yield* requireInvariantsOf(others, statements, dialect)
  const records = targets.map(({ id, before, after, secrets }) => ({
    id,
    before,
    after,
    secrets: [...secrets.hashes.keys()],
  }))
  const own = removed ? [] : targets.flatMap(eventsOf)
  const change: Change = { action, records, others, events: [...own, ...noted.events] }
  if (change.events.length > 0) yield* context.emit(change.events, now)
  yield* context.changed(change, now)
  const answers = call.root === null ? [] : yield* answer(call, ids, targets, context)
  if (key !== null) yield* keepKey(key, answeredAs(ids, answers), now, dialect)
  return {
    outcome: { records: answers, ids, replayed: false, tokens: targets.map((each) => each.secrets.tokens) },
    change,
  }
}

/**
 * The records that an idempotency key made, as this caller may see them now. Fails with NOT_FOUND when one is gone, with
 * INSUFFICIENT_SCOPE when more is to be seen than was answered, and the caller has no scope to read.
 */
function* replay(before: readonly Answered[], call: WriteCall, context: RunnerContext): Program<WriteOutcome> {
  const { action, actor } = call
  const ids = before.map(({ id }) => id)
  invariant(call.root !== null, 'only writes that answer records have idempotency keys')
  const root = scopedRoot(call.root)
  const plan = context.plans.plan(root, actor)
  const found = yield* runRecords(
    plan,
    { actor: actor?.id ?? null, ids, lists: call.lists, size: call.size },
    context.dialect,
  )
  const records = forEachTarget(found, (each, index) => {
    if (each === null) throw new Failure(action.resource.notFound)
    if (isMore(each, before[index]!)) requireReading(action, actor)
    return each
  })
  return { records, ids, replayed: true, tokens: [] }
}

const isMore = (now: RecordAnswer, before: Answered): boolean =>
  now.version !== before.version || (now.mask & ~before.mask) !== 0

function requireReading({ resource }: ActionModel, actor: Actor | null): void {
  if (credentialRefusal(actor, 'read', resource) === null) return
  const message = `This was done before; what has changed since needs the scope read:${resource.path}.`
  throw new Failure('INSUFFICIENT_SCOPE', { message })
}

/** Business rules, then everything that the actions write. Pure: no await, no database. */
function decide(targets: readonly TargetState[], { inputs, call }: CheckedWrite): void {
  forEachTarget(targets, (target, index) => {
    const { callbackArguments, actions, after } = target
    const [action, ...moves] = actions
    requireRule(action!, callbackArguments)
    put(target, storedOf(action!, inputs[index]!.fields))
    put(target, changesOf(action!, callbackArguments))
    for (const move of moves) {
      const then = { ...callbackArguments, input: {}, record: { ...after } }
      requireState(move, after, call.vocabulary)
      requireRule(move, then)
      put(target, changesOf(move, then))
    }
  })
}

function* effects(
  target: TargetState,
  index: number,
  { call, now }: CheckedWrite,
  context: RunnerContext,
  statements: WriteStatements,
  noted: Noted,
): Program<void> {
  for (const action of target.actions) {
    if (action.effect === null) continue
    yield {
      run: async (run) => {
        const { actor, vocabulary } = call
        const values = { ...target.callbackArguments.record, ...target.callbackArguments.input }
        const asker = { actor, vocabulary, from: { resource: action.resource, values, target: index } }
        const scope = { context, statements, now, run, noted }
        const sentence = await runEffect(
          action,
          target.callbackArguments,
          (change) => put(target, change),
          asker,
          scope,
        )
        if (typeof sentence === 'string') throw refusedBy(sentence, index)
      },
    }
  }
}

const eventsOf = ({ id, actions, after }: TargetState): readonly EmittedEvent[] =>
  actions.flatMap((action) => emittedBy(action, id, after))

function* answer(
  call: WriteCall,
  ids: readonly string[],
  targets: readonly TargetState[],
  context: RunnerContext,
): Program<readonly RecordAnswer[]> {
  const reader = newAccount(call, targets, context) ?? call.actor
  const plan = context.plans.plan(call.root!, reader)
  const found = yield* runRecords(
    plan,
    { actor: reader?.id ?? null, ids, lists: call.lists, size: call.size },
    context.dialect,
  )
  return found.map((each) => {
    invariant(each !== null, 'a record that was just written is there')
    return each
  })
}

/** In the answer to sign-up the new account is its own reader, whoever was signed in. (contract 2.7.10) */
function newAccount({ action }: WriteCall, [target]: readonly TargetState[], { model }: RunnerContext): Actor | null {
  if (action.resource !== model.accounts.resource || action.kind !== 'create') return null
  const role = target!.after[model.accounts.role.field] as string
  const credential = { kind: 'bearer', tokenId: '', sessionId: null, expiresAt: new Date(0) } as const
  return { id: target!.id, role, permissions: model.roles.get(role)!, scopes: null, credential }
}
