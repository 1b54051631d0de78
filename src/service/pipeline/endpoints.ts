// Describes the endpoints outside the versions, for the documents. (contract 0.2, 4.12)

import { type DescriptionOptions, describeAuthEndpoints } from '../../authentication/endpoint-descriptions.ts'
import { describeMethodEndpoints } from '../../authentication/method/endpoint-descriptions.ts'
import { describeForms } from '../../authentication/method/login/describe-forms.ts'
import type { EndpointDescription } from '../../http/message/endpoint-description.ts'
import type { AccountsModel, Model } from '../../resource/model/model.ts'
import type { Configuration } from '../configuration/configuration.ts'
import { healthEndpoints } from './health.ts'
import { wellKnownEndpoints } from './well-known.ts'

export const describeEndpoints = (
  { accounts }: Model,
  { refreshTokenIn }: Pick<Configuration, 'refreshTokenIn'>,
  demo?: DescriptionOptions['demo'],
): readonly EndpointDescription[] => [
  ...describeAuthEndpoints({
    refreshTokenIn,
    password: accounts.password.spec,
    demo,
    forms: describeForms(accounts.methods),
  }),
  ...methodEndpoints(accounts, refreshTokenIn, demo),
  ...healthEndpoints,
  ...wellKnownEndpoints,
]

const methodEndpoints = (
  { methods, login, verified, password }: AccountsModel,
  refreshTokenIn: Configuration['refreshTokenIn'],
  demo: DescriptionOptions['demo'],
): readonly EndpointDescription[] =>
  methods === null
    ? []
    : describeMethodEndpoints({
        refreshTokenIn,
        login: login.spec,
        password: password.spec,
        demo,
        hasVerification: verified !== null,
        hasMagicLink: methods.magicLink,
        hasIssuers: Object.keys(methods.issuers).length > 0,
        hasTotp: methods.totp,
        hasPasskeys: methods.passkeys,
        forms: describeForms(methods),
      })
