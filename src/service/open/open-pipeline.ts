// Opens the pipeline that every request passes.

import type { Authentication } from '../../authentication/authentication.ts'
import type { Explorer } from '../../explorer/explorer.ts'
import type { ConnectionsOptions } from '../../http/server/connections.ts'
import { codePrefixes } from '../../resource/model/rule/access-code.ts'
import { belowBasePath } from '../pipeline/base-path-pipeline.ts'
import { createHealth } from '../pipeline/health.ts'
import { createPipeline, type Pipeline } from '../pipeline/pipeline.ts'
import { tracePipeline } from '../pipeline/traced-pipeline.ts'
import { createWellKnown } from '../pipeline/well-known.ts'
import type { Admission } from './open-admission.ts'
import type { OpenContext } from './open-context.ts'
import type { Database } from './open-database.ts'
import type { Faces } from './open-faces.ts'
import type { Observation } from './open-observation.ts'

export interface PipelineDependencies {
  readonly observation: Observation
  readonly database: Database
  readonly authentication: Authentication
  readonly admission: Admission
  readonly faces: Faces
  readonly explorer: Explorer | null
}

/** For our server and a host's. */
export function connectionsOptions(context: OpenContext, dependencies: PipelineDependencies): ConnectionsOptions {
  const { limits, answers, trustProxy, clock, log } = context
  return {
    ...openPipeline(context, dependencies),
    limits,
    answers,
    now: clock,
    watch: dependencies.observation.watch,
    trustProxy,
    log: {
      warn: (fields, message) => log.warn(message, { ...fields }),
      error: (fields, message, secrets) => log.error(message, { ...fields }, secrets),
    },
  }
}

function openPipeline(
  { model, configuration, allowedOrigins, limits, clock, drain, basePath }: OpenContext,
  { observation, authentication, admission, faces, explorer, database }: PipelineDependencies,
): Pipeline {
  const health = createHealth({
    needed: { database: () => database.store.ping() },
    useful: admission.checks,
    pendingIndexes: database.pendingIndexes,
    isDraining: () => drain.isBegun,
    limits,
  })
  const takesCodes = codePrefixes(model).size > 0
  const wellKnown = createWellKnown(model.versions, configuration.baseUrl ?? basePath)
  const parts = {
    ...admission,
    ...faces,
    authentication,
    health,
    wellKnown,
    explorer,
    allowedOrigins,
    takesCodes,
    limits,
    clock,
  }
  const pipeline = belowBasePath(createPipeline(parts), basePath)
  return observation.traces === null ? pipeline : tracePipeline(pipeline, observation.traces)
}
