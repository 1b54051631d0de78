// Rewrites `partly` of read: its rule joins that of read, and fields that it does not name are protected by the rule of read. Later
// stages know no other form. (contract 10.1.24)

import type { OneSpec } from '../../field/relation.ts'
import type { Definition, ProtectDefinition } from '../../language/definition.ts'
import type { RuleNode } from '../../language/rule/rule.ts'
import { countField } from '../../naming/casing.ts'
import { createExpansion } from '../expand-resources.ts'

export const withPartialReads = createExpansion(({ actions }) => actions['read']?.partly !== undefined, opened)

/** What readers in part cannot read. */
export function closedFields(definition: Definition): readonly string[] {
  const open = definition.actions['read']?.partly?.fields
  return open === undefined ? [] : valuesOf(definition).filter((field) => !open.includes(field))
}

function opened(definition: Definition): Definition {
  const read = definition.actions['read']!
  const { allow } = read
  const closed = closedFields(definition)
  const protect = Object.fromEntries(closed.map((field) => [field, closedBy(allow, definition.protect?.[field])]))
  return {
    ...definition,
    protect: { ...definition.protect, ...protect },
    actions: { ...definition.actions, read: { ...read, allow: either(allow, read.partly!.allow) } },
  }
}

/** Tenants of a record are never hidden. Lists show what the rules of their own records open. */
function valuesOf({ fields, computed = {}, counts = {}, sums = {}, within }: Definition): readonly string[] {
  const stored = Object.entries(fields).filter(
    ([field, spec]) => !unseen.has(spec.kind) && field !== within && (spec as OneSpec).from === undefined,
  )
  return [
    ...stored.map(([field]) => field),
    ...Object.keys(computed),
    ...Object.keys(counts).map(countField),
    ...Object.keys(sums),
  ]
}

/** `either` is open if its relations are. */
const unseen: ReadonlySet<string> = new Set(['many', 'manyToMany', 'either', 'argument', 'password', 'token', 'secret'])

const closedBy = (rule: RuleNode, own: ProtectDefinition = {}): ProtectDefinition => ({
  ...own,
  read: own.read === undefined ? rule : { rule: 'allOf', rules: [rule, own.read] },
})

const either = (...rules: readonly RuleNode[]): RuleNode => ({
  rule: 'anyOf',
  rules: rules.flatMap((each) => (each.rule === 'anyOf' ? each.rules : each)),
})
