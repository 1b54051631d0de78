// What somebody may see of the rows, and may do with what he sees: rules read plainly, record by record, by nothing that the
// service itself runs on.

import type { RuleNode } from '../../../src/resource/language/rule.ts'
import type { Model, ResourceModel, Scope } from '../../../src/resource/model/model.ts'
import { permission } from '../../../src/resource/naming/permission.ts'
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
  const permissions = person === null ? null : model.roles.get(person.role)!
  const related = (row: Row, relation: string) => livingRow(rows, row.values[relation])
  function holds(rule: RuleNode, row: Row): boolean {
    switch (rule.rule) {
      case 'anyone':
        return true
      case 'nobody':
        return false
      case 'signedIn':
        return person !== null
      case 'self':
        return person !== null && row.id === person.id
      case 'own':
        return person !== null && row.values[rule.relation] === person.id
      case 'readable': {
        const target = related(row, rule.relation)
        return target !== null && mayRead(target)
      }
      case 'when':
        return Object.entries(rule.values).every(([field, test]) => meets(row.values[field] ?? null, test))
      case 'may':
        return may(rule, row)
      case 'anyOf':
        return rule.rules.some((each) => holds(each, row))
      case 'allOf':
        return rule.rules.every((each) => holds(each, row))
    }
  }
  function may({ verb, mine }: Extract<RuleNode, { rule: 'may' }>, row: Row): boolean {
    const has = (word: string) => permissions?.has(permission(row.of.path, word)) === true
    return has(verb) || has(`${verb}_any`) || (mine !== null && has(`${verb}_own`) && holds(mine, row))
  }
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

function meets(value: unknown, test: unknown): boolean {
  if (typeof test === 'object' && test !== null && 'present' in test) return (value !== null) === test.present
  return value instanceof Date && test instanceof Date ? value.getTime() === test.getTime() : value === test
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
