// Finds the lists and kept numbers that rules of writes read, on the written record and on those it names, and the numbers that
// stored values are made from. They are locked from the rule to the commit. (contract 5.4.5)

import { memoize } from '../../../cache/memoize.ts'
import type { OneSpec } from '../../field/relation.ts'
import type { RuleNode } from '../../language/rule/rule.ts'
import { within } from '../../language/rule/rule-parts.ts'
import type { ActionModel, KeptNumber, LinkRelation, ManyRelation, ResourceModel } from '../model.ts'
import type { ResourceDraft } from '../model-draft.ts'
import { fieldsRead, isAboutMe } from './comparison.ts'

export function compileGuards(drafts: ReadonlyMap<string, ResourceDraft>): void {
  for (const { actions } of drafts.values())
    for (const action of actions.values())
      for (const { rule, resource } of rulesOf(action)) {
        for (const { relation, fields } of listsIn(rule, resource)) guard(drafts, resource, relation, fields)
        for (const number of numbersIn(rule, resource)) drafts.get(resource.name)!.ruledNumbers.add(number)
      }
  // Of two writes in one transaction, the one that reads the record first could store its value last.
  for (const { keptNumbers, storedValues, ruledNumbers } of drafts.values())
    for (const number of keptNumbers)
      if (storedValues.some(({ from }) => from.includes(number.column))) ruledNumbers.add(number)
}

function guard(
  drafts: ReadonlyMap<string, ResourceDraft>,
  holder: ResourceModel,
  relation: ManyRelation | LinkRelation,
  fields: readonly string[],
): void {
  const { guards } = drafts.get(relation.target.name)!
  const former = guards.find((each) => each.relation === relation)
  const all = new Set([...(former?.fields ?? []), ...fields])
  if (former !== undefined) guards.splice(guards.indexOf(former), 1)
  guards.push({ holder, relation, fields: all })
}

export const hasListRules = memoize((action: ActionModel) =>
  ownRules(action).some((rule) => listsIn(rule, action.resource).length > 0),
)

export const hasListRule = (rule: RuleNode, resource: ResourceModel): boolean => listsIn(rule, resource).length > 0

/** One record may then exclude the next. */
export const readsWhatItChanges = memoize((action: ActionModel) =>
  rulesOf(action).some(
    ({ rule, resource }) =>
      listsIn(rule, resource).some(({ relation }) => relation.target === action.resource) ||
      numbersIn(rule, resource).some((number) => dependsOn(number, action.resource)),
  ),
)

/** Whether it counts or adds these records, or adds a number that does. */
const dependsOn = ({ of, relation: { target } }: KeptNumber, resource: ResourceModel): boolean =>
  target === resource || target.keptNumbers.some((each) => each.column === of && dependsOn(each, resource))

export const isOneByOne = (action: ActionModel): boolean => action.checkReads || readsWhatItChanges(action)

interface WriteRule {
  readonly rule: RuleNode
  readonly resource: ResourceModel
}

function rulesOf(action: ActionModel): readonly WriteRule[] {
  if (action.kind === 'read') return []
  const { resource, accept, lists } = action
  const own = ownRules(action).map((rule) => ({ rule, resource }))
  const followed = own.flatMap(({ rule }) =>
    [...within(rule)].flatMap((each) => {
      if (each.rule !== 'through') return []
      const relation = resource.relations.get(each.relation)
      return relation?.kind === 'one' ? [{ rule: each.of, resource: relation.target }] : []
    }),
  )
  const named = accept.flatMap(({ field, spec }) => {
    const relation = resource.relations.get(field)
    const { into } = spec as OneSpec
    return into === undefined || relation?.kind !== 'one' ? [] : [{ rule: into, resource: relation.target }]
  })
  const linked = lists.flatMap(({ into, relation: { target } }) =>
    into === null ? [] : [{ rule: into, resource: target }],
  )
  return [...own, ...followed, ...named, ...linked]
}

const ownRules = ({ allow, accept, resource }: ActionModel): readonly RuleNode[] => [
  allow,
  ...accept.flatMap(({ field }) => resource.protect.get(field)?.write ?? []),
]

interface RuleList {
  readonly relation: ManyRelation | LinkRelation
  readonly fields: readonly string[]
}

/** A list that only decides whether the caller is in it is left out: a right takes effect from the next request. */
function listsIn(rule: RuleNode, { relations }: ResourceModel): readonly RuleList[] {
  return [...within(rule)].flatMap((each) => {
    if (each.rule !== 'some' || each.member !== undefined || dependsOnCaller(each.of)) return []
    const relation = relations.get(each.list) as ManyRelation | LinkRelation
    // Records above a record are judged once, as other second steps are.
    if (relation.kind === 'manyToMany' && relation.link.parent !== null) return []
    return [{ relation, fields: fieldsRead(each.of) }]
  })
}

function numbersIn(rule: RuleNode, { keptNumbers }: ResourceModel): readonly KeptNumber[] {
  if (keptNumbers.length === 0) return []
  const fields = fieldsRead(rule)
  return keptNumbers.filter(({ column }) => fields.includes(column.field))
}

const dependsOnCaller = (rule: RuleNode): boolean =>
  [...within(rule)].some(
    (each) =>
      callerRules.has(each.rule) ||
      (each.rule === 'when' && Object.values(each.values).some(isAboutMe)) ||
      ((each.rule === 'through' || each.rule === 'some') && dependsOnCaller(each.of)),
  )
const callerRules: ReadonlySet<RuleNode['rule']> = new Set([
  'own',
  'self',
  'role',
  'may',
  'signedIn',
  'fresh',
  'hasToken',
  'readable',
])
