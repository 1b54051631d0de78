// What somebody may see of the rows, and may do with what he sees: rules read plainly, record by record, by nothing that the
// service itself runs on.

import type { RuleNode } from '../../../src/resource/language/rule.ts'
import type {
  LinkRelation,
  ManyRelation,
  Model,
  Relation,
  ResourceModel,
  Scope,
} from '../../../src/resource/model/model.ts'
import { type PlainAsker, type PlainRecord, says } from '../oracle/plain-rule.ts'
import { livingRow, type Row, type Rows } from './rows.ts'

export interface Person {
  readonly id: string
  readonly role: string
}

export interface Sight {
  readonly mayRead: (row: Row) => boolean
  readonly mayReadField: (row: Row, field: string) => boolean
  readonly holds: (rule: RuleNode, row: Row) => boolean
}

export function createSight(model: Model, rows: Rows, person: Person | null): Sight {
  const account = person === null ? null : livingRow(rows, person.id)
  const asker: PlainAsker = {
    id: person?.id ?? null,
    account: account === null ? null : plainRecord(account, rows),
    permissions: person === null ? new Set() : model.roles.get(person.role)!,
    // No service that is compared has a rule about the time.
    now: new Date(0),
  }
  const holds = (rule: RuleNode, row: Row): boolean => says(rule, plainRecord(row, rows), asker)
  const mayRead = (row: Row): boolean => !row.isDeleted && holds(row.of.read.allow, row)
  return {
    mayRead,
    holds,
    mayReadField(row, field) {
      const rule = row.of.protect.get(field)?.read
      return rule === undefined || holds(rule, row)
    },
  }
}

function plainRecord(row: Row, rows: Rows): PlainRecord {
  const relation = (name: string) => row.of.relations.get(name)!
  const linked = ({ link, side }: LinkRelation): readonly string[] =>
    rows.links
      .filter((each) => each.relation.link === link && (side === 'source' ? each.source : each.target) === row.id)
      .map((each) => (side === 'source' ? each.target : each.source))
  const listed = (of: Relation): readonly Row[] => {
    if (of.kind === 'manyToMany') return linked(of).flatMap((id) => livingRow(rows, id) ?? [])
    const by = (of as ManyRelation).by.field
    return [...rows.records.values()].filter(
      (each) => each.of === of.target && !each.isDeleted && each.values[by] === row.id,
    )
  }
  return {
    path: row.of.path,
    read: row.of.read.allow,
    value: (field) => row.values[field] ?? null,
    one(name) {
      const target = livingRow(rows, row.values[name])
      return target === null ? null : plainRecord(target, rows)
    },
    many: (name) => listed(relation(name)).map((each) => plainRecord(each, rows)),
  }
}

/**
 * All that the answers to this person may depend on, as texts: every value that he may read, and for every record that he
 * may read what he may do with it. Two databases with equal sights must answer him equally.
 */
export function sightOf(model: Model, rows: Rows, person: Person | null): ReadonlySet<string> {
  const sight = createSight(model, rows, person)
  const visited = new Set<string>()
  for (const row of rows.records.values()) {
    if (!sight.mayRead(row)) continue
    visited.add(`${row.id} is ${JSON.stringify(visibleValues(row, rows, sight))}`)
    visited.add(`${row.id} may ${JSON.stringify(rulesAbout(row.of).map((rule) => sight.holds(rule, row)))}`)
  }
  for (const { relation, source, target } of rows.links) {
    const ends = [livingRow(rows, source), livingRow(rows, target)]
    if (ends.every((end) => end !== null && sight.mayRead(end)))
      visited.add(`${relation.link.table} ${source} ${target}`)
  }
  return visited
}

function visibleValues({ of, values, ...row }: Row, rows: Rows, sight: Sight): readonly unknown[] {
  const whole = { of, values, ...row }
  // What a state or a moment forbids is told as a conflict, whoever may read it.
  const tested = new Set([...of.actions.values()].flatMap(({ from }) => from.map(({ column }) => column.field)))
  return of.columns
    .filter(({ secret, field }) => !secret && (tested.has(field) || sight.mayReadField(whole, field)))
    .map(({ field, spec }) => {
      if (spec.kind !== 'one' || field === 'id') return [field, values[field]]
      const target = livingRow(rows, values[field])
      return [field, target !== null && sight.mayRead(target) ? target.id : null]
    })
}

/** Every rule that decides about a record of this resource that may be read. */
function rulesAbout(resource: ResourceModel): readonly RuleNode[] {
  const actions = [...resource.actions.values()].map(({ allow }) => allow)
  const protections = [...resource.protect.values()].flatMap(({ read, write }) => [read, write])
  const queries = [...resource.queries.values()].flatMap(({ scope }) => (scope === null ? [] : rulesIn(scope)))
  return [...actions, ...protections.filter((rule) => rule !== undefined), ...queries]
}
function rulesIn(scope: Scope): readonly RuleNode[] {
  if (scope.is === 'rule') return [scope.rule]
  return scope.is === 'test' ? [] : scope.of.flatMap(rulesIn)
}
