// Compiles a request to a plan: at most one statement per level, only printed columns, the actor's rule in each WHERE. Plans are
// compiled once per class of actors.

import { defaultLimits } from '../limits.ts'
import type { Caller } from '../resource/actor.ts'
import type { Column } from '../resource/model/column.ts'
import type { LinkRelation, ManyRelation, ResourceModel } from '../resource/model/model.ts'
import { always, type Condition, fold } from '../resource/model/rule/condition.ts'
import { idCondition } from '../resource/model/rule/readability.ts'
import { valueCondition } from '../resource/model/rule/visible-value.ts'
import { isDerived, type ListShape } from '../store/sql/condition/list-shape.ts'
import { amongSql, countAmongSql } from '../store/sql/list/among.ts'
import { onlyColumns } from '../store/sql/list/join.ts'
import { aggregateSql, childListSql, childTextSql, countSql, listSql } from '../store/sql/list/list.ts'
import { onlyRecordSql, recordSql, recordsSql } from '../store/sql/list/record.ts'
import { fewTenants } from '../store/sql/list/tenant-count.ts'
import type { Dialect } from '../store/sql/text/dialect.ts'
import { type AsOf, type Prepared, SqlText } from '../store/sql/text/sql-text.ts'
import type { StoredRow } from '../store/store.ts'
import { rowById, rowsByParent } from './collect.ts'
import { Columns } from './columns.ts'
import { makeConnectionPrint } from './connection.ts'
import { parentPrinter } from './optimise/back-reference.ts'
import { joinedPrinter } from './optimise/join.ts'
import { recordTextChars, recordTextSql, textByParent, textPrinter } from './optimise/json-text.ts'
import { allOptimisations, createOptimiser, type Optimisations } from './optimise/optimise.ts'
import { type LinksPlan, type ListPlan, plainPlan, type RecordPlan, type ReferencePlan } from './plain-plan.ts'
import { makePrinter, rowListPrinter } from './print.ts'
import type { Print, Printer, Printing, ReferencePrinter } from './printing.ts'
import type { Child, Level, ReadPlan } from './read-plan.ts'
import { readableCondition, scopedList } from './scoped-list.ts'
import type { ListParts, Root, Selection } from './selection.ts'

type RecordRoot = Extract<Root, { kind: 'record' | 'records' }>
type ListRoot = Extract<Root, { kind: 'list' }>

export function compileRead(
  root: Root,
  actor: Caller,
  dialect: Dialect,
  optimisations: Optimisations = allOptimisations,
): ReadPlan {
  const compiler = new Compiler(root, actor, dialect, optimisations)
  return root.kind === 'list' ? compiler.list(root) : compiler.record(root)
}

interface Scope {
  readonly columns: Columns
  readonly children: Child[]
  /** The scope of the record that has the list. */
  readonly parent: Scope | null
}
class Compiler {
  readonly #actor: Caller
  readonly #dialect: Dialect
  readonly #isScoped: boolean
  readonly #asOf: AsOf | undefined
  readonly #optimise: (record: RecordPlan) => RecordPlan
  #childCount = 0
  #isQuestion = false

  constructor(root: Root, actor: Caller, dialect: Dialect, optimisations: Optimisations) {
    this.#actor = actor
    this.#dialect = dialect
    this.#isScoped = root.kind !== 'records' || root.scoped
    this.#asOf = root.kind === 'records' ? root.asOf : undefined
    this.#optimise = createOptimiser(optimisations, this.#isScoped)
  }

