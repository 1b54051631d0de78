// Finds the check that decides a request, as far as possible without its body. (contract 4.1)

import { callbackActor } from '../../action/callback-actor.ts'
import { mayUse } from '../../action/code/route-access.ts'
import { requireRule, requireState } from '../../action/target/move.ts'
import { accessSentence } from '../../custom-route/access.ts'
import { Failure, type FailureCode } from '../../failure/failure.ts'
import type { Requester } from '../../resource/actor.ts'
import { isId } from '../../resource/model/id.ts'
import { manyUpsertKeys, ownTenant, upsertActions } from '../../resource/model/key.ts'
import type { ActionModel, ResourceModel } from '../../resource/model/model.ts'
import { allowCondition } from '../../resource/model/rule/record-action.ts'
import { scopeSentence } from '../../resource/model/rule/rule-sentence.ts'
import type { AuthorAddressMatch } from '../../rest/custom-route/address.ts'
import { inOwnTenant, readKeyPath } from '../../rest/record-name.ts'
import { type Endpoint, isOfVersion, type ResourceEndpoint, type RouteMatch } from '../../rest/route/routes.ts'
import { statusOf } from '../../rest/write.ts'
import type { Store } from '../../store/store.ts'
import type { Caller } from './caller.ts'
import { type Examined, examine, idOfKey, wasDeleted } from './examine.ts'

export const steps = {
  credential: '401 a credential that is refused',
  route: '404, 405 no such route',
  caller: '401, 403 whatever the record',
  form: '400 form',
  record: '404 record missing or hidden',
  permission: '403 record readable, action not allowed',
  version: '409 If-Match',
  state: '409 state',
  rule: '422 rules of the business',
} as const
export type Step = keyof typeof steps
/** Steps that depend on the body, parameters and headers. */
export const leftOpen: readonly Step[] = ['form', 'version']

export interface Request {
  readonly method: string
  readonly match: RouteMatch | null
  /** Whether the query of a batch names a key: then it creates or replaces. (contract 11.2.26) */
  readonly isByKey: boolean
  readonly own: AuthorAddressMatch | null
  /** Why there is no route, if the path names a move that only the clock makes. */
  readonly clockOnly: string | null
  readonly caller: Caller
  /** The resource of `me`. */
  readonly account: ResourceModel
}
export interface Judged {
  readonly status: number
  readonly code: FailureCode | null
  readonly step: Step | null
  readonly because: string
  readonly action: ActionModel | null
  /** Other actions whose rules are shown. */
  readonly also?: readonly ActionModel[]
  readonly examined: Examined | null
}

export const endpointOf = ({ match, method }: Request): Endpoint | undefined => match?.address.endpoints.get(method)

/** Follows the order of the runner. */
export async function judge(request: Request, store: Store, now: Date): Promise<Judged> {
  const { match, caller } = request
  if (caller.barred !== null) {
    const because = `an account that is ${caller.barred} cannot sign in, and its tokens are refused`
    return refused('credential', 'INVALID_TOKEN', because)
  }
  if (match === null && request.own !== null) return judgeOwn(request.own, request)
  if (match === null)
    return refused('route', 'NOT_FOUND', request.clockOnly ?? 'no route has this path; duet routes lists them')
  const found = endpointOf(request)
  const { endpoint, id } =
    found === undefined || isOfVersion(found) || found.key === undefined
      ? { endpoint: found, id: match.id }
      : await named(found, match.id!, caller.requester, store)
  if (endpoint === undefined) return refused('route', 'METHOD_NOT_ALLOWED', `this address takes ${match.address.allow}`)
  if (isOfVersion(endpoint)) return passed(200, openTo[endpoint.kind])
  const { within, action, kind, query } = endpoint
  const queryAction = query === undefined ? [] : [{ ...action, name: `query ${query.name}`, allow: query.allow }]
  if (kind === 'createMany' && request.isByKey) {
    const upsert = judgeUpsert(endpoint, caller)
    if (upsert !== null) return upsert
  }
  const barred = [...(within === null ? [] : [within.holder.read]), action, ...queryAction].find(
    (each) => allowCondition(each, caller.requester).is === 'never',
  )
  if (barred !== undefined) return refusedCaller(barred, caller)
  if (
    endpoint.isInOwnTenant === true &&
    ownTenant(within?.holder ?? endpoint.resource, endpoint.key!, caller.requester) === null
  )
    return refused(
      'record',
      'NOT_FOUND',
      'without the tenant, only an API key of the tenant finds a record by this key',
    )
  if (id === null) return passed(statusOf(kind), ofMany(endpoint), action)
  return judgeRecord(endpoint, id, request, store, now)
}

