// Lists below a record whose parts are all plain are made into text by the database: a hundred records arrive as one value,
// and nothing is left to print. Where a part may be refused, or is made here, rows are read instead.

import type { ResourceModel } from '../resource/model/model.ts'
import { type Dialect, literal, quote } from '../store/sql/dialect.ts'
import { type Back, type Gap, isOutOfReach, isPlainText, makePrint, type PrintContext, readCondition } from './print.ts'
import type { Part, Selection } from './selection.ts'

export interface ListText {
  /** SQL for the text of one record. */
  readonly sql: (alias: string) => string
  readonly gaps: readonly Gap[]
}
/** What a text consists of: what is the same in each, or SQL for a part of it. */
type Piece = string | ((alias: string) => string)

/** No JSON text has these characters in it, and both databases take them. */
const marks = Array.from({ length: 8 }, (_, at) => String.fromCharCode(at + 1))

/** The text of a list's records, where the database can make it. `back`: the reference that leads back to their parent. */
export function makeListText(selection: Selection, context: PrintContext, back: Back | null): ListText | null {
  const { resource } = selection
  const parts = selection.parts.filter((part) => !isOmitted(part, selection, context))
  if (!parts.every((part) => isPlain(part, resource, context, back))) return null
  // What is asked for again and again is counted here, while it is printed; the database would make all of it.
  const fields = parts.flatMap((part) => (part.kind === 'field' ? [part.field] : []))
  if (new Set(fields).size < fields.length) return null
  const backs = parts.filter((part) => part.kind === 'one')
  if (backs.length > marks.length) return null
  const gaps = backs.map(({ of }, at) => ({
    mark: marks[at]!,
    print: makePrint(of, back!.columns, back!.context).print,
  }))
  const pieces = parts.flatMap((part, at): readonly Piece[] => [
    `${at === 0 ? '' : ','}${JSON.stringify(part.key)}:`,
    part.kind === 'field' ? fieldSql(part.field, resource, context.dialect) : '',
    part.kind === 'one' ? gaps[backs.indexOf(part)]!.mark : '',
    part.kind === 'constant' ? part.json : '',
  ])
  return { sql: (alias) => textSql(['{', ...pieces, '}'], alias, context.dialect), gaps }
}

const isOmitted = (part: Part, { resource, hidden }: Selection, { actor }: PrintContext): boolean =>
  part.kind === 'field' && hidden === 'omit' && readCondition(part.field, resource, actor).is === 'never'

/** True for what every record of the list has and whoever reads the list may see. */
function isPlain(part: Part, resource: ResourceModel, context: PrintContext, back: Back | null): boolean {
  switch (part.kind) {
    case 'constant':
      return true
    case 'field':
      return (
        part.shape === undefined &&
        resource.column.has(part.field) &&
        readCondition(part.field, resource, context.actor).is === 'always'
      )
    case 'one': {
      if (part.relation !== back?.relation || isOutOfReach(part.of.resource, context)) return false
      const { resource: above, parts } = part.of
      return parts.every((each) => each.kind !== 'one' && each.kind !== 'list' && isPlain(each, above, context, null))
    }
    case 'list':
      return false
  }
}

function fieldSql(field: string, { column }: ResourceModel, dialect: Dialect): Piece {
  const own = column.get(field)!
  return (alias) => {
    const value = dialect.jsonSql(`${alias}.${quote(own.name)}`, own.type, isPlainText(own))
    return `coalesce(${value}, 'null')`
  }
}

function textSql(pieces: readonly Piece[], alias: string, { concat }: Dialect): string {
  const texts: string[] = []
  let same = ''
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      same += piece
      continue
    }
    texts.push(literal(same), piece(alias))
    same = ''
  }
  return concat([...texts, literal(same)])
}
