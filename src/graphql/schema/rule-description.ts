// Sentences about rules, in descriptions of the schema.

import { aboutExclusions } from '../../resource/about.ts'
import type { RuleNode } from '../../resource/language/rule/rule.ts'
import type { ActionModel, ResourceModel } from '../../resource/model/model.ts'
import { ruleSentence } from '../../resource/model/rule/rule-sentence.ts'
import { asDefined } from '../../resource/model/vocabulary.ts'

/** In GraphQL's names: `anyone, while publishedAt is set; its author; holders of posts:publish`. */
export const sentenceOf = (rule: RuleNode, resource: ResourceModel): string =>
  ruleSentence(rule, resource, asDefined.name)

export const described = (about: string, rule: RuleNode | undefined, resource: ResourceModel): string =>
  rule === undefined ? about : `${about} ${onlyFor(rule, resource)}`

const onlyFor = (rule: RuleNode, resource: ResourceModel): string => `Only for ${sentenceOf(rule, resource)}.`

/** Sentences about overlaps, each after a space. */
export const exclusionsOf = (action: ActionModel): string => aboutExclusions(action, asDefined.name)
