// Opens REST, GraphQL over HTTP and WebSockets, and the counter of deprecated uses.

import type { Authentication } from '../../authentication/authentication.ts'
import { definitionsOf } from '../../custom-route/definition.ts'
import { createUsage, createUseCounter, type Usage } from '../../deprecation/usage.ts'
import type { ReportBug } from '../../graphql/execute/run-call.ts'
import { createGraphqlFace, type GraphqlFace } from '../../graphql/http.ts'
import type { TrustedDocuments } from '../../graphql/prepare/trusted-documents.ts'
import { deprecationsIn } from '../../graphql/schema/deprecation.ts'
import { createSockets, type Sockets } from '../../graphql/subscription/sockets.ts'
import type { ServiceDescription } from '../../openapi/document.ts'
import type { NoteUse } from '../../resource/deprecation.ts'
import { createRestFace, type RestFace } from '../../rest/rest-face.ts'
import { describeEndpoints } from '../pipeline/endpoints.ts'
import { deprecationsOf } from '../start/deprecations.ts'
import type { OpenContext } from './open-context.ts'
import type { Database } from './open-database.ts'
import type { DemoData } from './open-demo.ts'
import { openDocumentSource } from './open-documents.ts'
import type { OpenEvents } from './open-events.ts'
import type { Observation } from './open-observation.ts'
import type { OpenRunner } from './open-runner.ts'

export interface FacesDependencies {
  readonly database: Database
  readonly observation: Observation
  readonly authentication: Authentication
  readonly events: OpenEvents
  readonly runner: OpenRunner
  readonly demo: DemoData
  readonly trusted: TrustedDocuments | null
}
export interface Faces {
  readonly rest: RestFace
  readonly graphql: GraphqlFace
  readonly sockets: Sockets
  readonly usage: Usage
  /** Counts a use of a deprecated part. */
  readonly noteUse: NoteUse
  /** Paths outside REST's versions, health and authentication. */
  readonly paths: ReadonlySet<string>
}

export async function openFaces(context: OpenContext, dependencies: FacesDependencies): Promise<Faces> {
  const { database, authentication, runner, demo } = dependencies
  const { options, configuration, limits, log, clock, model, routes, answers, shutdown } = context
  const { metrics, watch, traces } = dependencies.observation
  const documents = await openDocumentSource(configuration, dependencies.trusted, metrics?.observeCache)
  shutdown.defer(() => documents.close())
  const counter = createUseCounter({ limits, clock })
  const parts = { model, runner: runner.runner, limits, dialect: database.dialect, noteUse: counter.note }
  const reportBug: ReportBug = (bug, requestId, secrets = []) =>
    log.error('A GraphQL field failed unexpectedly.', { err: bug, requestId }, secrets)
  const { streams, connections, hub, holders, outbox, resumeIds, feed } = dependencies.events
  const subscribing = { hub, holders, outbox, resumeIds, feed, runner: runner.runner, limits }
  const graphql = createGraphqlFace({
    ...parts,
    routes: { definitions: definitionsOf(routes), recordsFor: runner.recordsFor, routeLog: log },
    subscriptions: { streams, context: subscribing },
    texts: documents.texts,
    development: !configuration.production,
    reportBug,
    observeCache: metrics?.observeCache,
  })
  const usage = createUsage({
    ...counter,
    resource: model.byName.get('DeprecatedUse')!,
    store: database.store,
    deprecations: () => deprecationsOf(model, deprecationsIn(graphql.schema())),
    limits,
    clock,
    log,
  })
  shutdown.defer(() => usage.flush())
  const endpoints = describeEndpoints(model, configuration)
  const rest = createRestFace({
    ...parts,
    recordsFor: runner.recordsFor,
    events: { streams, context: subscribing },
    authorRoutes: routes,
    routeLog: log,
    describeService: () => describeService(context, demo),
    ...(options.info === undefined ? {} : { info: options.info }),
    ...(options.cursorForm === undefined ? {} : { cursorForm: options.cursorForm }),
  })
  const paths = new Set(['/graphql', '/docs', ...endpoints.map(({ path }) => path)])
  const sockets = createSockets({
    ...subscribing,
    face: graphql,
    connections,
    answers,
    reportBug,
    identify: async (credential, now, origin) => authentication.identify(credential, now, origin),
    clock,
    watch,
    ...(traces === null ? {} : { traces }),
  })
  shutdown.beforeClose(() => sockets.close())
  return { rest, graphql, sockets, usage, noteUse: counter.note, paths }
}

export async function describeService(
  { model, configuration, basePath }: OpenContext,
  { readExamples }: DemoData,
): Promise<ServiceDescription> {
  const examples = await readExamples()
  return {
    basePath,
    baseUrl: configuration.baseUrl,
    endpoints: describeEndpoints(model, configuration, examples?.account),
    ...(examples === null ? {} : { findExample: examples.find }),
  }
}
