// Builds the front page from the model.

import { sentName } from '../../action/input/either-input.ts'
import type {
  ActionOverview,
  Overview,
  ResourceOverview,
  RestCall,
  StatesOverview,
} from '../../explorer/overview/overview.ts'
import { exampleOperation, fieldsByAction, type RootField } from '../../graphql/schema/example-operation.ts'
import type { makeSchema } from '../../graphql/schema/schema.ts'
import { aboutAction, aboutDeletion, aboutEvent, aboutField, aboutResource, aboutTiming } from '../../resource/about.ts'
import {
  type ActionModel,
  eventsOf,
  type Model,
  type Relation,
  type ResourceModel,
} from '../../resource/model/model.ts'
import { ruleSentence } from '../../resource/model/rule/rule-sentence.ts'
import { asDefined, graphqlVocabulary, type Vocabulary } from '../../resource/model/vocabulary.ts'
import type { Endpoint, Routes } from '../../rest/route/routes.ts'
import { type ScheduleDefinition, scheduleText } from '../../time/schedule.ts'
import { authoredCalls, callOf, questionsOf } from './calls.ts'
import type { Document } from './document.ts'
import { fieldKind, fieldNotes } from './field-kind.ts'
import { type Names, renamed } from './renamed.ts'
import { type Caller, callersOf, rightOf } from './right.ts'

export interface OverviewSource {
  readonly model: Model
  readonly routes: Routes
  readonly schema: ReturnType<typeof makeSchema>
  /** The OpenAPI document of the current version, whose examples the page shows. */
  readonly document: Document
  readonly schedules: readonly ScheduleDefinition[]
}
export function describeOverview(source: OverviewSource, description = ''): Overview {
  const { model, routes, document, schedules } = source
  const callers = callersOf(model)
  const context: Context = {
    ...source,
    callers,
    fields: fieldsByAction(source.schema),
    names: { rest: routes.current.vocabulary, graphql: graphqlVocabulary() },
  }
  return {
    title: document.info.title,
    description,
    callers: callers.map(({ name }) => name),
    resources: model.resources.map((resource) => resourceOverview(resource, context)),
    routes: authoredCalls(context),
    schedules: schedules.map((each) => ({ name: each.name, when: scheduleText(each) })),
  }
}

interface Context extends OverviewSource {
  readonly callers: readonly Caller[]
  readonly fields: ReadonlyMap<ActionModel, RootField>
  readonly names: Names
}

function resourceOverview(resource: ResourceModel, context: Context): ResourceOverview {
  const { rest, graphql } = context.names
  const { name, path, fields, relations, actions } = resource
  return {
    name,
    path,
    about: aboutResource(resource),
    fields: [...fields.values()].map((field) => ({
      rest:
        relations.get(field.name)?.kind === 'one'
          ? rest.name(resource, field.name)
          : restName(field.name, resource, rest),
      graphql: relations.has(field.name) ? field.name : graphql.name(resource, field.name),
      kind: fieldKind(field, resource),
      about: aboutField(field.name, field.spec, resource),
      notes: fieldNotes(field, resource),
    })),
    relations: published(resource).map(({ field, target, kind }) => ({
      name: field,
      target: target.name,
      isList: kind !== 'one',
    })),
    states: statesOf(resource),
    actions: [...actions.values()].map((action) => actionOverview(action, context)),
    questions: questionsOf(resource, context),
    events: eventsOf(context.model)
      .filter((event) => event.resource === resource)
      .map((event) => ({
        name: event.name,
        about: aboutEvent(event, context.model),
        by: event.by?.field ?? null,
        stream: `${context.routes.current.prefix}/event-stream?events=${event.name}`,
      })),
  }
}

const published = ({ relations, fields }: ResourceModel): readonly Relation[] =>
  [...relations.values()].filter(({ field }) => fields.has(field))

/** Lists have an address in REST, not a field. */
const restName = (field: string, resource: ResourceModel, names: Vocabulary): string =>
  resource.relations.has(field) ? '' : names.name(resource, field)

function statesOf({ state, actions }: ResourceModel): StatesOverview | null {
  if (state === null) return null
  const { values: names } = state.spec as typeof state.spec & { readonly values: readonly string[] }
  const moves = [...actions.values()].flatMap(({ name, from, to }) => {
    if (to === null) return []
    const tests = from.filter(({ column }) => column === state).flatMap(({ values }) => values ?? [])
    return [{ name, from: (tests.length === 0 ? names : tests) as readonly string[], to }]
  })
  return { names, moves }
}

function actionOverview(action: ActionModel, context: Context): ActionOverview {
  const { callers, fields } = context
  const rest = restCall(action, context)
  const field = fields.get(action)
  const example = { id: idIn(rest), input: inputOf(action, rest, context) }
  return {
    name: action.name,
    about: `${aboutAction(action)}${aboutDeletion(action)}${aboutTiming(action)}`,
    isTimed: action.resource.timedMoves.some((move) => move.action === action),
    rule: ruleSentence(action.allow, action.resource, asDefined.name),
    rights: callers.map((caller) => rightOf(action, caller)),
    rest,
    graphql: field === undefined ? null : exampleOperation(field, { ...example, first: 5 }),
  }
}

/** The kinds of endpoints of each action. For read it is the list, whose answer provides ids. */
const kinds = {
  read: 'list',
  create: 'create',
  update: 'update',
  delete: 'delete',
  move: 'move',
  collection: 'collection',
} as const

function restCall(action: ActionModel, { routes, document }: Context): RestCall | null {
  for (const { version, pattern, endpoints } of routes.addresses) {
    if (version !== routes.current) continue
    for (const [method, endpoint] of endpoints)
      if (doesJust(action, endpoint)) return callOf(method, pattern, document.paths[pattern]?.[method.toLowerCase()])
  }
  return null
}

const doesJust = (action: ActionModel, endpoint: Endpoint): boolean =>
  endpoint.kind === kinds[action.kind] &&
  endpoint.action === action &&
  endpoint.within === null &&
  endpoint.query === undefined &&
  endpoint.key === undefined

const idIn = (call: RestCall | null): string =>
  call === null ? '' : (call.path.split('/').find((_, at) => call.pattern.split('/')[at] === '{id}') ?? '')

function inputOf(action: ActionModel, call: RestCall | null, { names }: Context): Readonly<Record<string, unknown>> {
  const body = JSON.parse(call?.body ?? '{}') as Readonly<Record<string, unknown>>
  const entries = action.sent.flatMap((each) => {
    const value = body[sentName(action.resource, each, names.rest)]
    return value === undefined
      ? []
      : [[sentName(action.resource, each, names.graphql), renamed(each.spec, value, names)] as const]
  })
  return Object.fromEntries(entries)
}
