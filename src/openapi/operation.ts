// Operation objects of the endpoints of resources.

import { aboutAction, aboutDeletion, aboutExclusions, aboutQuery } from '../resource/about.ts'
import { leavingOf } from '../resource/deprecation.ts'
import { manyUpsertKeys, upsertActions } from '../resource/model/key.ts'
import type { ActionModel, QueryModel } from '../resource/model/model.ts'
import { fold } from '../resource/model/rule/condition.ts'
import { ruleSentence, scopeSentence } from '../resource/model/rule/rule-sentence.ts'
import type { ResourceEndpoint } from '../rest/route/routes.ts'
import type { Version } from '../rest/route/version.ts'
import { answersOf } from './answer.ts'
import type { DocumentContext } from './document-context.ts'
import { titleOf } from './name.ts'
import { parametersOf, recordsMax, requestBody } from './request.ts'
import { refusalsOf } from './response.ts'
import { allowedTo } from './schema.ts'

export function operationObject(operation: ResourceEndpoint, context: DocumentContext) {
  const { resource, action, within, version, query, kind } = operation
  const { summary, operationId } = titleOf(operation)
  const body = requestBody(operation, context)
  const actions = actionsOf(operation)
  const isPublic =
    kind === 'upsert' ? actions.some(isOpen) : [...actions, ...(query === undefined ? [] : [query])].every(isOpen)
  const scopes = [...new Set(actions.map(({ name, resource: { path } }) => `${name}:${path}`))]
  return {
    operationId,
    summary,
    description: `${aboutOperation(operation, summary)}${aboutDeletion(action)} ${query === undefined ? '' : `${querySentence(query, version)} `}${allowedOf(operation, version)}${excludedOf(operation, version)} An API key needs ${scopes.join(' and ')}.`,
    tags: [(within?.holder ?? resource).path],
    ...(version.isDeprecated ? { deprecated: true } : leavingOf(action.deprecated)),
    ...recordsMax(operation, context.limits),
    parameters: parametersOf(operation, context),
    ...(body === null ? {} : { requestBody: body }),
    responses: { ...answersOf(operation, context), ...refusalsOf(refusalNames(operation)) },
    security: [{ bearer: [] }, { apiKey: scopes }, ...(isPublic ? [{}] : [])],
  }
}

/** The actions whose rules apply. */
function actionsOf({ kind, resource, action, within, key }: ResourceEndpoint): readonly ActionModel[] {
  if (kind === 'upsert') return Object.values(upsertActions(resource, key!)!)
  return within === null ? [action] : [action, within.holder.read]
}

function allowedOf(operation: ResourceEndpoint, { vocabulary }: Version): string {
  const [key] = operation.kind === 'createMany' ? manyUpsertKeys(operation.resource) : []
  if (key !== undefined) {
    const { update } = upsertActions(operation.resource, key)!
    return `${allowedTo(operation.action, vocabulary)} With \`by\`, records that exist are replaced. ${allowedTo(update, vocabulary)}`
  }
  if (operation.kind !== 'upsert') return allowedTo(operation.action, vocabulary)
  const [create, update] = actionsOf(operation).map((action) => allowedTo(action, vocabulary))
  return `To create it. ${create} To replace it. ${update}`
}

/** Sentences about overlaps, each after a space. */
const excludedOf = (operation: ResourceEndpoint, { vocabulary }: Version): string =>
  [...new Set(actionsOf(operation).map((action) => aboutExclusions(action, vocabulary.name)))].join('')

/** The author's description; for several records the summary is more precise. */
const aboutOperation = ({ action, kind, query }: ResourceEndpoint, summary: string): string =>
  query === undefined &&
  action.about !== undefined &&
  ['create', 'replace', 'update', 'delete', 'move', 'collection'].includes(kind)
    ? aboutAction(action)
    : `${summary}.`

function querySentence(query: QueryModel, { vocabulary }: Version): string {
  const { allow, resource } = query
  const who = ruleSentence(allow, resource, vocabulary.name)
  return `${aboutQuery(query, scopeSentence(query, vocabulary))} Open to ${who}.`
}

/** True if an anonymous caller may, for some record and perhaps with an access code. */
const isOpen = ({ allow, resource }: Pick<ActionModel, 'allow' | 'resource'>): boolean =>
  [null, { codeHash: '' }].some((requester) => fold(allow, resource, requester).is !== 'never')

/** Independent of callbacks in the definition. */
function refusalNames({ kind, within }: ResourceEndpoint): readonly string[] {
  const isRead = kind === 'list' || kind === 'record' || kind === 'summary'
  const isOfNone =
    (kind === 'list' && within === null) || kind === 'summary' || kind === 'create' || kind === 'createMany'
  return [
    'BadRequest',
    'Unauthorized',
    'Forbidden',
    // A replayed create reads its record, which may have been deleted.
    ...(isOfNone && isRead ? [] : ['NotFound']),
    'RequestTimeout',
    ...(isRead ? [] : ['Conflict', 'PayloadTooLarge', 'UnsupportedMediaType', 'UnprocessableContent']),
    'TooManyRequests',
    'InternalError',
    'ServiceUnavailable',
    'Failure',
  ]
}
