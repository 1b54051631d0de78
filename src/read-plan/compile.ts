// From what is asked to a plan: at most one statement per level of the tree, whatever the number of parents, selecting only
// the columns asked for, with the actor's rule in each WHERE. Compiled once for actors of one class, run often.

import type { Actor } from '../resource/actor.ts'
import { always, type Condition, fold } from '../resource/model/condition.ts'
import type { Column, LinkRelation, ManyRelation, ResourceModel } from '../resource/model/model.ts'
import { scopeCondition } from '../resource/model/query-condition.ts'
import { amongSql, countAmongSql } from '../store/sql/among.ts'
import type { Dialect } from '../store/sql/dialect.ts'
import { onlyColumns } from '../store/sql/join.ts'
import { childListSql, childTextSql, countSql, listSql } from '../store/sql/list.ts'
import type { ListShape } from '../store/sql/list-shape.ts'
import { onlyRecordSql, recordSql, recordsSql } from '../store/sql/record.ts'
import { type Prepared, SqlText } from '../store/sql/sql-text.ts'
import type { StoredRow } from '../store/store.ts'
import { Columns } from './columns.ts'
import { type ConnectionPrint, makeConnectionPrint } from './connection.ts'
import {
  type Back,
  type ListPart,
  makePrint,
  type OnePart,
  type Print,
  type PrintContext,
  type RequestedList,
  type RequestedOne,
} from './print.ts'
import type { Root } from './selection.ts'
import { makeListText } from './text.ts'

/** One statement and what hangs below its rows. */
export interface Level {
  readonly prepared: Prepared
  readonly children: readonly Child[]
}
export interface Child extends Level {
  /** A text is a list that the database has made into one. */
  readonly kind: 'one' | 'list' | 'text'
  /** Where the results of this child are kept during a run. */
  readonly index: number
  /** The column of the parent's row by which its rows are found. */
  readonly keyPlace: number
  /** Which of the run's list arguments are this list's or text's; −1 for `one`. */
  readonly slot: number
}

export interface ReadPlan {
  readonly root: Root
  readonly level: Level
  readonly childCount: number
  readonly print: Print
  readonly fallible: boolean
  /** For records: the same of one of them, by its `id`. */
  readonly only: Prepared | null
  /** For records asked for with their ETag: where the version stands, and whether each protected field is visible. */
  readonly versionPlace: number
  readonly maskPlaces: readonly (number | boolean)[]
  /** For lists: where the values of a cursor stand, the statement that counts, and the one that finds the parent. */
  readonly cursorPlaces: readonly number[]
  readonly count: Prepared | null
  readonly holder: Prepared | null
  readonly connection: ConnectionPrint | null
}

/** Compiles a plan for all actors of this actor's class. */
export function compileRead(root: Root, actor: Actor | null, dialect: Dialect): ReadPlan {
  const compiler = new Compiler(actor, dialect)
  return root.kind === 'list' ? compiler.list(root) : compiler.record(root)
}

/** One level while it is compiled. */
interface Making {
  readonly children: Child[]
  /** Whether what a reference leads to may be joined: where there are no more rows than a page has. */
  readonly joins: boolean
  /** The record that was read whether or not the actor may read it, if there is one. */
  readonly unscoped: Columns | null
  /** Where a reference of these rows leads back to the record whose list they are. */
  readonly back: Back | null
}
class Compiler {
  readonly #actor: Actor | null
  readonly #dialect: Dialect
  #childCount = 0

  constructor(actor: Actor | null, dialect: Dialect) {
    this.#actor = actor
    this.#dialect = dialect
  }

