// Which of the contract's checks decides a request, as far as that can be known without its body. (contract 4.1)

import { callbackActor } from '../../action/callback-actor.ts'
import { requireRule, requireState } from '../../action/move.ts'
import { mayUse } from '../../action/route-access.ts'
import { Failure, type FailureCode } from '../../failure/failure.ts'
import { isId } from '../../resource/model/id.ts'
import { upsertActions } from '../../resource/model/key.ts'
import type { ActionModel, ResourceModel } from '../../resource/model/model.ts'
import { scopeSentence } from '../../resource/model/query-condition-sentence.ts'
import { allowCondition } from '../../resource/model/record-action.ts'
import { accessSentence } from '../../rest/custom-route/access.ts'
import type { AuthorAddressMatch } from '../../rest/custom-route/address.ts'
import { readKeyPath } from '../../rest/key-path.ts'
import type { Endpoint, ResourceEndpoint, RouteMatch } from '../../rest/routes.ts'
import { statusOf } from '../../rest/write.ts'
import type { Store } from '../../store/store.ts'
import type { Asker } from './asker.ts'
import { type Examined, examine, idOfKey, wasDeleted } from './examine.ts'

/** The steps, in their order. */
export const steps = {
  credential: '401 a credential that is refused',
  route: '404, 405 no such route',
  asker: '401, 403 whatever the record',
  form: '400 form',
  record: '404 record missing or hidden',
  permission: '403 record readable, action not allowed',
  version: '409 If-Match',
  state: '409 state',
  rule: '422 rules of the business',
} as const
export type Step = keyof typeof steps
/** What only the request itself tells, by its body, its parameters and its headers. */
export const leftOpen: readonly Step[] = ['form', 'version']

export interface Request {
  readonly method: string
  /** Null where no address has this path. */
  readonly match: RouteMatch | null
  /** The address of the author's own that has this path, where no other has. */
  readonly own: AuthorAddressMatch | null
  readonly asker: Asker
  /** What `me` is one of. */
  readonly account: ResourceModel
}
export interface Judged {
  readonly status: number
  /** Null where the request is let through. */
  readonly code: FailureCode | null
  /** The step that decides; null where the request passes all of them. */
  readonly step: Step | null
  readonly because: string
  /** Whose rule it was that decided, or the last that was asked; null where none was. */
  readonly action: ActionModel | null
  /** The record that this rule was asked about; null where it is about none in particular. */
  readonly examined: Examined | null
}

export const endpointOf = ({ match, method }: Request): Endpoint | undefined => match?.address.endpoints.get(method)

/** Follows the order of the runner, step by step. `now` is what the rules of the business take for now. */
export async function judge(request: Request, store: Store, now: Date): Promise<Judged> {
  const { match, asker } = request
  if (asker.barred !== null) {
    const because = `nobody who is ${asker.barred} can sign in, and earlier tokens are refused`
    return refused('credential', 'INVALID_TOKEN', because)
  }
  if (match === null && request.own !== null) return judgeOwn(request.own, request)
  if (match === null) return refused('route', 'NOT_FOUND', 'no route has this path; duet routes lists them')
  const found = endpointOf(request)
  const { endpoint, id } =
    found?.kind === 'document' || found?.key === undefined
      ? { endpoint: found, id: match.id }
      : await named(found, match.id!, store)
  if (endpoint === undefined) return refused('route', 'METHOD_NOT_ALLOWED', `this address takes ${match.address.allow}`)
  if (endpoint.kind === 'document') return passed(200, 'the document is for everybody')
  const { within, action, kind, query } = endpoint
  const queryAction = query === undefined ? [] : [{ ...action, name: `ask for ${query.name}`, allow: query.allow }]
  const barred = [...(within === null ? [] : [within.holder.read]), action, ...queryAction].find(
    (each) => allowCondition(each, asker.actor).is === 'never',
  )
  if (barred !== undefined) return refusedAsker(barred, asker)
  if (id === null) return passed(statusOf[kind], ofMany(endpoint), action)
  return judgeRecord(endpoint, id, request, store, now)
}

