// The Arazzo document of a version: signing in, and the ways of records through their states. (contract 4.15.11)

import { beginningsOf } from '../resource/field/choice.ts'
import type { Column } from '../resource/model/column.ts'
import type { Model } from '../resource/model/model.ts'
import { words } from '../resource/naming/casing.ts'
import { isOfVersion, type ResourceEndpoint, type Routes } from '../rest/route/routes.ts'
import type { Version } from '../rest/route/version.ts'
import { type DocumentOptions, exampleNaming } from './document.ts'
import { titleOf } from './name.ts'
import { allowedTo, inputExample } from './schema.ts'

/** Arazzo 1.0.1, the newest that tools run. */
export function makeWorkflows(version: Version, routes: Routes, model: Model, options: DocumentOptions): object {
  const { info, endpoints = [] } = options
  const { naming } = exampleNaming(version, model, options)
  const input: Input = ({ action }) => inputExample(action, 'complete', version.vocabulary, naming)
  return {
    arazzo: '1.0.1',
    info: {
      title: info.title,
      version: version.name,
      summary: 'Signing in, and the ways of records through their states.',
    },
    // Relative to this document.
    sourceDescriptions: [{ name: 'api', type: 'openapi', url: './openapi.json' }],
    workflows: [
      ...(endpoints.some(({ operationId }) => operationId === 'signInApi') ? [signIn] : []),
      ...ways(endpointsOf(version, routes)).map((way) => workflowOf(way, version, input)),
    ],
  }
}

/** Of whole collections and of records by their id. */
const endpointsOf = (version: Version, { addresses }: Routes): readonly ResourceEndpoint[] =>
  addresses
    .filter((address) => address.version === version)
    .flatMap(({ endpoints }) => [...endpoints.values()])
    .filter((each) => !isOfVersion(each))
    .filter(({ key, within }) => key === undefined && within === null)

const text = (description: string) => ({ type: 'string', description })
const tokens = { accessToken: '$response.body#/access_token', refreshToken: '$response.body#/refresh_token' }
const signedIn = [{ condition: '$statusCode == 200' }]

const signIn = {
  workflowId: 'signIn',
  summary: 'Sign in with a password, and renew the tokens',
  inputs: {
    type: 'object',
    properties: { email: text('What the account signs in with.'), password: text('The password of the account.') },
    required: ['email', 'password'],
  },
  steps: [
    {
      stepId: 'signIn',
      operationId: 'signInApi',
      requestBody: jsonBody({ email: '$inputs.email', password: '$inputs.password' }),
      successCriteria: signedIn,
      outputs: tokens,
    },
    {
      stepId: 'refresh',
      operationId: 'refreshApi',
      requestBody: jsonBody({ refresh_token: '$steps.signIn.outputs.refreshToken' }),
      successCriteria: signedIn,
      outputs: tokens,
    },
  ],
  outputs: { accessToken: '$steps.refresh.outputs.accessToken', refreshToken: '$steps.refresh.outputs.refreshToken' },
}

function jsonBody(payload: unknown): object {
  return { contentType: 'application/json', payload }
}

/** From a state in which records begin, by moves, each with the state that it leads to. */
interface Way {
  readonly state: Column
  readonly create: ResourceEndpoint
  readonly beginning: string
  readonly moves: readonly ResourceEndpoint[]
}

/** The shortest way to each move, unless it is the beginning of another. */
function ways(endpoints: readonly ResourceEndpoint[]): readonly Way[] {
  return endpoints.flatMap((create) => {
    const { kind, resource } = create
    const state = resource.columns.find(({ spec }) => spec.kind === 'state')
    if (kind !== 'create' || state === undefined) return []
    const moves = endpoints.filter(
      (each) => each.kind === 'move' && each.resource === resource && each.action.to !== null,
    )
    const all = waysToMoves({ state, create }, moves)
    return all.filter((way) => !all.some((other) => other !== way && isWithin(way, other)))
  })
}