  record(root: Extract<Root, { kind: 'record' | 'records' }>): ReadPlan {
    const { resource } = root.of
    const columns = root.kind === 'record' ? new Columns(0) : new Columns(1, idOf(resource))
    const children: Child[] = []
    const isScoped = root.kind === 'record' || root.scoped
    const making = { children, joins: true, unscoped: isScoped ? null : columns, back: null }
    const { print, fallible } = makePrint(root.of, columns, this.#context(making))
    const versionPlace = root.etag ? columns.place('version') : -1
    const maskPlaces = root.etag ? resource.masked.map((field) => this.#maskPlace(resource, field, columns)) : []
    const condition = isScoped ? this.#readable(resource) : always
    const prepare = (make: typeof recordSql) => {
      const sql = new SqlText(this.#dialect)
      return make(resource, condition, (alias) => columns.selected(alias, sql), sql)
    }
    const prepared = prepare(root.kind === 'record' ? recordSql : recordsSql)
    const only = root.kind === 'record' ? null : prepare(onlyRecordSql)
    return { ...this.#plan(root, { prepared, children }, print, fallible), versionPlace, maskPlaces, only }
  }

  list(root: Extract<Root, { kind: 'list' }>): ReadPlan {
    const { within } = root
    const list = this.#scoped(root.list)
    const columns = new Columns(0)
    const children: Child[] = []
    const context = this.#context({ children, joins: true, unscoped: null, back: null })
    const sql = new SqlText(this.#dialect)
    const made = root.parts.as === 'array' ? makePrint(root.parts.of, columns, context) : null
    const connection = root.parts.as === 'array' ? null : makeConnectionPrint(root.parts.parts, columns, context)
    const cursorPlaces = list.sort.map((key) => columns.place(key.column))
    const condition = this.#readable(list.resource)
    const parent = within === null ? null : { relation: within.relation, parent: sql.parameter({ from: 'id' }) }
    const selected = (alias: string) => columns.selected(alias, sql)
    const prepared = findsIds(list)
      ? amongSql(list, condition, selected, sql)
      : listSql(list, condition, selected, parent, sql)
    const level = { prepared, children }
    return {
      ...this.#plan(root, level, made?.print ?? (() => null), made?.fallible ?? connection!.fallible),
      cursorPlaces,
      connection,
      count: root.total ? this.#count(list, root.within) : null,
      holder: within === null ? null : this.#holder(within.holder),
    }
  }

  #plan(root: Root, level: Level, print: Print, fallible: boolean): ReadPlan {
    return {
      root,
      level,
      print,
      fallible,
      childCount: this.#childCount,
      versionPlace: -1,
      maskPlaces: [],
      cursorPlaces: [],
      count: null,
      holder: null,
      connection: null,
      only: null,
    }
  }

  #readable(resource: ResourceModel): Condition {
    return fold(resource.read.allow, resource, this.#actor)
  }

  /** With what its query asks of actors of this class, if it is a query's. */
  #scoped(list: ListShape): ListShape {
    if (list.query === undefined) return list
    const { query, missing } = list.query
    const { scope, resource } = query
    return { ...list, scope: scope === null ? null : scopeCondition(scope, missing, resource, this.#actor) }
  }

  #count(list: ListShape, of: Extract<Root, { kind: 'list' }>['within']): Prepared {
    const sql = new SqlText(this.#dialect)
    const within = of === null ? null : { relation: of.relation, parent: sql.parameter({ from: 'id' }) }
    // What there is in all does not depend on where this page begins.
    const whole: ListShape = { ...list, seek: null, offset: false, backward: false }
    const readable = this.#readable(list.resource)
    return findsIds(list) ? countAmongSql(whole, readable, sql) : countSql(whole, readable, within, sql)
  }

  #holder(resource: ResourceModel): Prepared {
    return recordSql(resource, this.#readable(resource), () => onlyColumns('1'), new SqlText(this.#dialect))
  }

  #maskPlace(resource: ResourceModel, field: string, columns: Columns): number | boolean {
    const condition = fold(resource.protect.get(field)!.read!, resource, this.#actor)
    return condition.is === 'always' || (condition.is !== 'never' && columns.place(condition))
  }

  #context(making: Making): PrintContext {
    const context: PrintContext = {
      actor: this.#actor,
      dialect: this.#dialect,
      requestOne: (part, columns) =>
        this.#backOf(part, making) ?? this.#joined(part, columns, making, context) ?? this.#one(part, columns, making),
      requestList: (part, columns) => this.#list(part, columns, making, context),
    }
    return context
  }

  /** The record whose list this is: there is nothing to be read. */
  #backOf(part: OnePart, { back }: Making): RequestedOne | null {
    if (back === null || part.relation !== back.relation) return null
    const { print, fallible } = makePrint(part.of, back.columns, back.context)
    return {
      fallible,
      rowOf: (_, { above }) => above.at(-1),
      print(row, printing) {
        printing.above.pop()
        const text = print(row, printing)
        printing.above.push(row)
        return text
      },
    }
  }

  #joined(part: OnePart, columns: Columns, { joins }: Making, context: PrintContext): RequestedOne | null {
    const { relation, of } = part
    const joined = joins ? columns.join(relation, this.#readable(of.resource)) : null
    if (joined === null) return null
    const made = makePrint(of, joined, context)
    const present = joined.presence(idOf(of.resource))
    if (!relation.column.nullable) return { ...made, rowOf: (row) => (row[present] === null ? undefined : row) }
    const place = columns.place(relation.column)
    return { ...made, rowOf: (row) => (row[place] === null ? null : row[present] === null ? undefined : row) }
  }

  #one({ relation, of }: OnePart, columns: Columns, { children }: Making): RequestedOne {
    const index = this.#childCount++
    const keyPlace = columns.place(relation.column)
    const own = new Columns(1, idOf(of.resource))
    const below: Child[] = []
    const made = makePrint(of, own, this.#context({ children: below, joins: false, unscoped: null, back: null }))
    const sql = new SqlText(this.#dialect)
    const selected = (alias: string) => own.selected(alias, sql)
    const prepared = recordsSql(of.resource, this.#readable(of.resource), selected, sql)
    children.push({ kind: 'one', index, keyPlace, slot: -1, prepared, children: below })
    return {
      ...made,
      rowOf(row, printing) {
        const id = row[keyPlace]!
        return id === null ? null : (printing.children[index]!.get(id) as StoredRow | undefined)
      },
    }
  }

  #list(part: ListPart, columns: Columns, { children, unscoped }: Making, context: PrintContext): RequestedList {
    const { relation, list, slot, of } = part
    const index = this.#childCount++
    const keyPlace = columns.place(idOf(holderOf(relation)))
    const condition = this.#readable(of.resource)
    const sql = new SqlText(this.#dialect)
    const back: Back | null =
      relation.kind === 'many' && columns !== unscoped ? { relation: relation.by, columns, context } : null
    const text = makeListText(of, context, back)
    if (text !== null) {
      const prepared = childTextSql(list, condition, text.sql, relation, sql)
      children.push({ kind: 'text', index, keyPlace, slot, prepared, children: [] })
      return { index, keyPlace, rows: text }
    }
    const own = new Columns(1, relation.kind === 'many' ? relation.by.column : null)
    const below: Child[] = []
    const rows = makePrint(of, own, this.#context({ children: below, joins: false, unscoped: null, back }))
    const prepared = childListSql(list, condition, (alias) => own.selected(alias, sql), relation, sql)
    children.push({ kind: 'list', index, keyPlace, slot, prepared, children: below })
    return { index, keyPlace, rows }
  }
}

const findsIds = ({ query }: ListShape): boolean => query !== undefined && query.query.ids !== null

const idOf = (resource: ResourceModel): Column => resource.column.get('id')!

function holderOf(relation: ManyRelation | LinkRelation): ResourceModel {
  if (relation.kind === 'many') return relation.by.target
  return relation.side === 'source' ? relation.link.source : relation.link.target
}
