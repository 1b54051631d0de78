// Splits a rule into its parts, each with its result for a caller and perhaps a record.

import { type Actor, codeHashOf, hasSeveralCodes, type Requester } from '../../resource/actor.ts'
import { writeValue } from '../../resource/field/registry.ts'
import type { RuleNode } from '../../resource/language/rule/rule.ts'
import type { LinkRelation, ManyRelation, OneRelation, ResourceModel } from '../../resource/model/model.ts'
import { fold } from '../../resource/model/rule/condition.ts'
import { membershipIn, ruleSentence } from '../../resource/model/rule/rule-sentence.ts'
import { type Permission, permission } from '../../resource/naming/permission.ts'
import type { Store } from '../../store/store.ts'
import { type Examined, examine, sampleList } from './examine.ts'

export interface Branch {
  /** Null if it depends on a record and there is none. */
  readonly holds: boolean | null
  readonly sentence: string
  readonly why: string | null
  readonly parts: readonly Branch[]
}

export interface BranchContext {
  readonly resource: ResourceModel
  readonly actor: Actor | null
  readonly requester: Requester
  /** Null for many records, or for a new one. */
  readonly examined: Examined | null
  readonly nameIn: (resource: ResourceModel) => (field: string) => string
  readonly store: Store
  readonly now: Date
}

export async function branchesOf(rule: RuleNode, context: BranchContext): Promise<readonly Branch[]> {
  if (rule.rule === 'anyOf') return (await Promise.all(rule.rules.map((each) => branchesOf(each, context)))).flat()
  if (rule.rule === 'may') return mayBranches(rule, context)
  if (rule.rule === 'confined') return branchesOf(rule.of, context)
  return [await branchOf(rule, context)]
}

export async function branchOf(rule: RuleNode, context: BranchContext): Promise<Branch> {
  if (rule.rule === 'may' && rule.mine === null) return (await mayBranches(rule, context))[0]!
  if (rule.rule === 'some' && membershipIn(rule) === null) return someBranch(rule, context)
  const sentence = sentenceOf(rule, context)
  return { holds: holdsFor(rule, context), sentence, why: whyOf(rule, context), parts: await partsOf(rule, context) }
}

/** Relations have their own name, instead of `author_id` as on the wire. */
const sentenceOf = (rule: RuleNode, { resource, nameIn }: BranchContext): string =>
  ruleSentence(rule, resource, (of, field) => (of.relations.has(field) ? field : nameIn(of)(field)))

function holdsFor(rule: RuleNode, { resource, requester, examined }: BranchContext): boolean | null {
  if (examined !== null) return examined.holds.get(rule)!
  const { is } = fold(rule, resource, requester)
  return is === 'always' ? true : is === 'never' ? false : null
}

/** `edit_own` and `edit_any` are alternatives. */
async function mayBranches({ verb, mine }: May, context: BranchContext): Promise<readonly Branch[]> {
  const { resource, actor } = context
  const word = (suffix: string) => permission(resource.path, `${verb}${suffix}`)
  if (mine === null)
    return [{ ...held([word(''), word('_any')], actor), sentence: `holders of ${word('')}`, parts: [] }]
  const own = { ...held([word('_own')], actor), sentence: `with ${word('_own')} ${sentenceOf(mine, context)}` }
  const inner = await branchOf(mine, context)
  return [
    own.holds ? { ...inner, sentence: own.sentence } : { ...own, parts: [] },
    { ...held([word('_any'), word('')], actor), sentence: `holders of ${word('_any')}`, parts: [] },
  ]
}
type May = Extract<RuleNode, { rule: 'may' }>

function held(words: readonly Permission[], actor: Actor | null): Pick<Branch, 'holds' | 'why'> {
  if (actor === null) return { holds: false, why: anonymous }
  const permission = words.find((each) => actor.permissions.has(each))
  return {
    holds: permission !== undefined,
    why: `${actor.role} ${permission === undefined ? `does not hold ${words[0]}` : `holds ${permission}`}`,
  }
}
const anonymous = 'the caller is anonymous'

