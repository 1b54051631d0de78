// Opens the pipeline: what every request goes through, whichever door it comes by.

import type { Authentication } from '../authentication/authentication.ts'
import type { Explorer } from '../explorer/explorer.ts'
import type { ConnectionsOptions } from '../http/server/connections.ts'
import { codePrefixes } from '../resource/model/access-code.ts'
import { belowBasePath } from './base-path-pipeline.ts'
import { createHealth } from './health.ts'
import type { Admission } from './open-admission.ts'
import type { OpenContext } from './open-context.ts'
import type { Database } from './open-database.ts'
import type { Faces } from './open-faces.ts'
import type { Observation } from './open-observation.ts'
import { createPipeline, type Pipeline } from './pipeline.ts'
import { tracePipeline } from './traced-pipeline.ts'

export interface PipelineDependencies {
  readonly observation: Observation
  readonly database: Database
  readonly authentication: Authentication
  readonly admission: Admission
  readonly faces: Faces
  readonly explorer: Explorer | null
}

/** What every door needs, ours and a host's. */
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
  { model, allowedOrigins, limits, clock, drain, basePath }: OpenContext,
  { observation, authentication, admission, faces, explorer, database }: PipelineDependencies,
): Pipeline {
  const health = createHealth({
    needed: { database: () => database.store.ping() },
    useful: admission.checks,
    isDraining: () => drain.isBegun,
    limits,
  })
  const takesCodes = codePrefixes(model).size > 0
  const parts = { ...admission, ...faces, authentication, health, explorer, allowedOrigins, takesCodes, limits, clock }
  const pipeline = belowBasePath(createPipeline(parts), basePath)
  return observation.traces === null ? pipeline : tracePipeline(pipeline, observation.traces)
}
