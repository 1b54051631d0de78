// From what is asked to a plan: one statement per level of the tree, whatever the number of parents, selecting only
// the columns asked for, with the actor's rule in each WHERE. Compiled once for actors of one class, run often.

import type { Actor } from '../resource/actor.ts'
import { always, type Condition, fold } from '../resource/condition.ts'
import type { Column, LinkRelation, ManyRelation, ResourceModel } from '../resource/model.ts'
import { scopeCondition } from '../resource/scope.ts'
import { amongSql, countAmongSql } from '../store/sql/among.ts'
import type { Dialect } from '../store/sql/dialect.ts'
import { childListSql, countSql, listSql } from '../store/sql/list.ts'
import type { ListShape } from '../store/sql/list-shape.ts'
import { recordSql, recordsSql } from '../store/sql/record.ts'
import { type Prepared, SqlText } from '../store/sql/text.ts'
import { Columns } from './columns.ts'
import { type ConnectionPrint, makeConnectionPrint } from './connection.ts'
import { makePrint, type Print, type PrintContext } from './print.ts'
import type { Root } from './selection.ts'

/** One statement and what hangs below its rows. */
export interface Level {
  readonly prepared: Prepared
  readonly children: readonly Child[]
}
export interface Child extends Level {
  readonly kind: 'one' | 'list'
  /** Where the results of this child are kept during a run. */
  readonly index: number
  /** The column of the parent's row by which its rows are found. */
  readonly keyPlace: number
  /** Which of the run's list arguments are this list's; −1 for `one`. */
  readonly slot: number
}

export interface ReadPlan {
  readonly root: Root
  readonly level: Level
  readonly childCount: number
  readonly print: Print
  readonly fallible: boolean
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
    const { print, fallible } = makePrint(root.of, columns, this.#context(children))
    const versionPlace = root.etag ? columns.place('version') : -1
    const maskPlaces = root.etag ? resource.masked.map((field) => this.#maskPlace(resource, field, columns)) : []
    const make = root.kind === 'record' ? recordSql : recordsSql
    const sql = new SqlText(this.#dialect)
    const condition = root.kind === 'records' && !root.scoped ? always : this.#readable(resource)
    const prepared = make(resource, condition, (alias) => columns.sql(alias, sql), sql)
    return { ...this.#plan(root, { prepared, children }, print, fallible), versionPlace, maskPlaces }
  }

  list(root: Extract<Root, { kind: 'list' }>): ReadPlan {
    const { within } = root
    const list = this.#scoped(root.list)
    const columns = new Columns(0)
    const children: Child[] = []
    const context = this.#context(children)
    const sql = new SqlText(this.#dialect)
    const made = root.parts.as === 'array' ? makePrint(root.parts.of, columns, context) : null
    const connection = root.parts.as === 'array' ? null : makeConnectionPrint(root.parts.parts, columns, context)
    const cursorPlaces = list.sort.map((key) => columns.place(key.column))
    const condition = this.#readable(list.resource)
    const parent = within === null ? null : { relation: within.relation, parent: sql.parameter({ from: 'id' }) }
    const selected = (alias: string) => columns.sql(alias, sql)
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
    return recordSql(resource, this.#readable(resource), () => '1', new SqlText(this.#dialect))
  }

  #maskPlace(resource: ResourceModel, field: string, columns: Columns): number | boolean {
    const condition = fold(resource.protect.get(field)!.read!, resource, this.#actor)
    return condition.is === 'always' || (condition.is !== 'never' && columns.place(condition))
  }

  #context(children: Child[]): PrintContext {
    const requestChild: PrintContext['requestChild'] = (part, columns) => {
      const index = this.#childCount++
      const below: Child[] = []
      const own = new Columns(1, keyOf(part))
      const { print, fallible } = makePrint(part.of, own, this.#context(below))
      const parent = part.kind === 'one' ? part.relation.column : idOf(holderOf(part.relation))
      const keyPlace = columns.place(parent)
      const prepared = this.#childStatement(part, own)
      const slot = part.kind === 'list' ? part.slot : -1
      children.push({ kind: part.kind, index, keyPlace, slot, prepared, children: below })
      return { index, print, fallible, keyPlace }
    }
    return { actor: this.#actor, dialect: this.#dialect, requestChild }
  }

  #childStatement(part: Below, columns: Columns): Prepared {
    const sql = new SqlText(this.#dialect)
    const selected = (alias: string) => columns.sql(alias, sql)
    const condition = this.#readable(part.of.resource)
    return part.kind === 'one'
      ? recordsSql(part.of.resource, condition, selected, sql)
      : childListSql(part.list, condition, selected, part.relation, sql)
  }
}

const findsIds = ({ query }: ListShape): boolean => query !== undefined && query.query.ids !== null

type Below = Parameters<PrintContext['requestChild']>[0]

const idOf = (resource: ResourceModel): Column => resource.column.get('id')!

function holderOf(relation: ManyRelation | LinkRelation): ResourceModel {
  if (relation.kind === 'many') return relation.by.target
  return relation.side === 'source' ? relation.link.source : relation.link.target
}

/** What is known of a row below before it is read: by which id it was found. */
function keyOf(part: Below): Column | null {
  if (part.kind === 'one') return idOf(part.of.resource)
  return part.relation.kind === 'many' ? part.relation.by.column : null
}
