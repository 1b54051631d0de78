// Assembles sign-in at the issuers of a service. (contract 5.16)

import { dialectOf } from '../../store/sql/text/dialect.ts'
import type { AuthEndpoint } from '../endpoint.ts'
import type { Flows } from '../flow/flows.ts'
import type { SignInMethodStore } from '../method/factor/sign-in-method-store.ts'
import type { Parts } from '../parts.ts'
import { createIssuerClient } from './issuer-client.ts'
import { issuerEndpoints } from './issuer-endpoints.ts'
import { createIssuerMethodStore } from './issuer-method-store.ts'
import { createIssuerSignIn } from './issuer-sign-in.ts'
import { createLinkIssuer, type LinkIssuer, type LinkIssuerDependencies } from './link-issuer.ts'
import { optionsOf } from './oidc.ts'
import { createOutsideAccountStore } from './outside-account-store.ts'
import { readProvision } from './provision.ts'
import { createFindAccount, linkedAccount } from './provisioning.ts'

interface IssuersOptions extends Parts, Omit<LinkIssuerDependencies, 'issuerMethods' | 'outsideAccounts'> {
  readonly records: SignInMethodStore
  readonly flows: Flows
}
export interface Issuers {
  /** GET endpoints by name. */
  readonly endpoints: Readonly<Record<string, AuthEndpoint>>
  readonly link: LinkIssuer
}

export function createIssuers(options: IssuersOptions): Issuers {
  const { model, store, records, limits } = options
  const dialect = dialectOf(store.engine)
  const outsideAccounts = createOutsideAccountStore(model.accounts, dialect)
  const issuerMethods = createIssuerMethodStore(records, dialect)
  const parts = { ...options, links: outsideAccounts, outsideAccounts, issuerMethods }
  const signIns = Object.entries(model.accounts.methods!.issuers).map(([name, written]) => {
    const issuer = optionsOf(written)
    const callback = `${options.issuer}/auth/issuers/${name}/callback`
    const findAccount =
      issuer.provision === undefined
        ? linkedAccount(parts)
        : createFindAccount(readProvision(issuer.provision, issuer.url, model), parts)
    const client = createIssuerClient({ issuer, callback, fetch: globalThis.fetch, limits })
    return [
      name,
      createIssuerSignIn({ ...parts, name, client, secondFactor: issuer.secondFactor === true, findAccount }),
    ] as const
  })
  return { endpoints: issuerEndpoints(new Map(signIns), model.accounts.texts), link: createLinkIssuer(parts) }
}
