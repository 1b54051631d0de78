// The tokens that rules test: what a request may send as access code. (contract 10.1.14)

import { memoize } from '../../../cache/memoize.ts'
import type { TokenSpec } from '../../field/secret.ts'
import type { Model } from '../model.ts'
import { allRules } from './rule-tree.ts'

export const codePrefixes = ({ resources }: Pick<Model, 'resources'>): ReadonlySet<string> => prefixesIn(resources)

const prefixesIn = memoize((resources: Model['resources']): ReadonlySet<string> => {
  const found = new Set<string>()
  for (const [rule, resource] of allRules(resources))
    if (rule.rule === 'hasToken') found.add((resource.column.get(rule.field)!.spec as TokenSpec).prefix)
  return found
})
