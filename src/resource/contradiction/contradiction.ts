// What a service must not say: found before it listens, told in sentences that an author can act on.

import { otherCopy } from '../language/copy.ts'
import { type Definition, definitionOf } from '../language/definition.ts'
import { withAccounts } from '../model/account-definition.ts'
import { compileModel } from '../model/compile-model.ts'
import { withKeptNumbers } from '../model/kept-number-definition.ts'
import { withTenants } from '../model/tenant-definition.ts'
import { accessContradictions } from './access.ts'
import { actionContradictions } from './action.ts'
import { indexDefinitions } from './definition-index.ts'
import { deprecationContradictions } from './deprecation.ts'
import { disclosureContradictions } from './disclosure.ts'
import { fieldContradictions } from './field.ts'
import { indexContradictions } from './index-width.ts'
import { keptNumberContradictions } from './kept-number.ts'
import { listContradictions } from './list.ts'
import { moveContradictions } from './move.ts'
import { nameContradictions } from './name.ts'
import { queryContradictions } from './query.ts'
import { referenceContradictions } from './reference.ts'
import { relationContradictions } from './relation.ts'
import { joinNames, reporter } from './report.ts'
import { ruleContradictions } from './rule.ts'
import { searchContradictions } from './search.ts'
import { shapeContradictions } from './shape.ts'
import { summaryContradictions } from './summary.ts'
import { tenantContradictions } from './tenant.ts'
import { uniqueContradictions } from './unique.ts'
import { whereContradictions } from './where.ts'
import '../field/kinds.ts'
import type { AnyResource } from '../language/resource.ts'
import type { Service } from '../language/service.ts'

/** A service whose definitions contradict each other, or themselves. It does not start. */
export class ServiceDefinitionError extends Error {
  /** One sentence each: where, what, and what to do. */
  readonly contradictions: readonly string[]
  constructor(contradictions: readonly string[]) {
    super(`This service cannot start:\n${contradictions.map((each) => `- ${each}`).join('\n')}`)
    this.name = 'ServiceDefinitionError'
    this.contradictions = contradictions
  }
}

/**
 * Everything that keeps a service from being what it says, one sentence each; empty where `compileModel` may follow.
 * Works in three stages, each of which relies on the one before: the form of what was written, what it means, and
 * what follows from that. A stage is looked at only when the one before found nothing. `others` are the resources that the
 * library keeps for itself, listed or not. (contract 1.2.1)
 */
export function contradictions(service: Service<unknown>, others: readonly AnyResource[] = []): readonly string[] {
  const sentences: string[] = []
  const report = reporter(sentences)
  const definition = definitionOf(service)
  // First of all: what two copies make looks alike, and every other sentence about it would mislead.
  const strange = otherCopy({ 'the service': definition, ...definition?.resources })
  if (strange !== null) {
    report('The service', ...strange)
    return sentences
  }
  shapeContradictions(definition, report)
  if (sentences.length > 0) return sentences
  const [led, own] = withAccounts(definition, others as unknown as readonly Definition[])
  const written = indexDefinitions(led, own)
  tenantContradictions(written, report)
  if (sentences.length > 0) return sentences
  const inTenants = withTenants(led)
  keptNumberContradictions(indexDefinitions(inTenants, own), report)
  if (sentences.length > 0) return sentences
  const all = { ...indexDefinitions(withKeptNumbers(inTenants), own), unlisted: written.unlisted }
  nameContradictions(all, report)
  fieldContradictions(all, report)
  relationContradictions(all, report)
  referenceContradictions(all, report)
  ruleContradictions(all, report)
  actionContradictions(all, report)
  moveContradictions(all, report)
  listContradictions(all, report)
  whereContradictions(all, report)
  searchContradictions(all, report)
  queryContradictions(all, report)
  summaryContradictions(all, report)
  uniqueContradictions(all, report)
  indexContradictions(all, report)
  accessContradictions(all, report)
  deprecationContradictions(all, report)
  if (sentences.length > 0) return sentences
  disclosureContradictions(compileModel(service, others), report)
  return sentences
}

/**
 * What may be meant and may be a slip: permissions that nobody holds but who may do everything. One sentence for each
 * resource. Expects a service without contradictions.
 */
export function warnings(service: Service<unknown>): readonly string[] {
  const { roles } = definitionOf(service)
  const model = compileModel(service)
  const grants = new Set<string>()
  for (const [role, grant] of Object.entries(roles)) {
    if (grant !== 'everything') for (const permission of model.roles.get(role)!) grants.add(permission)
  }
  const holders = Object.keys(roles).filter((role) => roles[role] === 'everything')
  const who = holders.length === 0 ? 'nobody holds' : `only ${joinNames(holders, 'and')}, who may do everything, holds`
  return model.resources.flatMap(({ path }) => {
    const verbs = [...model.permissions].filter((each) => each.startsWith(`${path}:`) && !grants.has(each))
    if (verbs.length === 0) return []
    const words = joinNames(verbs.map((each) => each.slice(path.length + 1)).toSorted(), 'and')
    const what = `grant ${verbs.length === 1 ? 'it' : 'them'} to ${holders.length === 0 ? 'a' : 'another'} role`
    return [`${path}: ${who} ${words}; ${what} if that is not meant.`]
  })
}
