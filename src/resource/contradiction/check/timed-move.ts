// Checks moves that the clock makes: their due time, and what they need of a caller.

import type { SpecBase } from '../../field/field.ts'
import type { OneSpec } from '../../field/relation.ts'
import type { ActionDefinition, Definition } from '../../language/definition.ts'
import { dueOf } from '../../model/compile/compile-timed-move.ts'
import { type DefinitionIndex, own } from '../report/definition-index.ts'
import { instead, type Report } from '../report/report.ts'

export function timedMoveContradictions(definitions: DefinitionIndex, report: Report): void {
  for (const definition of definitions.resources.values())
    for (const [name, action] of Object.entries(definition.actions)) {
      const where = `${definition.name}.${name}`
      if (action.at !== undefined) checkTimedMove(where, name, action, { definition, definitions, report })
      else if (action.past !== undefined || action.shown !== undefined)
        report(where, 'it has past or shown, which are about a due time', 'give it at, or strike them')
    }
}

interface Place {
  readonly definition: Definition
  readonly definitions: DefinitionIndex
  readonly report: Report
}

function checkTimedMove(where: string, name: string, action: ActionDefinition, place: Place): void {
  const { definition, report } = place
  const { accept = [], link, unlink } = action
  if (['read', 'create', 'update', 'delete'].includes(name) || action.on !== undefined) {
    report(where, 'it has at, and only a move of a record is made by the clock', 'strike at, or make it a move')
    return
  }
  for (const each of accept)
    if (own(definition.fields, each)?.optional !== true)
      report(where, `it needs ${each}, which the clock does not send`, `make ${each} optional, or strike it`)
  if (link !== undefined || unlink !== undefined)
    report(where, 'it links the actor, and the clock is none', 'strike link and unlink')
  const { due, shifts } = dueOf(action.at!)
  checkTimestamp(where, due, place)
  for (const { unitSeconds, count } of shifts) {
    if (!Number.isInteger(unitSeconds))
      report(where, 'its at has an unknown unit', 'use weeks, days, hours, minutes and seconds')
    else if (typeof count !== 'number') {
      const spec = own(definition.fields, count?.field)
      if (spec?.kind !== 'integer')
        report(
          where,
          `its at counts ${count?.field}, which is no integer`,
          instead(count?.field, integersOf(definition)),
        )
    } else if (!Number.isInteger(count) || Math.abs(count * unitSeconds) > spanSecondsMax)
      report(where, 'its at is shifted by something else than a whole number', 'shift it by less than 1,000 years')
  }
}
const spanSecondsMax = 31_557_600_000
const integersOf = ({ fields }: Definition) => Object.keys(fields).filter((each) => fields[each]!.kind === 'integer')

function checkTimestamp(where: string, due: string, { definition, definitions, report }: Place): void {
  const [first, field, ...rest] = due.split('.') as [string, ...string[]]
  const relation = own(definition.fields, first) as OneSpec | undefined
  const isPath = field !== undefined
  if (isPath && (relation?.kind !== 'one' || rest.length > 0)) {
    report(where, `its at follows ${due}, which is no field of a record that it refers to`, 'name one relation to one')
    return
  }
  const of = isPath ? definitions.resources.get(relation!.target) : definition
  if (of === undefined) return
  const name = field ?? first
  if (name === 'createdAt') return
  if (own(of.fields, name)?.kind !== 'timestamp')
    report(where, `its at is ${name}, which is no timestamp of ${of.name}`, instead(name, timestampsOf(of)))
}
const isTimestamp = ({ kind }: SpecBase) => kind === 'timestamp'
const timestampsOf = ({ fields }: Definition) => [
  ...Object.keys(fields).filter((each) => isTimestamp(fields[each]!)),
  'createdAt',
]
