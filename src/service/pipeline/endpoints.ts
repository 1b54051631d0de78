// Describes the endpoints outside the versions, for the documents. (contract 0.2, 4.12)

import { type DescriptionOptions, describeAuthEndpoints } from '../../authentication/endpoint-descriptions.ts'
import { describeMethodEndpoints } from '../../authentication/method/endpoint-descriptions.ts'
import { describeForms } from '../../authentication/method/login/describe-forms.ts'
import type { EndpointDescription } from '../../http/message/endpoint-description.ts'
import type { Model } from '../../resource/model/model.ts'
import type { Configuration } from '../configuration/configuration.ts'
import { healthEndpoints } from './health.ts'
import { wellKnownEndpoints } from './well-known.ts'

export function describeEndpoints(
  { accounts }: Model,
  { refreshTokenIn }: Pick<Configuration, 'refreshTokenIn'>,
  demo?: DescriptionOptions['demo'],
): readonly EndpointDescription[] {
  const options = { accounts, refreshTokenIn, demo, forms: describeForms(accounts.methods) }
  return [
    ...describeAuthEndpoints(options),
    ...describeMethodEndpoints(options),
    ...healthEndpoints,
    ...wellKnownEndpoints,
  ]
}
