// The structure of rules: a new kind of rule declares here which rules it contains and which permissions it needs.

import type { RuleNode } from './rule.ts'

export type MayRule = Extract<RuleNode, { rule: 'may' }>

/** This rule and the rules inside it about the same record. */
export function* within(rule: RuleNode): Iterable<RuleNode> {
  yield rule
  if (rule.rule === 'not' || rule.rule === 'confined') yield* within(rule.of)
  if (rule.rule === 'anyOf' || rule.rule === 'allOf') for (const each of rule.rules) yield* within(each)
  if (rule.rule === 'may' && rule.mine !== null) yield* within(rule.mine)
}

/** The verbs that `may` needs: `publish`, or `edit_own` and `edit_any`. */
export const wordsOf = ({ verb, mine }: MayRule): readonly string[] =>
  mine === null ? [verb] : [`${verb}_own`, `${verb}_any`]
