// A rule taken apart for one person and, where there is one, one record: what each part asks, and how it was answered.

import type { Actor } from '../../resource/actor.ts'
import { writeValue } from '../../resource/field/registry.ts'
import type { RuleNode } from '../../resource/language/rule.ts'
import { fold } from '../../resource/model/condition.ts'
import type { LinkRelation, ManyRelation, OneRelation, ResourceModel } from '../../resource/model/model.ts'
import { membershipIn, ruleSentence } from '../../resource/model/rule-sentence.ts'
import { type Permission, permission } from '../../resource/naming/permission.ts'
import type { Store } from '../../store/store.ts'
import { type Examined, examine, sampleList } from './examine.ts'

export interface Branch {
  /** Null where it depends on the record, and there is none. */
  readonly holds: boolean | null
  /** Who may, as in the documentation. */
  readonly says: string
  /** Null where there is nothing to add. */
  readonly why: string | null
  /** What it consists of, where that is shown. */
  readonly parts: readonly Branch[]
}

export interface BranchContext {
  readonly resource: ResourceModel
  readonly actor: Actor | null
  /** Null where the rule is about many records, or about one that is yet to be made. */
  readonly examined: Examined | null
  /** What the version of the request calls the fields of a resource. */
  readonly nameIn: (resource: ResourceModel) => (field: string) => string
  readonly store: Store
  /** What rules take for now. */
  readonly now: Date
}

/** The alternatives of a rule; a rule without alternatives is one. */
export async function branchesOf(rule: RuleNode, context: BranchContext): Promise<readonly Branch[]> {
  if (rule.rule === 'anyOf') return (await Promise.all(rule.rules.map((each) => branchesOf(each, context)))).flat()
  if (rule.rule === 'may') return mayBranches(rule, context)
  if (rule.rule === 'confined') return branchesOf(rule.of, context)
  return [await branchOf(rule, context)]
}

/** One rule with its answer; its parts are shown where it has several. */
export async function branchOf(rule: RuleNode, context: BranchContext): Promise<Branch> {
  if (rule.rule === 'may' && rule.mine === null) return (await mayBranches(rule, context))[0]!
  if (rule.rule === 'some' && membershipIn(rule) === null) return someBranch(rule, context)
  const says = sentenceOf(rule, context)
  return { holds: holdsFor(rule, context), says, why: whyOf(rule, context), parts: await partsOf(rule, context) }
}

/** Relations are called by their names, as people do; `author_id` is what the wire calls them. */
const sentenceOf = (rule: RuleNode, { resource, nameIn }: BranchContext): string =>
  ruleSentence(rule, resource, (of, field) => (of.relations.has(field) ? field : nameIn(of)(field)))

function holdsFor(rule: RuleNode, { resource, actor, examined }: BranchContext): boolean | null {
  if (examined !== null) return examined.holds.get(rule)!
  const { is } = fold(rule, resource, actor)
  return is === 'always' ? true : is === 'never' ? false : null
}

/** `edit_own` and `edit_any` are two ways to be allowed. */
async function mayBranches({ verb, mine }: May, context: BranchContext): Promise<readonly Branch[]> {
  const { resource, actor } = context
  const word = (suffix: string) => permission(resource.path, `${verb}${suffix}`)
  if (mine === null) return [{ ...held([word(''), word('_any')], actor), says: `holders of ${word('')}`, parts: [] }]
  const own = { ...held([word('_own')], actor), says: `with ${word('_own')} ${sentenceOf(mine, context)}` }
  const inner = await branchOf(mine, context)
  return [
    own.holds ? { ...inner, says: own.says } : { ...own, parts: [] },
    { ...held([word('_any'), word('')], actor), says: `holders of ${word('_any')}`, parts: [] },
  ]
}
type May = Extract<RuleNode, { rule: 'may' }>

/** Any of the words will do; the first is the one that is asked for. */
function held(words: readonly Permission[], actor: Actor | null): Pick<Branch, 'holds' | 'why'> {
  if (actor === null) return { holds: false, why: nobody }
  const permission = words.find((each) => actor.permissions.has(each))
  return {
    holds: permission !== undefined,
    why: `${actor.role} ${permission === undefined ? `does not hold ${words[0]}` : `holds ${permission}`}`,
  }
}
const nobody = 'nobody is signed in'