  record(root: RecordRoot): ReadPlan {
    const { resource } = root.of
    const columns = root.kind === 'record' ? new Columns(0) : new Columns(1, idOf(resource))
    const children: Child[] = []
    const { print } = this.#rootPrinter(root.of, { columns, children, parent: null })
    const versionPlace = root.etag ? columns.place('version') : -1
    const canReplay = root.kind === 'records' && root.etag
    const maskPlaces = canReplay ? this.#maskPlaces(resource, columns) : []
    const tallyPlace = canReplay && resource.keptNumbers.length > 0 ? columns.place('tally') : -1
    const condition = this.#isScoped ? this.#readable(resource) : always
    const prepare = (make: typeof recordSql) => make(resource, condition, columns.selected, this.#sql())
    const prepared = prepare(root.kind === 'record' ? recordSql : recordsSql)
    const only = root.kind === 'record' ? null : prepare(onlyRecordSql)
    const level = { prepared, rowChars: columns.charsMax, children }
    return { ...this.#plan(root, level, print), versionPlace, tallyPlace, maskPlaces, only }
  }

  list(root: ListRoot): ReadPlan {
    const { within } = root
    const list = this.#scoped(root.list)
    const columns = new Columns(0)
    const children: Child[] = []
    const { print, connection } = this.#listPrinter(root.parts, { columns, children, parent: null })
    const cursorPlaces = list.sort.map((key) => columns.place(key.search ?? key.visibleValue ?? key.column))
    const count = root.total ? this.#count(list, root) : null
    const holder = within === null ? null : this.#holder(within.holder)
    const prepared = this.#listStatement(list, within, columns)
    const level = { prepared, rowChars: columns.charsMax, children }
    const tenants = within === null ? this.#tenants(list) : null
    return { ...this.#plan(root, level, print), cursorPlaces, connection, count, holder, tenants }
  }

  #plan(root: Root, level: Level, print: Print): ReadPlan {
    return {
      root,
      level,
      print,
      childCount: this.#childCount,
      isQuestion: this.#isQuestion,
      versionPlace: -1,
      tallyPlace: -1,
      maskPlaces: [],
      cursorPlaces: [],
      count: null,
      holder: null,
      tenants: null,
      connection: null,
      only: null,
    }
  }

  #listPrinter(parts: ListParts, scope: Scope): Pick<ReadPlan, 'print' | 'connection'> {
    const printerOf = (selection: Selection) => this.#rootPrinter(selection, scope)
    if (parts.as === 'array') return { print: printerOf(parts.of).print, connection: null }
    return { print: () => null, connection: makeConnectionPrint(parts.parts, printerOf) }
  }

  #listStatement(list: ListShape, within: ListRoot['within'], columns: Columns): Prepared {
    const sql = this.#sql()
    const condition = readableCondition(list, this.#actor)
    return findsIds(list)
      ? amongSql(list, condition, columns.selected, sql)
      : listSql(list, condition, columns.selected, within?.relation ?? null, sql)
  }

