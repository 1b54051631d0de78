// Signs in by login and password. (contract 4.12)

import { readTexts } from '../../session/read-texts.ts'
import type { SignIn } from '../../session/sign-in.ts'
import type { LoginForm } from './proof.ts'

export const passwordForm = ({ requireAccount }: Pick<SignIn, 'requireAccount'>): LoginForm => ({
  members: ['email', 'password'],
  step: 'login',
  async prove(body, { origin }) {
    const { email, password } = readTexts(body, ['email', 'password'])
    const account = await requireAccount(email, password, origin)
    return { account, methods: ['pwd'], isComplete: false, refusal: 'INVALID_CREDENTIALS' }
  },
})
