// Describes the endpoints of sign-in methods for OpenAPI. (contract 5.10)

import type { EndpointDescription } from '../../http/message/endpoint-description.ts'
import { valueSchema } from '../../resource/field/registry.ts'
import {
  accessTokenAnswer,
  type DescriptionOptions,
  describePost,
  emailText,
  exampleAccount,
  examplePassword,
  noMembers,
  passwordText,
  requestBody,
} from '../endpoint-descriptions.ts'

type Options = Pick<DescriptionOptions, 'password' | 'demo'>

export const describeMethodEndpoints = (options: Options): readonly EndpointDescription[] => [
  ...endpointsAt('/auth', '', options),
  ...endpointsAt('/api/auth', 'Api', options),
]

function endpointsAt(
  prefix: string,
  suffix: string,
  { password: passwordSpec, demo = exampleAccount }: Options,
): readonly EndpointDescription[] {
  const newPassword = { ...valueSchema(passwordSpec, true, (part) => part), description: 'The new password.' }
  const inSession = { isSignedIn: true, failures: [400, 401, 403, 413, 415] }
  return [
    {
      ...describePost(prefix, 'reauthenticate', `reauthenticate${suffix}`, {
        summary: 'Prove again who you are',
        body: requestBody({ email: emailText, password: passwordText }, demo),
        answers: [accessTokenAnswer],
      }),
      ...inSession,
    },
    {
      ...describePost(prefix, 'change-password', `changePassword${suffix}`, {
        summary: 'Change the password',
        body: requestBody({ password: newPassword }, { password: examplePassword }),
        answers: [
          { status: 200, description: 'The password is changed; every other session has ended.', body: noMembers },
        ],
      }),
      ...inSession,
    },
  ]
}
