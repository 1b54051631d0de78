// The contract that a service would serve, in the recorded form.

import { canonicalDocument } from '../../compatibility/canonical.ts'
import type { Contract } from '../../compatibility/snapshot.ts'
import { deprecationsIn } from '../../graphql/schema/deprecation.ts'
import type { Limits } from '../../limits.ts'
import { moveText } from '../../resource/about.ts'
import { deprecationsOf } from '../../service/start/deprecations.ts'
import type { Served } from '../service/served.ts'
import { printed } from './schema.ts'

export function contractOf(served: Served): Contract {
  const schema = served.schema()
  const documents = served.versions.map((version) => [version.name, canonicalDocument(served.document(version))])
  const deprecations = [...deprecationsOf(served.model, deprecationsIn(schema))]
  return {
    documents: Object.fromEntries(documents),
    schema: printed(schema),
    deprecations: deprecations
      .map(([what, deprecation]) => ({ what, ...deprecation }))
      .sort((one, other) => (one.what < other.what ? -1 : 1)),
    clock: Object.fromEntries(
      served.model.resources.flatMap(({ timedMoves }) => timedMoves.map((move) => [move.name, moveText(move)])),
    ),
    limits: Object.fromEntries(clientLimits.map((name) => [name, served.configuration.limits[name]])),
  }
}

/** Limits that affect clients. */
const clientLimits: readonly (keyof Limits)[] = [
  'authBodyBytes',
  'batch',
  'defaultPageSize',
  'eventSeconds',
  'flowPerMinute',
  'forgotPasswordPerMinute',
  'frameBytes',
  'graphqlBodyBytes',
  'headerBytes',
  'idempotencyKeyLength',
  'idempotencySeconds',
  'ipPerMinute',
  'jsonDepth',
  'loginPerMinute',
  'offset',
  'pageSize',
  'queryComplexity',
  'queryDepth',
  'queryNodes',
  'queryTokens',
  'recordsPerWrite',
  'restBodyBytes',
  'rootMutations',
  'socketSubscriptions',
  'urlBytes',
  'userPerHour',
]
