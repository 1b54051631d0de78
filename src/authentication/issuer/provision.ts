// `provision(…)`: the first request of a person whom an outside issuer vouches for makes their account.

import { ServiceDefinitionError } from '../../resource/contradiction/contradiction.ts'
import type { Fields } from '../../resource/field/field.ts'
import type { AnyResource } from '../../resource/language/any-resource.ts'
import type { Change, Named, Sent } from '../../resource/language/row.ts'
import type { Model } from '../../resource/model/model.ts'
import type { Members } from '../token/signed-text.ts'

type SaidAtCreate<R extends AnyResource> = R['actions']['create' & keyof R['actions']]
/** What create accepts, but for the password, which nobody knows; and any other field that code may write. */
type NewAccount<R extends AnyResource, F extends Fields = R['fields']> = Sent<
  F,
  Exclude<SaidAtCreate<R>, Named<F, 'password'>>
> &
  Change<F>

/** How the persons of an issuer get accounts; inert until a service is started with it. */
export interface Provision {
  readonly accounts: string
}

/**
 * For `actorFrom` of an issuer. A person is its `iss` and `sub`: the first request makes the account and later ones act
 * as it, with the role that it has here. `create` of the accounts runs without its `allow`. (contract 5.6.6, 5.6.7)
 */
export const provision = <R extends AnyResource>(
  { name: accounts }: R,
  definition: {
    /**
     * The new account, by the verified claims. Null refuses the token, and a Failure that it throws is answered. A value that
     * does not fit its field is a bug: nothing is stored.
     */
    readonly account: (claims: Members) => NewAccount<R> | null
    /** The roles that `account` may give. Any other is a bug; without this it gives none. */
    readonly roles?: readonly string[]
  },
): Provision => ({ accounts, ...definition }) as Provision

/** The id of an account that is here, and its role; null for nobody. */
export type ActorFromClaims = (claims: Members) => { readonly id: string; readonly role: string } | null

/** What `provision(…)` holds at run time. */
export interface ProvisionDefinition extends Provision {
  readonly account: (claims: Members) => Readonly<Record<string, unknown>> | null
  readonly roles?: readonly string[]
}

/** What an issuer's `actorFrom` says, held to the model. Fails with ServiceDefinitionError where they contradict each other. */
export function readProvision(written: Provision, issuer: string, { accounts, roles }: Model): ProvisionDefinition {
  const definition = written as ProvisionDefinition
  const { resource } = accounts
  const unknown = (definition.roles ?? []).filter((role) => !roles.has(role))
  const problems = [
    ...(definition.accounts === resource.name
      ? []
      : [`provisions ${definition.accounts}, and accounts are ${resource.name}`]),
    ...(resource.actions.has('create') ? [] : [`provisions ${resource.name}, which has no create; give it one`]),
    ...(typeof definition.account === 'function'
      ? []
      : ['does not say what account a person gets; give it an account']),
    ...unknown.map((role) => `may give the role ${role}, which there is not; strike it`),
  ]
  if (problems.length === 0) return definition
  throw new ServiceDefinitionError(problems.map((problem) => `The issuer ${issuer} ${problem}.`))
}
