// One operation of the document: what it is called, who may, what it takes, what it answers.

import { aboutAction, aboutQuery } from '../../resource/about.ts'
import { fold } from '../../resource/model/condition.ts'
import { upsertActions } from '../../resource/model/key.ts'
import type { ActionModel, QueryModel } from '../../resource/model/model.ts'
import { scopeSentence } from '../../resource/model/query-condition-sentence.ts'
import { ruleSentence } from '../../resource/model/rule-sentence.ts'
import type { ResourceEndpoint } from '../routes.ts'
import type { Version } from '../version.ts'
import { answersOf } from './answer.ts'
import type { DocumentContext } from './document-context.ts'
import { titleOf } from './name.ts'
import { parametersOf, requestBody } from './request.ts'
import { refusalsOf } from './response.ts'
import { allowedTo, leavingOf } from './schema.ts'
import { recordsMax } from './where.ts'

/** The operation object of OpenAPI 3.1. */
export function operationObject(operation: ResourceEndpoint, context: DocumentContext): object {
  const { resource, action, within, version, query, kind } = operation
  const { summary, operationId } = titleOf(operation)
  const body = requestBody(operation, context)
  const actions = actionsOf(operation)
  const isForEverybody =
    kind === 'upsert' ? actions.some(isOpen) : [...actions, ...(query === undefined ? [] : [query])].every(isOpen)
  const scopes = [...new Set(actions.map(({ name, resource: { path } }) => `${name}:${path}`))]
  return {
    operationId,
    summary,
    description: `${aboutOperation(operation, summary)} ${query === undefined ? '' : `${askedBy(query, version)} `}${allowedOf(operation, version)} An API key needs ${scopes.join(' and ')}.`,
    tags: [(within?.holder ?? resource).path],
    ...(version.isDeprecated ? { deprecated: true } : leavingOf(action.deprecated)),
    ...recordsMax(operation, context.limits),
    parameters: parametersOf(operation, context),
    ...(body === null ? {} : { requestBody: body }),
    responses: { ...answersOf(operation, context), ...refusalsOf(refusalNames(operation)) },
    security: [{ bearer: [] }, { apiKey: scopes }, ...(isForEverybody ? [{}] : [])],
  }
}

/** Every action whose rule is asked. */
function actionsOf({ kind, resource, action, within, key }: ResourceEndpoint): readonly ActionModel[] {
  if (kind === 'upsert') return Object.values(upsertActions(resource, key!)!)
  return within === null ? [action] : [action, within.holder.read]
}

function allowedOf(operation: ResourceEndpoint, { vocabulary }: Version): string {
  if (operation.kind !== 'upsert') return allowedTo(operation.action, vocabulary)
  const [create, update] = actionsOf(operation).map((action) => allowedTo(action, vocabulary))
  return `To create it. ${create} To replace it. ${update}`
}

/** What the author says it does; of many records at once the summary says more. */
const aboutOperation = ({ action, kind, query }: ResourceEndpoint, summary: string): string =>
  query === undefined &&
  action.about !== undefined &&
  ['create', 'replace', 'update', 'delete', 'move', 'collection'].includes(kind)
    ? aboutAction(action)
    : `${summary}.`

function askedBy(query: QueryModel, { vocabulary }: Version): string {
  const { allow, resource } = query
  const who = ruleSentence(allow, resource, vocabulary.name)
  return `${aboutQuery(query, scopeSentence(query, vocabulary))} Asked by ${who}.`
}

/** Whether somebody who is not signed in may, with some record at least and perhaps an access code. */
const isOpen = ({ allow, resource }: Pick<ActionModel, 'allow' | 'resource'>): boolean =>
  [null, { codeHash: '' }].some((requester) => fold(allow, resource, requester).is !== 'never')

/** The failures that an operation can have. Nothing here depends on what a callback of the definition may say. */
function refusalNames({ kind, within }: ResourceEndpoint): readonly string[] {
  const isRead = kind === 'list' || kind === 'record' || kind === 'summary'
  const isOfNone =
    (kind === 'list' && within === null) || kind === 'summary' || kind === 'create' || kind === 'createMany'
  return [
    'BadRequest',
    'Unauthorized',
    'Forbidden',
    // A key that is used again answers what it made, which may be gone.
    ...(isOfNone && isRead ? [] : ['NotFound']),
    'RequestTimeout',
    ...(isRead ? [] : ['Conflict', 'PayloadTooLarge', 'UnsupportedMediaType', 'UnprocessableContent']),
    'TooManyRequests',
    'InternalError',
    'ServiceUnavailable',
    'Failure',
  ]
}
