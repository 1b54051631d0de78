// Names of operations and schemas: `createPost`, `CreatePost`.

import { tokensOf } from '../action/record-selection.ts'
import type { JsonSchema } from '../resource/field/field.ts'
import { keyTitle, ownColumns } from '../resource/model/key.ts'
import type { ResourceModel } from '../resource/model/model.ts'
import { capitalised, uncapitalised, words } from '../resource/naming/casing.ts'
import { a } from '../resource/naming/indefinite-article.ts'
import type { ResourceEndpoint } from '../rest/route/routes.ts'

export interface Title {
  readonly summary: string
  /** As in GraphQL, if it exists there. */
  readonly operationId: string
}

export function titleOf(endpoint: ResourceEndpoint): Title {
  const { summary, operationId } = titleById(endpoint)
  const { key, isInOwnTenant } = endpoint
  if (key === undefined) return { summary, operationId }
  const fields = ownColumns(key)
    .map(({ field }) => words(field))
    .join(' and ')
  const byKey = { summary: `${summary} by its ${fields}`, operationId: `${operationId}By${keyTitle(key)}` }
  if (isInOwnTenant !== true) return byKey
  return { summary: `${byKey.summary}, in the tenant of the API key`, operationId: `${byKey.operationId}InOwnTenant` }
}

function titleById({ kind, resource, action, within, query }: ResourceEndpoint): Title {
  const { name, plural } = resource
  const one = withArticle(name)
  const many = words(plural)
  switch (kind) {
    case 'list':
      if (query !== undefined)
        return { summary: `List ${words(query.name)} ${many}`, operationId: `${query.name}${capitalised(plural)}` }
      return within === null
        ? { summary: `List ${many}`, operationId: `list${capitalised(plural)}` }
        : {
            summary: `List the ${words(within.relation.field)} of ${withArticle(within.holder.name)}`,
            operationId: `list${within.holder.name}${capitalised(within.relation.field)}`,
          }
    case 'summary':
      return { summary: `Sum up ${many}`, operationId: `${uncapitalised(name)}Summary` }
    case 'record':
      return { summary: `Get ${one}`, operationId: `get${name}` }
    case 'create':
      return { summary: `Create ${one}`, operationId: `create${name}` }
    case 'createMany':
      return { summary: `Create ${many}, all or none`, operationId: `create${capitalised(plural)}` }
    case 'upsert':
      return { summary: `Create or replace ${one}`, operationId: `upsert${name}` }
    case 'replace':
      return { summary: `Replace ${one}`, operationId: `replace${name}` }
    case 'update':
      return { summary: `Change ${one}`, operationId: `update${name}` }
    case 'updateMany':
      return { summary: `Change ${many} alike, all or none`, operationId: `update${capitalised(plural)}` }
    case 'delete':
      return { summary: `Delete ${one}`, operationId: `delete${name}` }
    case 'deleteMany':
      return { summary: `Delete ${many}, all or none`, operationId: `delete${capitalised(plural)}` }
    case 'collection':
      return {
        summary: capitalised(`${words(action.name)} ${many}`),
        operationId: `${action.name}${capitalised(plural)}`,
      }
    case 'moveMany':
      return {
        summary: `${capitalised(`${words(action.name)} ${many}`)}, all or none`,
        operationId: `${action.name}${capitalised(plural)}`,
      }
    case 'move':
      return { summary: capitalised(`${words(action.name)} ${one}`), operationId: `${action.name}${name}` }
  }
}

const withArticle = (name: string): string => a(words(name))

/** `List`: a page; `New`: with tokens. */
export const answerName = ({ name }: ResourceModel): string => name
export const listName = ({ name }: ResourceModel): string => `${name}List`
export const canName = ({ name }: ResourceModel): string => `${name}Can`
export const newName = (resource: ResourceModel): string =>
  tokensOf(resource).length > 0 ? `New${resource.name}` : resource.name

/** For one record. Moves without input share a name. */
export function inputName({ kind, resource, action, key }: ResourceEndpoint): string {
  if (kind === 'upsert' || (kind === 'update' && key !== undefined))
    return `${capitalised(kind)}${resource.name}By${keyTitle(key!)}`
  if ((kind === 'move' || kind === 'collection') && action.sent.length === 0) return 'Nothing'
  const verb = { create: 'create', createMany: 'create', replace: 'replace', update: 'update' }[kind as string]
  return capitalised(verb ?? action.name) + resource.name
}

/** Input of an upsert of many, by any key. */
export const upsertName = ({ name }: ResourceModel): string => `Upsert${name}`

export const schemaReference = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })
