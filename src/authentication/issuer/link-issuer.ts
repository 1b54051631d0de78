// Links a person of an issuer to the account of a recent session. (contract 5.16.5)

import { Failure } from '../../failure/failure.ts'
import { UniqueViolation } from '../../store/store.ts'
import { redeemCode } from '../flow/code-form.ts'
import type { CodeStore } from '../flow/code-store.ts'
import type { AddMethod } from '../method/factor/add-method.ts'
import type { Attempt } from '../method/login/proof.ts'
import type { SessionCaller } from '../method/session-caller.ts'
import type { Parts } from '../parts.ts'
import type { IssuerMethodStore } from './issuer-method-store.ts'
import type { OutsideAccountStore } from './outside-account-store.ts'

/** Returns the id of the new method. Fails with INVALID_TOKEN, or CONFLICT if the person has an account here. */
export type LinkIssuer = (
  caller: SessionCaller,
  sent: { readonly ticket: string; readonly verifier: string },
  attempt: Attempt,
) => Promise<string>

export interface LinkIssuerDependencies extends Pick<Parts, 'store'> {
  readonly codes: CodeStore
  readonly outsideAccounts: OutsideAccountStore
  readonly issuerMethods: IssuerMethodStore
  readonly addMethod: AddMethod
}

export const createLinkIssuer =
  ({ store, codes, outsideAccounts, issuerMethods, addMethod }: LinkIssuerDependencies): LinkIssuer =>
  async (session, { ticket, verifier }, attempt) => {
    const { now } = attempt
    const person = await redeemCode(ticket, verifier, now, { store, codes })
    if (person?.purpose !== 'link') throw new Failure('INVALID_TOKEN')
    const method = {
      kind: 'issuer',
      methods: [],
      *store({ id }: { readonly id: string }) {
        yield* outsideAccounts.add(person, id, now)
        return yield* issuerMethods.note(person, id, person.name, now)
      },
    } as const
    try {
      const { id } = await addMethod({ session, challenge: null }, method, attempt)
      return id
    } catch (error) {
      if (error instanceof UniqueViolation)
        throw new Failure('CONFLICT', { message: 'This person signs in to an account here already.' })
      throw error
    }
  }
