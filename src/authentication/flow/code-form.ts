// Signs in with the one-time code that ended a flow. (contract 5.16.4)

import { Failure } from '../../failure/failure.ts'
import type { Store } from '../../store/store.ts'
import type { LoginForm } from '../method/login/proof.ts'
import { hashOpaqueToken, isOpaqueToken } from '../opaque-token.ts'
import type { Parts } from '../parts.ts'
import { readTexts } from '../session/read-texts.ts'
import type { CodeStore, Proved } from './code-store.ts'

export const flowCodeForm = ({ store, accounts }: Pick<Parts, 'store' | 'accounts'>, codes: CodeStore): LoginForm => ({
  members: ['code', 'code_verifier'],
  step: 'login',
  async prove(body, { now }) {
    const { code, code_verifier: verifier } = readTexts(body, ['code', 'code_verifier'])
    const proved = await redeemCode(code, verifier, now, { store, codes })
    const account = proved?.purpose === 'sign-in' ? await store.read(accounts.byId(proved.userId)) : null
    if (proved?.purpose !== 'sign-in' || account === null || !account.isActive) throw new Failure('INVALID_TOKEN')
    return {
      account,
      methods: proved.methods,
      isComplete: proved.isComplete,
      // A reset, another role or a suspension meanwhile ends the code.
      *claim({ id }) {
        const { access } = yield* accounts.epochs(id)
        return access === proved.epoch
      },
    }
  },
})

/** Uses the code up, whatever the verifier. Null if it proves nothing. */
export const redeemCode = async (
  code: string,
  verifier: string,
  now: Date,
  { store, codes }: { readonly store: Store; readonly codes: CodeStore },
): Promise<Proved | null> =>
  isOpaqueToken('code_', code)
    ? store.write(() => codes.use(hashOpaqueToken(code), hashOpaqueToken(verifier), now))
    : null