function whyOf(rule: RuleNode, { actor, examined, resource, nameIn }: BranchContext): string | null {
  const nameOf = nameIn(resource)
  switch (rule.rule) {
    case 'nobody':
      return 'only effects of other actions do this'
    case 'signedIn':
      return actor === null ? nobody : null
    case 'role':
      return actor === null ? nobody : `the asker is ${actor.role}`
    case 'hasToken':
      return 'the asker shows no access code'
    case 'self':
      return actor === null
        ? nobody
        : examined && (examined.id === actor.id ? 'it is the asker' : 'it is somebody else')
    case 'own': {
      if (actor === null) return nobody
      return examined && isValue(nameOf(rule.relation), examined.record[rule.relation], actor)
    }
    case 'when': {
      return (
        examined &&
        Object.keys(rule.values)
          .map((field) => isValue(nameOf(field), shownOf(resource, field, examined.record[field]), null))
          .join(' and ')
      )
    }
    case 'readable':
    case 'through': {
      const { target } = resource.relations.get(rule.relation) as OneRelation
      const id = examined?.record[rule.relation]
      return typeof id === 'string' ? `it is ${id}, of ${target.path}` : null
    }
    default:
      return null
  }
}

const shownOf = (resource: ResourceModel, field: string, value: unknown): unknown =>
  writeValue(resource.column.get(field)!.spec, value)

function isValue(name: string, value: unknown, actor: Actor | null): string {
  if (value === null) return `${name} is not set`
  return `${name} is ${String(value)}${actor !== null && value === actor.id ? ', the asker' : ''}`
}

async function partsOf(rule: RuleNode, context: BranchContext): Promise<readonly Branch[]> {
  // Who is a member of what is one sentence.
  if (membershipIn(rule) !== null) return []
  if (rule.rule === 'allOf') return Promise.all(rule.rules.map((each) => branchOf(each, context)))
  if (rule.rule === 'anyOf' || rule.rule === 'may' || rule.rule === 'confined') return branchesOf(rule, context)
  if (rule.rule === 'not') return [await branchOf(rule.of, context)]
  if (rule.rule === 'through') return throughBranches(rule.relation, rule.of, context)
  if (rule.rule !== 'readable') return []
  const { target } = context.resource.relations.get(rule.relation) as OneRelation
  return throughBranches(rule.relation, target.read.allow, context)
}

/** What the rule says of the record that the relation names. */
async function throughBranches(field: string, rule: RuleNode, context: BranchContext): Promise<readonly Branch[]> {
  const { target } = context.resource.relations.get(field) as OneRelation
  const id = context.examined?.record[field]
  if (typeof id !== 'string') return []
  const examined = await examine(target, id, [rule], context.actor, context)
  return examined === null ? [] : branchesOf(rule, { ...context, resource: target, examined })
}

/** What the rule says of records in a list: of those that it holds for, and where there are none, of others. */
async function someBranch(rule: Some, context: BranchContext): Promise<Branch> {
  const { examined, resource, actor, nameIn } = context
  const { list, of } = rule
  const branch = { holds: holdsFor(rule, context), says: sentenceOf(rule, context) }
  if (examined === null) return { ...branch, why: null, parts: [] }
  const relation = resource.relations.get(list) as ManyRelation | LinkRelation
  const { ids, total } = await sampleList(relation, examined.id, { rule: of, actor }, context)
  const parts = await Promise.all(ids.map((id) => listedBranch(relation.target, id, of, context)))
  const count = `${total === 0 ? 'none' : total} in ${nameIn(resource)(list)}`
  const why = parts.length < total ? `${count}, ${parts.length} of them shown` : count
  return { ...branch, why, parts: parts.filter((each) => each !== null) }
}
type Some = Extract<RuleNode, { rule: 'some' }>

/** Null where the record has been deleted meanwhile. */
async function listedBranch(
  target: ResourceModel,
  id: string,
  rule: RuleNode,
  context: BranchContext,
): Promise<Branch | null> {
  const examined = await examine(target, id, [rule], context.actor, context)
  if (examined === null) return null
  const parts = await branchesOf(rule, { ...context, resource: target, examined })
  return { holds: examined.holds.get(rule)!, says: `${id}, of ${target.path}`, why: null, parts }
}
