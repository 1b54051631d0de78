// What a client asks of a list as a condition on its records, for one class of actors: it tells nothing that reading would not. A
// value that the actor may not see is null, and a path goes only through records that the actor may read. (contract 12.1.4)

import { type Asker, actorOf, credentialRefusal } from '../actor.ts'
import { allOf, always, anyOf, type Condition, fold, never, not } from './condition.ts'
import type { WhereStep } from './model.ts'
import { disclosureCondition } from './readability.ts'
import { fieldCondition, valueCondition } from './sight.ts'
import type { WhereTree } from './where.ts'

type Tested = Extract<WhereTree, { is: 'test' }>

/** `isDirect`: of the list's own records, whose table has what finds them. */
export function whereCondition(tree: WhereTree, asker: Asker, isDirect = true): Condition {
  switch (tree.is) {
    case 'test':
      return allOf([valueCondition(tree.value, asker), compare(tree, asker, isDirect)])
    case 'present': {
      const { column } = tree.value
      return allOf([valueCondition(tree.value, asker), column.nullable ? { is: 'present', column } : always])
    }
    case 'some':
      return follow(tree.step, whereCondition(tree.of, asker, false), asker)
    case 'not':
      return not(whereCondition(tree.of, asker, isDirect))
    case 'any':
      return anyOf(tree.of.map((each) => whereCondition(each, asker, isDirect)))
    case 'all':
      return allOf(tree.of.map((each) => whereCondition(each, asker, isDirect)))
  }
}

/** That there is such a record, which the actor may read, and for which the condition holds. */
function follow({ holder, relation, of }: WhereStep, condition: Condition, asker: Asker): Condition {
  const { resource } = of
  if (condition.is === 'never' || credentialRefusal(asker, 'read', resource) !== null) return never
  const readable = fold(resource.read.allow, resource, asker)
  if (relation.kind !== 'one') {
    const inner = allOf([readable, condition])
    return inner.is === 'never' ? never : { is: 'some', relation, condition: inner }
  }
  // Whoever reads the holder may read this record, too.
  const isTold = disclosureCondition(holder, relation, asker).is === 'always'
  const inner = isTold ? condition : allOf([readable, condition])
  if (inner.is === 'never') return never
  return allOf([fieldCondition(relation.field, holder, asker), { is: 'related', relation, condition: inner }])
}

function compare({ value, test, operand }: Tested, asker: Asker, isDirect: boolean): Condition {
  const { column, resource } = value
  const table = isDirect ? resource.table : null
  if (operand.from === 'bound') return { is: 'compare', column, test, operand: { ...operand, table } }
  if (actorOf(asker) === null) return never
  if (operand.column === null) return { is: 'actor', column }
  const { account } = resource
  const own = account.resource
  const ofAccount = allOf([
    fold(own.read.allow, own, asker),
    valueCondition({ resource: own, column: operand.column }, asker),
  ])
  if (ofAccount.is === 'never') return never
  return { is: 'compare', column, test, operand: { from: 'me', column: operand.column, account }, ofAccount }
}
