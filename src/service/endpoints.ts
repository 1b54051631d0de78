// Describes the endpoints outside of all versions, for the documents of each. (contract 0.2, 4.12)

import { type DescriptionOptions, describeAuthEndpoints } from '../authentication/endpoint-descriptions.ts'
import type { EndpointDescription } from '../http/message/endpoint-description.ts'
import type { Model } from '../resource/model/model.ts'
import type { Configuration } from './configuration.ts'
import { healthEndpoints } from './health.ts'

export const describeEndpoints = (
  model: Model,
  { refreshTokenIn }: Pick<Configuration, 'refreshTokenIn'>,
  demo?: DescriptionOptions['demo'],
): readonly EndpointDescription[] => [
  ...describeAuthEndpoints({ refreshTokenIn, password: model.accounts.password.spec, demo }),
  ...healthEndpoints,
]
