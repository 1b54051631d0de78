// Turns a client's `where` into a condition for one class of actors. It reveals no more than reading: hidden values are null, and
// paths go through readable records only. (contract 12.1.4)

import { actorOf, type Caller, credentialRefusal } from '../../actor.ts'
import type { LinkRelation, OneRelation, WhereStep } from '../model.ts'
import { allOf, always, anyOf, type Condition, fold, never, not } from './condition.ts'
import { disclosureCondition } from './readability.ts'
import { fieldCondition, valueCondition } from './visible-value.ts'
import type { WhereTree } from './where.ts'

type Tested = Extract<WhereTree, { is: 'test' }>

/** `isDirect`: the records are the list's own, whose table has the index. */
export function whereCondition(tree: WhereTree, caller: Caller, isDirect = true): Condition {
  switch (tree.is) {
    case 'test':
      return allOf([valueCondition(tree.value, caller), compare(tree, caller, isDirect)])
    case 'present': {
      const { column } = tree.value
      return allOf([valueCondition(tree.value, caller), column.nullable ? { is: 'present', column } : always])
    }
    case 'some':
      return follow(tree.step, whereCondition(tree.of, caller, false), caller)
    case 'not':
      return not(whereCondition(tree.of, caller, isDirect))
    case 'any':
      return anyOf(tree.of.map((each) => whereCondition(each, caller, isDirect)))
    case 'all':
      return allOf(tree.of.map((each) => whereCondition(each, caller, isDirect)))
  }
}

function follow({ holder, relation, of }: WhereStep, condition: Condition, caller: Caller): Condition {
  const { resource } = of
  if (condition.is === 'never' || credentialRefusal(caller, 'read', resource) !== null) return never
  const readable = fold(resource.read.allow, resource, caller)
  if (relation.kind !== 'one') {
    const inner = allOf([readable, condition])
    if (inner.is === 'never') return never
    const found: Condition = { is: 'some', relation, condition: inner }
    return relation.kind === 'manyToMany' && relation.link.parent !== null
      ? allOf([found, ...eachReadable(relation, relation.link.parent, { readable, found }, caller)])
      : found
  }
  // Reading the holder implies reading this record.
  const isAlwaysReadable = disclosureCondition(holder, relation, caller).is === 'always'
  const inner = isAlwaysReadable ? condition : allOf([readable, condition])
  if (inner.is === 'never') return never
  return allOf([fieldCondition(relation.field, holder, caller), { is: 'related', relation, condition: inner }])
}

/** None of the records up to that one is hidden. (contract 10.3.6) */
function eachReadable(
  relation: LinkRelation,
  parent: OneRelation,
  { readable, found }: { readonly readable: Condition; readonly found: Condition },
  caller: Caller,
): readonly Condition[] {
  const hides = not(fieldCondition(parent.field, parent.target, caller))
  // Of the record itself, the one above it is of no interest.
  const hidden = anyOf([not(readable), allOf([hides, { is: 'related', relation: parent, condition: found }])])
  return hidden.is === 'never' ? [] : [not({ is: 'some', relation, condition: allOf([hidden, found]) })]
}

function compare({ value, test, operand }: Tested, caller: Caller, isDirect: boolean): Condition {
  const { column, resource } = value
  const table = isDirect ? resource.table : null
  if (operand.from === 'bound') {
    const { from, index, isNarrowed } = operand
    const narrowing = isDirect && isNarrowed === true ? { parts: value.parts! } : {}
    return { is: 'compare', column, test, operand: { from, index, table, ...narrowing } }
  }
  if (operand.from === 'field') {
    const other: Condition = { is: 'compare', column, test, operand: { from: 'field', column: operand.value.column } }
    return allOf([valueCondition(operand.value, caller), other])
  }
  if (actorOf(caller) === null) return never
  if (operand.column === null) return { is: 'actor', column }
  const { account } = resource
  const own = account.resource
  const ofAccount = allOf([
    fold(own.read.allow, own, caller),
    valueCondition({ resource: own, column: operand.column }, caller),
  ])
  if (ofAccount.is === 'never') return never
  return { is: 'compare', column, test, operand: { from: 'me', column: operand.column, account }, ofAccount }
}