/** What is done to the record that a key names, or that it is made. */
async function named(
  endpoint: ResourceEndpoint,
  pairs: string,
  store: Store,
): Promise<{ readonly endpoint: ResourceEndpoint; readonly id: string | null }> {
  const { resource, key, version, kind } = endpoint
  const id = await idOfKey(resource, readKeyPath(pairs, key!, resource, version), store)
  if (kind !== 'upsert') return { endpoint, id: id ?? pairs }
  const { create, update } = upsertActions(resource, key!)!
  return id === null
    ? { endpoint: { ...endpoint, kind: 'create', action: create }, id }
    : { endpoint: { ...endpoint, kind: 'replace', action: update }, id }
}

/** What an address of the author's own does, only its code knows. */
function judgeOwn({ address }: AuthorAddressMatch, { method, asker: { actor } }: Request): Judged {
  const definition = address.endpoints.get(method)
  if (definition === undefined) return refused('route', 'METHOD_NOT_ALLOWED', `this address takes ${address.allow}`)
  const { access, answer, status } = definition
  const who = `it is for ${accessSentence(access)}`
  if (!mayUse(access, actor)) return refused('asker', actor === null ? 'UNAUTHENTICATED' : 'FORBIDDEN', who)
  return passed(status ?? (answer === undefined ? 204 : 200), `${who}; what remains is up to its own code`)
}

async function judgeRecord(
  endpoint: ResourceEndpoint,
  idOrMe: string,
  { asker, account }: Request,
  store: Store,
  now: Date,
): Promise<Judged> {
  const { actor } = asker
  const { kind, action } = endpoint
  const resource = endpoint.within?.holder ?? endpoint.resource
  const isMe = idOrMe === 'me' && resource === account
  if (isMe && actor === null) return refused('asker', 'UNAUTHENTICATED', 'me is whoever is signed in, and nobody is')
  const id = isMe ? actor!.id! : idOrMe
  const { read } = resource
  const protections = [...resource.protect.values()].flatMap((each) => [each.read, each.write])
  const rules = [
    read.allow,
    ...(kind === 'list' || kind === 'summary' ? [] : [action.allow]),
    ...protections.filter((each) => each !== undefined),
  ]
  const examined = await examine(resource, id, rules, actor, { store, now })
  if (examined === null) return refused('record', resource.notFound, await whyMissing(resource, id, store))
  if (!examined.holds.get(read.allow)) {
    const because = 'the record is there, but who may not read it is told that it is not'
    return refused('record', resource.notFound, because, read, examined)
  }
  if (kind === 'list') return passed(200, 'the list holds those for which the rule holds, and may be empty', action)
  if (kind === 'record') return passed(200, 'the record may be read', action, examined)
  if (!examined.holds.get(action.allow)) {
    return refused('permission', 'FORBIDDEN', 'the record may be read, so it need not be hidden', action, examined)
  }
  return refusedMove(action, examined, asker, now) ?? passed(statusOf[kind], remaining(action), action, examined)
}

/** What the record itself keeps from happening; null where nothing is known to. */
function refusedMove(action: ActionModel, examined: Examined, { actor }: Asker, now: Date): Judged | null {
  const { record } = examined
  const failureOf = (step: Step, run: () => void): Judged | null => {
    try {
      run()
      return null
    } catch (error) {
      // The sentence that a client would be told is the explanation.
      if (!(error instanceof Failure)) throw error
      return refused(step, error.code, error.message.replace(/\.$/, ''), action, examined)
    }
  }
  const moment = { actor: callbackActor(actor, action), now, input: {}, record, tokens: {} }
  const conflict = failureOf('state', () => requireState(action, record, { name: (_, field) => field }))
  // A rule that may look at the input is asked only where there is none, and one that reads has a transaction to read in.
  return (
    conflict ??
    (action.accept.length > 0 || action.checkReads ? null : failureOf('rule', () => requireRule(action, moment)))
  )
}

function refusedAsker(action: ActionModel, { actor }: Asker): Judged {
  const what = `${action.name} ${action.resource.path}`
  if (actor === null) return refused('asker', 'UNAUTHENTICATED', `nobody may ${what} without signing in`, action)
  return refused('asker', 'FORBIDDEN', `${actor.role} may not ${what}, whatever the record`, action)
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