function waysToMoves(of: Pick<Way, 'state' | 'create'>, moves: readonly ResourceEndpoint[]): readonly Way[] {
  const reached = new Map<string, Way>(
    beginningsOf(of.state.spec).map((beginning) => [beginning, { ...of, beginning, moves: [] }]),
  )
  const found = new Map<ResourceEndpoint, Way>()
  // A map visits what is added to it meanwhile, so the states come in order of their distance.
  for (const [from, way] of reached)
    for (const move of moves) {
      if (found.has(move) || !startsFrom(move, from, of.state)) continue
      const longer = { ...way, moves: [...way.moves, move] }
      found.set(move, longer)
      if (!reached.has(move.action.to!)) reached.set(move.action.to!, longer)
    }
  return [...found.values()]
}

const startsFrom = ({ action }: ResourceEndpoint, from: string, state: Column): boolean =>
  action.from.every(({ column, values }) => column !== state || values === null || values.includes(from))

const isWithin = (way: Way, other: Way): boolean =>
  way.beginning === other.beginning && way.moves.every((move, at) => other.moves[at] === move)

/** An example of what an endpoint takes. */
type Input = (endpoint: ResourceEndpoint) => object

function workflowOf({ state, create, beginning, moves }: Way, version: Version, input: Input): object {
  const { resource } = create
  const steps = [
    { endpoint: create, to: beginning },
    ...moves.map((endpoint) => ({ endpoint, to: endpoint.action.to! })),
  ]
  const field = version.vocabulary.name(resource, state.field)
  const made = titleOf(create).operationId
  const inputs = steps.flatMap(({ endpoint }) => inputsOf(endpoint, input))
  return {
    workflowId: [made, ...moves.map(({ action }) => action.name)].join('-'),
    summary: `${steps.map(({ endpoint }) => titleOf(endpoint).summary).join(', ')}`,
    description: `Leads ${words(resource.plural)} from ${steps.map(({ to }) => to).join(' to ')}.`,
    inputs: { type: 'object', properties: Object.fromEntries(inputs), required: inputs.map(([name]) => name) },
    steps: steps.map(({ endpoint, to }) => {
      const { operationId, summary } = titleOf(endpoint)
      const isCreate = endpoint === create
      const id = { name: 'id', in: 'path', value: `$steps.${made}.outputs.id` }
      return {
        stepId: operationId,
        description: `${summary}. ${allowedTo(endpoint.action, version.vocabulary)}`,
        operationId,
        parameters: [
          ...(isCreate ? [] : [id]),
          { name: 'Authorization', in: 'header', value: `Bearer {$inputs.${tokenName(operationId)}}` },
        ],
        ...(takesBody(endpoint) ? { requestBody: jsonBody(`$inputs.${operationId}`) } : {}),
        successCriteria: [
          { condition: `$statusCode == ${isCreate ? 201 : 200}` },
          { condition: `$response.body#/data/${field} == '${to}'` },
        ],
        ...(isCreate ? { outputs: { id: '$response.body#/data/id' } } : {}),
      }
    }),
    outputs: { id: `$steps.${made}.outputs.id` },
  }
}

/** Each step has a token, as the moves of a record can be those of several callers. */
const tokenName = (operationId: string): string => `${operationId}Token`
const takesBody = ({ kind, action }: ResourceEndpoint): boolean => kind === 'create' || action.sent.length > 0

function inputsOf(endpoint: ResourceEndpoint, input: Input): readonly (readonly [name: string, schema: object])[] {
  const { operationId } = titleOf(endpoint)
  const token = text(`The access token of the caller of ${operationId}.`)
  const body = { type: 'object', description: `The body of ${operationId}.`, examples: [input(endpoint)] }
  return [[tokenName(operationId), token], ...(takesBody(endpoint) ? [[operationId, body] as const] : [])]
}
