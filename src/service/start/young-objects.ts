// Settings of V8 that a server needs, for a process of its own.

import { setFlagsFromString } from 'node:v8'

export const youngObjectsFlag = '--no-allocation-site-pretenuring'

/**
 * If many requests are under way at once, V8 concludes that objects of their kinds live long, and makes them among the old ones. Each
 * then keeps all that its request used until old objects are collected. To be called before requests are served.
 */
export const keepObjectsYoung = (): void => setFlagsFromString(youngObjectsFlag)
