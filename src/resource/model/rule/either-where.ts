// Conditions on the id and on the type of an `either` become conditions on its relations, so that what is below knows no other.
// (contract 11.6.8)

import type { WhereValue } from '../model.ts'
import type { WhereOperand, WhereTree } from './where.ts'

type Written = WhereTree<WhereOperand>

/** Without tests of an `either`. */
export function withBranches(tree: Written): Written {
  switch (tree.is) {
    case 'test':
      return tree.value.either === undefined ? tree : { is: 'any', of: testsOf(tree, tree.value.either) }
    case 'present':
      return tree.value.either === undefined ? tree : { is: 'any', of: tree.value.either.branches.map(presence) }
    case 'any':
    case 'all':
      return { ...tree, of: tree.of.map(withBranches) }
    default:
      return { ...tree, of: withBranches(tree.of) }
  }
}

const presence = (value: WhereValue): Written => ({ is: 'present', value })

function testsOf(
  { test, operand }: Extract<Written, { is: 'test' }>,
  { part, branches }: NonNullable<WhereValue['either']>,
): readonly Written[] {
  const { value } = operand as Extract<WhereOperand, { from: 'value' }>
  const values = (test === 'oneOf' ? value : [value]) as readonly string[]
  return branches.flatMap((branch): readonly Written[] => {
    const { name, prefix } = branch.resource.relations.get(branch.column.field)!.target
    if (part === 'type') return values.includes(name) ? [presence(branch)] : []
    const own = values.filter((id) => id.startsWith(`${prefix}_`))
    if (own.length === 0) return []
    return [{ is: 'test', value: branch, test, operand: { from: 'value', value: test === 'oneOf' ? own : own[0] } }]
  })
}