/** Null without such a key. */
function judgeUpsert({ resource }: ResourceEndpoint, caller: Caller): Judged | null {
  const [key] = manyUpsertKeys(resource)
  if (key === undefined) return null
  const both = Object.values(upsertActions(resource, key)!)
  const open = both.filter((each) => allowCondition(each, caller.requester).is !== 'never')
  if (open.length === 0) return refusedCaller(both[0]!, caller)
  const because = `records that have the key are replaced, by the rule of update, and others created, by that of create; ${unless}`
  return { ...passed(200, because, open[0]!), also: open.slice(1) }
}

const openTo = {
  document: 'the document is public',
  workflows: 'the document is public',
  eventStream: 'an event reaches callers who may read its record',
} as const

async function named(
  endpoint: ResourceEndpoint,
  pairs: string,
  requester: Requester,
  store: Store,
): Promise<{ readonly endpoint: ResourceEndpoint; readonly id: string | null }> {
  const { key, version, kind, isInOwnTenant } = endpoint
  const resource = endpoint.within?.holder ?? endpoint.resource
  const path = isInOwnTenant === true ? inOwnTenant(pairs, endpoint, requester) : pairs
  const id = await idOfKey(resource, readKeyPath(path, key!, resource, version), store)
  if (kind !== 'upsert') return { endpoint, id: id ?? pairs }
  const { create, update } = upsertActions(resource, key!)!
  return id === null
    ? { endpoint: { ...endpoint, kind: 'create', action: create }, id }
    : { endpoint: { ...endpoint, kind: 'replace', action: update }, id }
}

/** The effect of a custom route is known to its code only. */
function judgeOwn({ address }: AuthorAddressMatch, { method, caller: { actor } }: Request): Judged {
  const definition = address.endpoints.get(method)
  if (definition === undefined) return refused('route', 'METHOD_NOT_ALLOWED', `this address takes ${address.allow}`)
  const { access, answer, status } = definition
  const who = `it is for ${accessSentence(access)}`
  if (!mayUse(access, actor)) return refused('caller', actor === null ? 'UNAUTHENTICATED' : 'FORBIDDEN', who)
  return passed(status ?? (answer === undefined ? 204 : 200), `${who}; what remains is up to its own code`)
}

async function judgeRecord(
  endpoint: ResourceEndpoint,
  idOrMe: string,
  { caller, account }: Request,
  store: Store,
  now: Date,
): Promise<Judged> {
  const { actor } = caller
  const { kind, action } = endpoint
  const resource = endpoint.within?.holder ?? endpoint.resource
  const isMe = idOrMe === 'me' && resource === account
  if (isMe && actor === null)
    return refused('caller', 'UNAUTHENTICATED', 'me is the signed-in account, and the caller is anonymous')
  const id = isMe ? actor!.id! : idOrMe
  const { read } = resource
  const protections = [...resource.protect.values()].flatMap((each) => [each.read, each.write])
  const rules = [
    read.allow,
    ...(kind === 'list' || kind === 'summary' ? [] : [action.allow]),
    ...protections.filter((each) => each !== undefined),
  ]
  const examined = await examine(resource, id, rules, caller.requester, { store, now })
  if (examined === null) return refused('record', resource.notFound, await whyMissing(resource, id, store))
  if (!examined.holds.get(read.allow)) {
    const because = 'the record exists, but the caller may not read it'
    return refused('record', resource.notFound, because, read, examined)
  }
  if (kind === 'list') return passed(200, 'the list holds those for which the rule holds, and may be empty', action)
  if (kind === 'record') return passed(200, 'the record may be read', action, examined)
  if (!examined.holds.get(action.allow)) {
    return refused('permission', 'FORBIDDEN', 'the record may be read, so it need not be hidden', action, examined)
  }
  return refusedMove(action, examined, caller, now) ?? passed(statusOf(kind), remaining(action), action, examined)
}

