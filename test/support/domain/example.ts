// Imports an example in this process. Examples are packages of their own, which find `duet-api` installed; here it is this one.

import { registerHooks } from 'node:module'

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, specifier === 'duet-api' ? { ...context, parentURL: import.meta.url } : context),
})

export const { api: social } = await import('../../../examples/social/service.ts')
