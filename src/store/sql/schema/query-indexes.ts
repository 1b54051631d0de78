// Indexes for queries: fixed columns, then the order, and columns with a minimum or maximum.

import { argumentsOf } from '../../../resource/language/placeholder.ts'
import type { QueryModel, ResourceModel } from '../../../resource/model/model.ts'
import { fold } from '../../../resource/model/rule/condition.ts'
import type { Scope, ScopeTest } from '../../../resource/model/scope.ts'
import type { Dialect } from '../text/dialect.ts'
import { placeOf } from '../text/place.ts'
import type { WantedIndex } from './index-plan.ts'
import { narrowing } from './narrowing.ts'

/** Per alternative of the scope: one in order, and one for each optional argument and range. */
export function queryIndexes(
  { name, scope, sort, args, resource }: QueryModel,
  dialect: Dialect,
): readonly WantedIndex[] {
  if (scope === null) return []
  const optional = new Set(args.filter(({ initial }) => initial === null).map(({ name }) => name))
  const isAlways = ({ value }: ScopeTest) => !argumentsOf(value).some((each) => optional.has(each))
  const order = orderOf(sort)
  return (scope.is === 'any' ? scope.of : [scope]).flatMap((each) => {
    const parts = each.is === 'all' ? each.of : [each]
    const tests = parts.filter((part) => part.is === 'test')
    const rules = parts.map((part) => narrowedBy(part, resource, dialect))
    const equal = tests.filter(({ test }) => test === 'is')
    const fixed = [...rules.flatMap((rule) => rule.fixed), ...equal.filter(isAlways).map(nameOf)]
    const ranged = tests
      .filter(({ test }) => test === 'atLeast' || test === 'atMost')
      .map(({ column }) => placeOf(column))
    const leads = [
      { fixed, order },
      ...equal.filter((test) => !isAlways(test)).map((test) => ({ fixed: [...fixed, nameOf(test)], order })),
      ...ranged.filter((each) => each !== placeOf(sort[0]!.column)).map((each) => ({ fixed, order: [each, 'id'] })),
    ]
    const conditions = rules.flatMap((rule) => rule.conditions)
    return leads.map((lead) => ({
      question: `query ${name}`,
      columns: onceEach([...lead.fixed, ...lead.order]),
      fixed: new Set(lead.fixed).size,
      conditions,
    }))
  })
}

const nameOf = ({ column }: ScopeTest): string => column.name
/** A fixed column needs no order. */
const onceEach = (columns: readonly string[]): readonly string[] =>
  columns.filter((each, index) => !columns.slice(0, index).includes(each.replace(' desc', '')))

/** Only conditions about the record itself. */
function narrowedBy(scope: Scope, resource: ResourceModel, dialect: Dialect): ReturnType<typeof narrowing> {
  if (scope.is !== 'rule') return { fixed: [], conditions: [] }
  const { rule } = scope
  if (rule.rule === 'when') return narrowing(fold(rule, resource, null), dialect)
  return { fixed: rule.rule === 'own' ? [resource.column.get(rule.relation)!.name] : [], conditions: [] }
}

function orderOf(sort: QueryModel['sort']): readonly string[] {
  const first = sort[0]!.descending
  const columns = sort.map(({ column, descending }) =>
    descending === first ? placeOf(column) : `${placeOf(column)} desc`,
  )
  return [...columns, sort.at(-1)!.descending === first ? 'id' : 'id desc']
}