  #tenants(list: ListShape): Prepared | null {
    return findsIds(list) ? null : fewTenants(list, readableCondition(list, this.#actor), this.#sql())
  }

  #sql(): SqlText {
    return new SqlText(this.#dialect, undefined, this.#asOf)
  }

  #readable(resource: ResourceModel): Condition {
    return fold(resource.read.allow, resource, this.#actor)
  }

  #scoped(list: ListShape): ListShape {
    const scoped = scopedList(list, this.#actor)
    this.#isQuestion ||= scoped.where != null || scoped.search != null || scoped.sort.some(isDerived)
    return scoped
  }

  #count(list: ListShape, { within, aggregate }: ListRoot): Prepared {
    const sql = this.#sql()
    // The total does not depend on the page.
    const sort = list.sort.some(isDerived) ? [] : list.sort
    const whole: ListShape = { ...list, sort, seek: null, offset: false, backward: false }
    const readable = readableCondition(list, this.#actor)
    if (aggregate !== undefined) {
      const visible = valueCondition({ resource: list.resource, column: aggregate.column }, this.#actor)
      return aggregateSql(whole, readable, { aggregate, visible }, sql)
    }
    if (findsIds(list)) return countAmongSql(whole, readable, sql)
    return countSql(whole, readable, within?.relation ?? null, sql)
  }

  #holder(resource: ResourceModel): Prepared {
    return recordSql(resource, this.#readable(resource), () => onlyColumns('1'), this.#sql())
  }

  /** The indexes of the visibility of parts that may be hidden. (contract 4.7.6) */
  #maskPlaces(resource: ResourceModel, columns: Columns): readonly (number | boolean)[] {
    const { masked, hideable, protect } = resource
    return [
      ...masked.map((field) => fold(protect.get(field)!.read!, resource, this.#actor)),
      ...hideable.map((relation) => idCondition(resource, relation, this.#actor)),
    ].map((condition) => condition.is === 'always' || (condition.is !== 'never' && columns.place(condition)))
  }

  #rootPrinter(selection: Selection, scope: Scope): Printer {
    return this.#printer(this.#optimise(plainPlan(selection, this.#actor, this.#isScoped)), scope)
  }

  #printer(record: RecordPlan, scope: Scope): Printer {
    return makePrinter(record, scope.columns, {
      dialect: this.#dialect,
      reference: (part) => this.#reference(part, scope),
      list: (part) => (part.as === 'text' ? this.#textList(part, scope) : this.#rowList(part, scope)),
      self: (part) => this.#printer(part.of, scope),
      links: (part) => this.#linkIds(part, scope),
    })
  }

  #reference(part: ReferencePlan, scope: Scope): ReferencePrinter {
    switch (part.from) {
      case 'parent':
        return parentPrinter(this.#printer(part.of, scope.parent!))
      case 'join': {
        const { relation, of } = part
        const { columns } = scope
        const joined = columns.join(relation, this.#readable(of.resource))
        const printer = this.#printer(of, { ...scope, columns: joined })
        return joinedPrinter(relation, idOf(of.resource), { columns, joined }, printer)
      }
      case 'statement':
        return this.#referenceStatement(part, scope)
    }
  }

  #referenceStatement({ relation, of }: ReferencePlan, { columns, children }: Scope): ReferencePrinter {
    const index = this.#childCount++
    const keyPlace = columns.place(relation.column)
    const own = new Columns(1, idOf(of.resource))
    const below: Child[] = []
    const printer = this.#printer(of, { columns: own, children: below, parent: null })
    const prepared = recordsSql(of.resource, this.#readable(of.resource), own.selected, this.#sql())
    const rowChars = own.charsMax
    children.push({ index, keyPlace, slot: null, collect: rowById, prepared, rowChars, children: below })
    return {
      ...printer,
      rowOf(row, printing) {
        const id = row[keyPlace]!
        return id === null ? null : (printing.children[index]!.get(id) as StoredRow | undefined)
      },
    }
  }

  #rowList({ relation, list, slot, of }: ListPlan, scope: Scope): Printer {
    const index = this.#childCount++
    const keyPlace = scope.columns.place(idOf(holderOf(relation)))
    const own = new Columns(1)
    const below: Child[] = []
    const printer = this.#printer(of, { columns: own, children: below, parent: scope })
    const sql = this.#sql()
    const prepared = childListSql(this.#scoped(list), readableCondition(list, this.#actor), own.selected, relation, sql)
    const rowChars = own.charsMax
    scope.children.push({ index, keyPlace, slot, collect: rowsByParent, prepared, rowChars, children: below })
    return rowListPrinter(printer, index, keyPlace)
  }

  /** Reads one more than the limit, to detect too many. (contract 13.1.7) */
  #linkIds({ relation }: LinksPlan, scope: Scope): (row: StoredRow, printing: Printing) => string | undefined {
    const { target: resource } = relation
    const index = this.#childCount++
    const keyPlace = scope.columns.place(idOf(holderOf(relation)))
    const own = new Columns(1)
    const idPlace = own.place(idOf(resource))
    // The list's default order. (contract 13.1.13)
    const columns = [resource.column.get('createdAt')!, idOf(resource)]
    const sort = columns.map((column) => ({ column, descending: true }))
    const list = this.#scoped({ resource, filters: [], sort, seek: null, backward: false, offset: false })
    const sql = this.#sql()
    const prepared = childListSql(list, readableCondition(list, this.#actor), own.selected, relation, sql)
    const limit = linksMax + 1
    const level = { prepared, rowChars: own.charsMax, children: [] }
    scope.children.push({ ...level, index, keyPlace, slot: null, limit, collect: rowsByParent })
    return (row, { children }) => {
      const rows = (children[index]!.get(row[keyPlace]!) ?? []) as readonly StoredRow[]
      return rows.length > linksMax ? undefined : JSON.stringify(rows.map((each) => each[idPlace]))
    }
  }

  #textList({ relation, list, slot, of }: ListPlan, scope: Scope): Printer {
    const index = this.#childCount++
    const keyPlace = scope.columns.place(idOf(holderOf(relation)))
    const sql = this.#sql()
    const text = recordTextSql(of, this.#dialect)
    const prepared = childTextSql(this.#scoped(list), readableCondition(list, this.#actor), text, relation, sql)
    const rowChars = recordTextChars(of)
    scope.children.push({ index, keyPlace, slot, collect: textByParent, prepared, rowChars, children: [] })
    return textPrinter(of, index, keyPlace, (part) => this.#printer(part.of, scope))
  }
}

/** The limit of a write. (contract 13.1.3) */
const linksMax = defaultLimits.batch

const findsIds = ({ query, isAmong }: ListShape): boolean =>
  isAmong === true || (query !== undefined && query.query.ids !== null)

const idOf = (resource: ResourceModel): Column => resource.column.get('id')!

function holderOf(relation: ManyRelation | LinkRelation): ResourceModel {
  if (relation.kind === 'many') return relation.by.target
  return relation.side === 'source' ? relation.link.source : relation.link.target
}