function refusedMove(action: ActionModel, examined: Examined, { actor }: Caller, now: Date): Judged | null {
  const { record } = examined
  const failureOf = (step: Step, run: () => void): Judged | null => {
    try {
      run()
      return null
    } catch (error) {
      // The client's message is the explanation.
      if (!(error instanceof Failure)) throw error
      return refused(step, error.code, error.message.replace(/\.$/, ''), action, examined)
    }
  }
  const moment = { actor: callbackActor(actor, action), now, input: {}, record, tokens: {} }
  const conflict = failureOf('state', () => requireState(action, record, { name: (_, field) => field }))
  // A check that may depend on input or read in the transaction is skipped.
  return (
    conflict ??
    (action.accept.length > 0 || action.checkReads ? null : failureOf('rule', () => requireRule(action, moment)))
  )
}

function refusedCaller(action: ActionModel, { actor }: Caller): Judged {
  const what = `${action.name} ${action.resource.path}`
  if (actor === null) return refused('caller', 'UNAUTHENTICATED', `${what} requires signing in`, action)
  return refused('caller', 'FORBIDDEN', `${actor.role} may not ${what}, whatever the record`, action)
}

async function whyMissing(resource: ResourceModel, id: string, store: Store): Promise<string> {
  if (id.includes('/')) return 'no record has this key'
  if (!isId(resource.prefix, id))
    return `${id} is no id of ${resource.path}: they are ${resource.prefix}_ and 26 characters`
  return (await wasDeleted(resource, id, store)) ? 'the record was deleted' : 'there never was such a record'
}

function refused(
  step: Step,
  code: FailureCode,
  because: string,
  action: ActionModel | null = null,
  examined: Examined | null = null,
): Judged {
  return { status: new Failure(code).status, code, step, because, action, examined }
}
const passed = (
  status: number,
  because: string,
  action: ActionModel | null = null,
  examined: Examined | null = null,
): Judged => ({
  status,
  code: null,
  step: null,
  because,
  action,
  examined,
})

function ofMany({ kind, resource, query, version }: ResourceEndpoint): string {
  if (query !== undefined)
    return `the list holds those ${resource.path} for which the rule holds, where ${scopeSentence(query, version.vocabulary)}`
  if (kind === 'list') return `the list holds those ${resource.path} for which the rule holds, and may be empty`
  if (kind === 'updateMany') return 'unless the body names a record that may not be read (404) or not be changed (403)'
  if (kind === 'moveMany')
    return 'unless the body names a record that may not be read (404) or not be moved (403), or that is in another state (409)'
  if (kind === 'deleteMany') return 'unless it names a record that may not be read (404) or not be deleted (403)'
  return unless
}
const unless = 'unless the body is malformed (400), or breaks a rule of the business (422) or a unique field (409)'

function remaining({ kind, accept, effect }: ActionModel): string {
  if (kind === 'delete') return 'unless If-Match names another version (409), or another record needs this one (422)'
  if (accept.length > 0) return unless
  return effect === null ? 'nothing stands against it' : 'unless its effect finds something against it (422)'
}