function whyOf(rule: RuleNode, { actor, requester, examined, resource, nameIn }: BranchContext): string | null {
  const nameOf = nameIn(resource)
  switch (rule.rule) {
    case 'nobody':
      return 'only effects of other actions do this'
    case 'signedIn':
    case 'fresh':
      return actor === null ? anonymous : null
    case 'role':
      return actor === null ? anonymous : `the caller is ${actor.role}`
    case 'hasToken':
      if (codeHashOf(requester) === null) return 'the caller shows no access code'
      return examined && openingOf(examined.holds.get(rule) === true, hasSeveralCodes(requester))
    case 'self':
      return actor === null
        ? anonymous
        : examined && (examined.id === actor.id ? 'it is the caller' : 'it is another account')
    case 'own': {
      if (actor === null) return anonymous
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

function openingOf(holds: boolean, isSeveral: boolean): string {
  if (isSeveral) return `${holds ? 'one' : 'none'} of the codes that the caller shows opens it`
  return `the code that the caller shows ${holds ? 'opens it' : 'does not open it'}`
}

const shownOf = (resource: ResourceModel, field: string, value: unknown): unknown =>
  writeValue(resource.column.get(field)!.spec, value)

function isValue(name: string, value: unknown, actor: Actor | null): string {
  if (value === null) return `${name} is not set`
  return `${name} is ${String(value)}${actor !== null && value === actor.id ? ', the caller' : ''}`
}

async function partsOf(rule: RuleNode, context: BranchContext): Promise<readonly Branch[]> {
  // Membership is one sentence.
  if (membershipIn(rule) !== null) return []
  if (rule.rule === 'allOf') return Promise.all(rule.rules.map((each) => branchOf(each, context)))
  if (rule.rule === 'anyOf' || rule.rule === 'may' || rule.rule === 'confined') return branchesOf(rule, context)
  if (rule.rule === 'not') return [await branchOf(rule.of, context)]
  if (rule.rule === 'through') return throughBranches(rule.relation, rule.of, context)
  if (rule.rule !== 'readable') return []
  const { target } = context.resource.relations.get(rule.relation) as OneRelation
  return throughBranches(rule.relation, target.read.allow, context)
}

async function throughBranches(field: string, rule: RuleNode, context: BranchContext): Promise<readonly Branch[]> {
  const { target } = context.resource.relations.get(field) as OneRelation
  const id = context.examined?.record[field]
  if (typeof id !== 'string') return []
  const examined = await examine(target, id, [rule], context.requester, context)
  return examined === null ? [] : branchesOf(rule, { ...context, resource: target, examined })
}

/** The parts of a rule about a list: for records it holds for, or if there are none, for others. */
async function someBranch(rule: Some, context: BranchContext): Promise<Branch> {
  const { examined, resource, requester, nameIn } = context
  const { list, of } = rule
  const branch = { holds: holdsFor(rule, context), sentence: sentenceOf(rule, context) }
  if (examined === null) return { ...branch, why: null, parts: [] }
  const relation = resource.relations.get(list) as ManyRelation | LinkRelation
  const { ids, total } = await sampleList(relation, examined.id, { rule: of, requester }, context)
  const parts = await Promise.all(ids.map((id) => listedBranch(relation.target, id, of, context)))
  const count = `${total === 0 ? 'none' : total} in ${nameIn(resource)(list)}`
  const why = parts.length < total ? `${count}, ${parts.length} of them shown` : count
  return { ...branch, why, parts: parts.filter((each) => each !== null) }
}
type Some = Extract<RuleNode, { rule: 'some' }>

async function listedBranch(
  target: ResourceModel,
  id: string,
  rule: RuleNode,
  context: BranchContext,
): Promise<Branch | null> {
  const examined = await examine(target, id, [rule], context.requester, context)
  if (examined === null) return null
  const parts = await branchesOf(rule, { ...context, resource: target, examined })
  return { holds: examined.holds.get(rule)!, sentence: `${id}, of ${target.path}`, why: null, parts }
}
