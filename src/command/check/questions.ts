// Every kind of query that a resource's declarations permit, with the number of rows each reads. Rules are left out: they have
// indexes of their own.

import { usualSort } from '../../action/question/parameter/sort.ts'
import { compileRead } from '../../read-plan/compile.ts'
import { scopedList } from '../../read-plan/scoped-list.ts'
import { type ListShape, sortKey, totalOrder } from '../../read-plan/selection.ts'
import { compileSummary } from '../../read-plan/summary.ts'
import { theService } from '../../resource/actor.ts'
import type { Model, ResourceModel, WhereStep, WhereValue } from '../../resource/model/model.ts'
import { always } from '../../resource/model/rule/condition.ts'
import { rulesIn } from '../../resource/model/rule/rule-tree.ts'
import { type BoundOperand, valuesOf, type WhereTree } from '../../resource/model/rule/where.ts'
import { relevance } from '../../resource/model/search/search.ts'
import { scanSizeOf } from '../../store/sql/list/scan-size.ts'
import { isIndexed } from '../../store/sql/schema/indexes.ts'
import { queryIndexes } from '../../store/sql/schema/query-indexes.ts'
import type { Dialect } from '../../store/sql/text/dialect.ts'
import type { Prepared } from '../../store/sql/text/sql-text.ts'
import type { ScanSize } from '../../store/store.ts'

export interface Question {
  /** Such as `Post.where.title.range`. */
  readonly id: string
  readonly resource: ResourceModel
  readonly description: string
  readonly scanSize: ScanSize
  /** The statement; null if it depends on more than the definition. */
  readonly prepared: () => Prepared | null
}

export const questionsOf = ({ resources }: Model, dialect: Dialect): readonly Question[] =>
  resources.flatMap((resource) => [
    ...whereQuestions(resource, dialect),
    ...alternativeQuestions(resource, dialect),
    ...sortQuestions(resource, dialect),
    ...queryQuestions(resource, dialect),
    ...searchQuestions(resource),
    ...summaryQuestions(resource, dialect),
  ])

interface Comparing {
  readonly name: 'equality' | 'beginning' | 'inside' | 'range' | 'element' | 'negation' | 'absence' | 'presence'
  readonly description: string
  readonly tree: WhereTree
}

const bound = { from: 'bound', index: 0 } as const satisfies BoundOperand

function* comparisonsOf(value: WhereValue): Iterable<Comparing> {
  const test = (of: 'is' | 'startsWith' | 'includes' | 'after' | 'contains'): WhereTree => ({
    is: 'test',
    value,
    test: of,
    operand: of === 'includes' && value.parts !== undefined ? { ...bound, isNarrowed: true } : bound,
  })
  if (value.tests.has('is')) yield { name: 'equality', description: '=, IN', tree: test('is') }
  if (value.tests.has('startsWith')) yield { name: 'beginning', description: 'startsWith', tree: test('startsWith') }
  if (value.tests.has('includes')) yield { name: 'inside', description: 'contains, endsWith', tree: test('includes') }
  if (value.tests.has('after')) yield { name: 'range', description: '<, <=, >, >=', tree: test('after') }
  if (value.tests.has('contains')) yield { name: 'element', description: 'has', tree: test('contains') }
  const plain = value.tests.has('contains') ? test('contains') : test('is')
  yield { name: 'negation', description: '!=, NOT', tree: { is: 'not', of: plain } }
  if (!value.column.nullable) return
  yield { name: 'absence', description: '= null', tree: { is: 'not', of: { is: 'present', value } } }
  yield { name: 'presence', description: '!= null', tree: { is: 'present', value } }
}

function* whereQuestions(resource: ResourceModel, dialect: Dialect): Iterable<Question> {
  if (resource.where === null) return
  for (const { path, value } of valuesOf(resource.where)) {
    const name = [...path.map(({ relation }) => relation.field), value.column.field].join('.')
    for (const { name: kind, description, tree } of comparisonsOf(value)) {
      const shape = { ...everything(resource), where: along(path, tree) }
      yield listQuestion(`${resource.name}.where.${name}.${kind}`, description, shape, dialect)
    }
  }
}

function* alternativeQuestions(resource: ResourceModel, dialect: Dialect): Iterable<Question> {
  const values = [...(resource.where?.values.values() ?? [])].filter((each) => each.tests.has('is') && isIndexed(each))
  if (values.length < 2) return
  const of = values.slice(0, 2).map((value, index) => ({
    is: 'test' as const,
    value,
    test: 'is' as const,
    operand: { from: 'bound' as const, index },
  }))
  const shape = { ...everything(resource), where: { is: 'any' as const, of } }
  yield listQuestion(`${resource.name}.where.alternatives`, 'OR of different fields', shape, dialect)
}

const along = (path: readonly WhereStep[], tree: WhereTree): WhereTree =>
  path.reduceRight<WhereTree>((of, step) => ({ is: 'some', step, of }), tree)

function* sortQuestions(resource: ResourceModel, dialect: Dialect): Iterable<Question> {
  for (const [name, sort] of resource.sorts) {
    if (sort.column === relevance) continue
    const key = sortKey(sort, false)
    // Although the service sees everything, it sorts by another record's value.
    const shape = { ...everything(resource), sort: totalOrder(resource, [key]) }
    if (sort.relations.length > 0)
      yield listQuestion(`${resource.name}.sort.${name}`, 'puts every record in order', shape, dialect)
  }
}

const everything = (resource: ResourceModel): ListShape => ({
  resource,
  filters: [],
  sort: usualSort(resource),
  seek: null,
  backward: false,
  offset: false,
})

function listQuestion(id: string, description: string, list: ListShape, dialect: Dialect): Question {
  const { resource } = list
  const prepared = () => {
    const parts = { as: 'array', of: { resource, parts: [], hidden: 'omit' } } as const
    const root = { kind: 'list', list, within: null, parts, total: false } as const
    return compileRead(root, theService, dialect).level.prepared
  }
  return { id, resource, description, scanSize: scanSizeOf(scopedList(list, theService), always, dialect), prepared }
}

function* queryQuestions(resource: ResourceModel, dialect: Dialect): Iterable<Question> {
  for (const [name, query] of resource.queries) {
    if (query.scope === null) continue
    const order = query.sort.length + 1
    const isFound =
      query.tests.length > 0 ||
      queryIndexes(query, dialect).some(({ columns, conditions }) => columns.length > order || conditions.length > 0) ||
      [...rulesIn(query.where!, resource)].some(([{ rule }]) => rule === 'own' || rule === 'some')
    const id = `${resource.name}.queries.${name}`
    if (!isFound)
      yield { id, resource, description: 'leaves out what it does not mean', scanSize: 'walk', prepared: () => null }
  }
}

function* searchQuestions(resource: ResourceModel): Iterable<Question> {
  if (resource.search === null) return
  const id = `${resource.name}.search`
  yield { id, resource, description: 'reads all that holds the words', scanSize: 'matches', prepared: () => null }
}

function* summaryQuestions(resource: ResourceModel, dialect: Dialect): Iterable<Question> {
  if (resource.summary === null) return
  const rows = { ...everything(resource), sort: [] }
  const shape = {
    resource,
    rows,
    groups: [],
    measures: [],
    distinct: [],
    periods: 0,
    breaksHours: false,
    sort: [],
    seek: null,
  }
  const prepared = () =>
    compileSummary({ ...shape, backward: false, offset: false, parts: { as: 'array', of: [] } }, theService, dialect)
      .prepared
  yield { id: `${resource.name}.summary`, resource, description: 'reads every record', scanSize: 'walk', prepared }
}
