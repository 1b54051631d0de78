// `provision(…)`: creates an account at the first request of a person with a valid token of an outside issuer.

import { ServiceDefinitionError } from '../../resource/contradiction/contradiction.ts'
import type { Fields } from '../../resource/field/field.ts'
import type { AnyResource } from '../../resource/language/row/any-resource.ts'
import type { Change, Named, Sent } from '../../resource/language/row/row.ts'
import type { Model } from '../../resource/model/model.ts'
import type { Members } from '../token/signed-text.ts'

type StatedAtCreate<R extends AnyResource> = R['actions']['create' & keyof R['actions']]
type NewAccount<R extends AnyResource, F extends Fields = R['fields']> = Sent<
  F,
  Exclude<StatedAtCreate<R>, Named<F, 'password'>>
> &
  Change<F>

/** How persons of an issuer get accounts. Inert until a service starts with it. */
export interface Provision {
  readonly accounts: string
}

/**
 * For `actorFrom` of an issuer. A person is `iss` and `sub`: the first request creates the account, later ones act as it.
 * `create` of the accounts runs without `allow`. (contract 5.6.6, 5.6.7)
 */
export const provision = <R extends AnyResource>(
  { name: accounts }: R,
  definition: {
    /**
     * The new account for the verified claims. Null refuses the token; a thrown Failure is the answer. An invalid value is a bug
     * and nothing is stored.
     */
    readonly account: (claims: Members) => NewAccount<R> | null
    /** The roles `account` may assign; another role is a bug. By default none. */
    readonly roles?: readonly string[]
  },
): Provision => ({ accounts, ...definition }) as Provision

export type ActorFromClaims = (claims: Members) => { readonly id: string; readonly role: string } | null

export interface ProvisionDefinition extends Provision {
  readonly account: (claims: Members) => Readonly<Record<string, unknown>> | null
  readonly roles?: readonly string[]
}

/** Fails with ServiceDefinitionError. */
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
      : ['creates accounts and has no account function; give it an account']),
    ...unknown.map((role) => `may give the role ${role}, which there is not; strike it`),
  ]
  if (problems.length === 0) return definition
  throw new ServiceDefinitionError(problems.map((problem) => `The issuer ${issuer} ${problem}.`))
}
