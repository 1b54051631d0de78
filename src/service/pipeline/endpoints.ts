// Describes the endpoints outside the versions, for the documents. (contract 0.2, 4.12)

import { type DescriptionOptions, describeAuthEndpoints } from '../../authentication/endpoint-descriptions.ts'
import { describeMethodEndpoints } from '../../authentication/method/endpoint-descriptions.ts'
import type { EndpointDescription } from '../../http/message/endpoint-description.ts'
import type { Model } from '../../resource/model/model.ts'
import type { Configuration } from '../configuration/configuration.ts'
import { healthEndpoints } from './health.ts'
import { wellKnownEndpoints } from './well-known.ts'

export const describeEndpoints = (
  model: Model,
  { refreshTokenIn }: Pick<Configuration, 'refreshTokenIn'>,
  demo?: DescriptionOptions['demo'],
): readonly EndpointDescription[] => [
  ...describeAuthEndpoints({ refreshTokenIn, password: model.accounts.password.spec, demo }),
  ...(model.accounts.methods === null ? [] : describeMethodEndpoints({ password: model.accounts.password.spec, demo })),
  ...healthEndpoints,
  ...wellKnownEndpoints,
]
