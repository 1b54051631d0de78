// The business rule of an action that reads: an asynchronous `check`, run in the transaction. What it reads is locked until that
// ends, so that two of them cannot both find what only one of them leaves. (contract 13.4)

import { invariant } from '../failure/failure.ts'
import type { ActionModel, ResourceModel } from '../resource/model/model.ts'
import { noAsker } from '../store/sql/sql-text.ts'
import { bind, type Program, type Run } from '../store/store.ts'
import { takeTurns } from './advisory-lock.ts'
import { type EffectReads, readsOf, type Which } from './effect-reads.ts'
import { type CallbackArguments, refusedBy, requireRule } from './move.ts'
import { recordsHere } from './records-here.ts'
import { missingReference } from './reference.ts'
import { createTurns, type Turns } from './turns.ts'
import type { WriteScope } from './write-scope.ts'

/** Fails with BUSINESS_RULE_VIOLATION and the definition's own sentence. */
export function* requireCheck(
  action: ActionModel,
  callbackArguments: CallbackArguments,
  scope: WriteScope,
): Program<void> {
  if (!action.checkReads) return requireRule(action, callbackArguments)
  const outcome: { error?: unknown; verdict?: true | string } = {}
  // What fails is thrown below, where it is known of which record it is.
  const asking = async (run: Run) => {
    try {
      outcome.verdict = await verdictOf(action, callbackArguments, { scope, run })
    } catch (error) {
      outcome.error = error
    }
  }
  yield { run: asking }
  if ('error' in outcome) throw outcome.error
  if (outcome.verdict !== true) throw refusedBy(outcome.verdict!)
}

/** What an asynchronous check says. */
export async function verdictOf(
  action: ActionModel,
  callbackArguments: CallbackArguments,
  { scope, run }: { readonly scope: WriteScope; readonly run: Run },
): Promise<true | string> {
  const turns = createTurns()
  const records = lockingReads(action, scope, { run, turns })
  const verdict = await action.check!({ ...callbackArguments, records })
  await turns.settled()
  if (verdict === true || typeof verdict === 'string') return verdict
  throw new Error(`${action.resource.name}.${action.name}.check answers neither true nor a sentence.`)
}

function lockingReads(
  action: ActionModel,
  scope: WriteScope,
  { run, turns }: { readonly run: Run; readonly turns: Turns },
) {
  const { context, dialect } = scope
  const isLocking = dialect.engine === 'postgres'
  const resourceOf = ({ name }: { readonly name: string }): ResourceModel => {
    const resource = context.model.byName.get(name)
    invariant(resource !== undefined, `the check names ${name}, which is in this service`)
    return resource
  }
  const inTurn = <T>(program: () => Program<T>): Promise<T> => turns.inTurn(() => run(program()))
  const reads = readsOf({ scope, inTurn, resourceOf, missing: () => missingReference() })
  const lock = async (of: { readonly name: string }, ids: readonly string[]): Promise<void> => {
    if (isLocking && ids.length > 0) await inTurn(() => lockShared(resourceOf(of), ids, scope))
  }
  const lockTurn = async (): Promise<void> => {
    if (isLocking) await inTurn(() => lockAction(action))
  }
  const deeds = {
    async get(of: { readonly name: string }, id: string) {
      await lock(of, [id])
      return await reads.get(of, id)
    },
    async list(of: { readonly name: string }, which?: Which): ReturnType<EffectReads['list']> {
      await lockTurn()
      const found = await reads.list(of, which)
      if (!isLocking) return found
      // What was changed before it was locked is read again.
      await lock(of, found.records.map(({ id }) => id as string).sort())
      return await reads.list(of, which)
    },
    async count(of: { readonly name: string }, which?: Omit<Which, 'limit' | 'sort'>) {
      await lockTurn()
      return await reads.count(of, which)
    },
  }
  return {
    ...deeds,
    here: recordsHere(action.resource, deeds),
    tenantRole: (tenant: string, account: string | null) => reads.tenantRole(tenant, account, 'share'),
  }
}

function* lockShared(
  resource: ResourceModel,
  ids: readonly string[],
  { statements }: Pick<WriteScope, 'statements'>,
): Program<void> {
  yield statements.load({ resource, conditions: [], columns: [], lock: 'share' }, noAsker, ids)
}

/** What is not there yet cannot be locked: so of one action, those that look for it come one after the other. */
function* lockAction({ resource, name }: ActionModel): Program<void> {
  yield bind(takeTurns, `check ${resource.name}.${name}`)
}
