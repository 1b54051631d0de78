// The forms of login by a passkey: alone, or as the second factor of a challenge. (contract 5.15.3)

import type { OpenChallengeBy } from '../method/login/challenge.ts'
import type { LoginForm } from '../method/login/proof.ts'
import { membersOf, readTexts } from '../session/read-texts.ts'
import type { Passkeys } from './passkeys.ts'
import { readAssertion } from './read-passkey.ts'

export const passkeyForms = (
  { prove }: Pick<Passkeys, 'prove'>,
  openChallenge: OpenChallengeBy,
): readonly LoginForm[] => [
  {
    members: ['passkey'],
    step: 'login',
    async prove(body, attempt) {
      const { passkey, ...others } = membersOf(body) ?? {}
      readTexts(others, [])
      return prove(readAssertion(passkey, 'passkey'), attempt)
    },
  },
  {
    members: ['challenge', 'passkey'],
    step: 'second-step',
    async prove(body, attempt) {
      const { passkey, ...others } = membersOf(body) ?? {}
      const { challenge: token } = readTexts(others, ['challenge'])
      const assertion = readAssertion(passkey, 'passkey')
      const challenge = await openChallenge(token, attempt)
      // INVALID_TOKEN, since what removes the passkey ends the challenge as well. (contract 5.13.2)
      const { refusal, ...proof } = await prove(assertion, attempt, challenge.account.id)
      return {
        ...proof,
        methods: [...new Set([...challenge.methods, ...proof.methods])],
        *claim(account) {
          return (yield* challenge.claim()) && (yield* proof.claim!(account))
        },
      }
    },
  },
]
