// Callers without a second factor, in a service whose tenants may require one. (contract 10.2.23)

import type { Actor } from '../../actor.ts'
import type { Model } from '../model.ts'

/** What marks a caller without a second factor; undefined if no tenant can require one. */
export const singleFactorIn = ({ resources }: Pick<Model, 'resources'>): Pick<Actor, 'isSingleFactor'> | undefined =>
  resources.some(({ members }) => members?.secondFactor != null) ? singleFactor : undefined
const singleFactor = { isSingleFactor: true } as const
