// One way to say what both faces can do, so that a story is told once and holds through each.

import type { SpecBase } from '../../../src/resource/field/field.ts'
import type { ResourceModel } from '../../../src/resource/model/model.ts'
import { graphqlVocabulary } from '../../../src/resource/model/vocabulary.ts'
import { capitalised, kebab, snake, uncapitalised } from '../../../src/resource/naming/casing.ts'
import type { AnswerCode } from '../rows/clauses.ts'
import { camelled } from '../rows/graphql-question.ts'
import type { Caller, Question, TestService } from '../server/service.ts'
import type { Answer } from './http-client.ts'

/** What came back: the code of the failure, or null and what was answered, in camelCase. */
export interface Told {
  readonly code: AnswerCode | null
  readonly message?: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever is there
  readonly data?: any
}
export type Input = Readonly<Record<string, unknown>>

/** What a person can do through one face. Relations in inputs are `copyId`; lists are first pages. */
export interface Voice {
  create(type: string, input: Input): Promise<Told>
  change(type: string, id: string, input: Input): Promise<Told>
  remove(type: string, id: string): Promise<Told>
  move(action: string, type: string, id: string, input?: Input): Promise<Told>
  read(type: string, id: string): Promise<Told>
  list(type: string, filter?: Input): Promise<Told>
  /** Of what belongs to one record, such as the loans of a copy. */
  below(type: string, id: string, relation: string): Promise<Told>
}
export type FaceName = 'REST' | 'GraphQL'
export const faceNames: readonly FaceName[] = ['REST', 'GraphQL']

/** How `caller` speaks to the service. */
export const speak = (face: FaceName, service: TestService, question: Question & { readonly as: Caller }): Voice =>
  face === 'REST' ? rest(service, question) : graphql(service, question)

function rest(service: TestService, question: Question): Voice {
  const { name: version } = service.model.versions.at(-1)!
  const path = (type: string) => `/api/${version}/${resourceOf(type, service).path}`
  const ask = async (line: string, body?: Input): Promise<Told> => {
    const answer = await service.send(line, { ...question, ...(body === undefined ? {} : { body: snaked(body) }) })
    return toldByRest(answer)
  }
  return {
    create: (type, input) => ask(`POST ${path(type)}`, input),
    change: (type, id, input) => ask(`PATCH ${path(type)}/${id}`, input),
    remove: (type, id) => ask(`DELETE ${path(type)}/${id}`),
    move: (action, type, id, input) => ask(`POST ${path(type)}/${id}/${action}`, input),
    read: (type, id) => ask(`GET ${path(type)}/${id}`),
    list: (type, filter = {}) =>
      ask(`GET ${path(type)}?${new URLSearchParams(snaked(filter) as Record<string, string>)}`),
    below: (type, id, relation) => ask(`GET ${path(type)}/${id}/${kebab(relation)}`),
  }
}

function toldByRest({ body }: Answer): Told {
  const { error, data } = body ?? {}
  return error === undefined ? { code: null, data: camelled(data) } : { code: error.code, message: error.message }
}

function graphql(service: TestService, question: Question): Voice {
  const ask = async (document: string, variables: Input): Promise<Told> =>
    toldByGraphql(await service.graphql(document, { ...question, variables }))
  const selected = (type: string) => selectionOf(resourceOf(type, service))
  return {
    create: (type, input) =>
      ask(`mutation ($input: Create${type}Input!) { create${type}(input: $input) { ${selected(type)} } }`, { input }),
    change: (type, id, input) =>
      ask(
        `mutation ($id: ID!, $input: Update${type}Input!) { update${type}(id: $id, input: $input) { ${selected(type)} } }`,
        { id, input },
      ),
    remove: (type, id) => ask(`mutation ($id: ID!) { delete${type}(id: $id) }`, { id }),
    move: (action, type, id, input) =>
      input === undefined
        ? ask(`mutation ($id: ID!) { ${action}${type}(id: $id) { ${selected(type)} } }`, { id })
        : ask(
            `mutation ($id: ID!, $input: ${capitalised(action)}${type}Input!) { ${action}${type}(id: $id, input: $input) { ${selected(type)} } }`,
            { id, input },
          ),
    read: (type, id) => ask(`query ($id: ID!) { ${uncapitalised(type)}(id: $id) { ${selected(type)} } }`, { id }),
    list: (type, filter) =>
      filter === undefined
        ? ask(`{ ${uncapitalised(type)}List { ${selected(type)} } }`, {})
        : ask(`query ($filter: ${type}Filter) { ${uncapitalised(type)}List(filter: $filter) { ${selected(type)} } }`, {
            filter,
          }),
    async below(type, id, relation) {
      const { target } = resourceOf(type, service).relations.get(relation)!
      const document = `query ($id: ID!) { ${uncapitalised(type)}(id: $id) { ${relation} { ${selectionOf(target)} } } }`
      const answer = await ask(document, { id })
      return answer.code === null ? { code: null, data: answer.data[relation] } : answer
    },
  }
}

function toldByGraphql({ body }: Answer): Told {
  const [error] = body.errors ?? []
  if (error !== undefined) return { code: error.extensions.code, message: error.message }
  return { code: null, data: withIds(Object.values(body.data)[0]) }
}

/** `author { id }` is `authorId`, as it is in REST. */
function withIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withIds)
  if (typeof value !== 'object' || value === null) return value
  const isReference = (each: unknown): each is { id: string } =>
    typeof each === 'object' && each !== null && Object.keys(each).join() === 'id'
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => (isReference(each) ? [`${name}Id`, each.id] : [name, withIds(each)])),
  )
}

const graphqlNames = graphqlVocabulary()
const resourceOf = (type: string, { model }: TestService): ResourceModel => model.byName.get(type)!

/** Everything that REST answers of a record. */
function selectionOf(resource: ResourceModel): string {
  const parts = [...resource.fields.values()].flatMap(({ name, spec, column, computed }) => {
    if (spec.kind === 'one') return [`${name} { id }`]
    const object = (spec as SpecBase & { of?: SpecBase & { fields?: Readonly<Record<string, SpecBase>> } }).of?.fields
    if (object !== undefined)
      return [
        `${name} { ${Object.entries(object)
          .map(([part, of]) => graphqlNames.part(part, of))
          .join(' ')} }`,
      ]
    return column === null && computed === null ? [] : [name]
  })
  return parts.join(' ')
}

const snaked = <T>(value: T): T =>
  (Array.isArray(value)
    ? value.map(snaked)
    : typeof value !== 'object' || value === null
      ? value
      : Object.fromEntries(Object.entries(value).map(([name, each]) => [snake(name), snaked(each)]))) as T
