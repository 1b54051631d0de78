// A service with several ways to sign in, for commands.

import { signInService } from './sign-in.ts'

export const definition = signInService({ magicLink: true, totp: true, passkeys: true })
