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

/** How long ago the caller may have signed in, by the strictest `fresh`; null without one. (contract 5.10.3) */
export function freshSecondsOf(rule: RuleNode): number | null {
  const rules = rule.rule === 'allOf' ? rule.rules : [rule]
  const limits = rules.flatMap((each) => (each.rule === 'fresh' ? each.seconds : []))
  return limits.length === 0 ? null : Math.min(...limits)
}

/** Whole minutes, up to a day. */
export const isFreshLimit = (seconds: number): boolean =>
  Number.isInteger(seconds / 60) && seconds >= 60 && seconds <= 86_400

/** The verbs that `may` needs: `publish`, or `edit_own` and `edit_any`. */
export const wordsOf = ({ verb, mine }: MayRule): readonly string[] =>
  mine === null ? [verb] : [`${verb}_own`, `${verb}_any`]

type Fresh = Extract<RuleNode, { rule: 'fresh' }>
/** Every `fresh`, wherever it stands. */
export const freshIn = (rule: RuleNode): readonly Fresh[] =>
  [...within(rule)].flatMap((each) => {
    if (each.rule === 'fresh') return [each]
    return each.rule === 'through' || each.rule === 'some' ? freshIn(each.of) : []
  })
