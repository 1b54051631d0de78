// Imports the examples in this process. Examples are packages of their own, which find `duet-api` installed; here it is this one.

import { registerHooks } from 'node:module'

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, specifier === 'duet-api' ? { ...context, parentURL: import.meta.url } : context),
})

export const { api: social } = await import('../../../examples/social/service.ts')
export const { reactions: socialReactions } = await import('../../../examples/social/notify.ts')
export const { api: companyHelpdesk } = await import('../../../examples/helpdesk/service.ts')
export const { api: shop } = await import('../../../examples/shop/service.ts')
export const { exported: shopExport } = await import('../../../examples/shop/export.ts')
export const { api: scheduling } = await import('../../../examples/scheduling/service.ts')
export const { api: billing } = await import('../../../examples/billing/service.ts')
