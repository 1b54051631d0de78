import { oidc, provision } from 'duet-api'
import { User } from './user.ts'

const { OIDC_URL: url, OIDC_CLIENT_ID: clientId = '', OIDC_CLIENT_SECRET: clientSecret } = process.env

/** Accounts are made for persons of the issuer `company`, if `OIDC_URL` names one. (contract 5.16) */
export const issuers =
  url === undefined
    ? {}
    : {
        company: oidc({
          url,
          clientId,
          ...(clientSecret === undefined ? {} : { clientSecret }),
          provision: provision(User, {
            account: ({ name, email, email_verified: emailVerified }) =>
              typeof email === 'string'
                ? { name: typeof name === 'string' ? name : email, email, emailVerified: emailVerified === true }
                : null,
          }),
        }),
      }
