// Finds contradictions in a service definition before the start, and reports them with a remedy for the author.

import { otherCopy } from '../language/copy.ts'
import { type Definition, definitionOf, type ServiceDefinition } from '../language/definition.ts'
import { withAcceptedLists } from '../model/compile/accepted-list.ts'
import { withAccounts } from '../model/compile/account-definition.ts'
import { compileModel } from '../model/compile/compile-model.ts'
import { withEither } from '../model/compile/either-definition.ts'
import { withPartialReads } from '../model/compile/partial-read.ts'
import { withKeptNumbers } from '../model/number/kept-number-definition.ts'
import { withStoredValues } from '../model/number/stored-value-definition.ts'
import { withTenants } from '../model/tenant/tenant-definition.ts'
import { withTrees } from '../model/tree/tree-definition.ts'
import { accessContradictions } from './check/access.ts'
import { actionContradictions } from './check/action.ts'
import { deprecationContradictions } from './check/deprecation.ts'
import { disclosureContradictions } from './check/disclosure.ts'
import { fieldContradictions } from './check/field.ts'
import { indexContradictions } from './check/index-width.ts'
import { keptNumberContradictions } from './check/kept-number.ts'
import { listContradictions } from './check/list.ts'
import { moveContradictions, timedMoveContradictions } from './check/move.ts'
import { nameContradictions } from './check/name.ts'
import { queryContradictions } from './check/query.ts'
import { referenceContradictions } from './check/reference.ts'
import { relationContradictions } from './check/relation.ts'
import { ruleContradictions } from './check/rule.ts'
import { searchContradictions } from './check/search.ts'
import { shapeContradictions } from './check/shape.ts'
import { summaryContradictions } from './check/summary.ts'
import { tenantContradictions } from './check/tenant.ts'
import { uniqueContradictions } from './check/unique.ts'
import { whereContradictions } from './check/where.ts'
import { indexDefinitions } from './report/definition-index.ts'
import { independentOf, placeOf, withoutParts } from './report/independent.ts'
import { type Report, reporter } from './report/report.ts'
import '../field/kinds.ts'
import type { AnyResource } from '../language/resource.ts'
import type { Service } from '../language/service.ts'

/** Thrown at the start if definitions contradict each other or themselves. */
export class ServiceDefinitionError extends Error {
  /** One sentence each: place, problem, remedy. */
  readonly contradictions: readonly string[]
  constructor(contradictions: readonly string[]) {
    super(`This service cannot start:\n${contradictions.map((each) => `- ${each}`).join('\n')}`)
    this.name = 'ServiceDefinitionError'
    this.contradictions = contradictions
  }
}

/** What does not depend on expanded tenants. */
const independentChecks = [nameContradictions, fieldContradictions, deprecationContradictions]
const checks = [
  nameContradictions,
  fieldContradictions,
  relationContradictions,
  referenceContradictions,
  ruleContradictions,
  actionContradictions,
  moveContradictions,
  timedMoveContradictions,
  uniqueContradictions,
  accessContradictions,
  deprecationContradictions,
]
/** They know stored values as fields: writes never read these, lists do. */
const listChecks = [
  listContradictions,
  whereContradictions,
  searchContradictions,
  queryContradictions,
  summaryContradictions,
  indexContradictions,
]

/**
 * Every contradiction of a service; `compileModel` expects none. Three stages: form, meaning, consequences; later ones see only
 * resources without contradictions. `others` are the library's own resources. (contract 1.2.1)
 */
export function contradictions(service: Service<unknown>, others: readonly AnyResource[] = []): readonly string[] {
  const sentences: string[] = []
  const report = reporter(sentences)
  const definition = definitionOf(service)
  // Two copies of the package would cause misleading reports below.
  const strange = otherCopy({ 'the service': definition, ...definition?.resources })
  if (strange !== null) {
    report('The service', ...strange)
    return sentences
  }
  shapeContradictions(definition, report)
  if (sentences.length > 0) return [...sentences, ...contradictionsBeside(sentences, definition, others)]
  const [ofAccounts, own] = withAccounts(
    withPartialReads(withAcceptedLists(definition)),
    others as unknown as readonly Definition[],
  )
  const led = withTrees(withEither(ofAccounts))
  const written = indexDefinitions(led, own)
  // Expansions copy definitions, which are then not those of the library.
  const indexOf = (service: ServiceDefinition) => ({ ...indexDefinitions(service, own), unlisted: written.unlisted })
  if (!tenantContradictions(written, report)) {
    const beside = contradictionsBeside(sentences, definition, others)
    const withNumbers = indexOf(withKeptNumbers(led))
    for (const check of independentChecks) check(withNumbers, report)
    return [...new Set([...sentences, ...beside])]
  }
  const inTenants = withTenants(led)
  keptNumberContradictions(indexOf(inTenants), report)
  const reportRest = apartFrom(sentences, report)
  const withNumbers = withKeptNumbers(inTenants)
  for (const check of checks) check(indexOf(withNumbers), reportRest)
  for (const check of listChecks) check(indexOf(withStoredValues(withNumbers)), reportRest)
  if (reportDisclosures(service, others, sentences)) return sentences
  return [...new Set([...sentences, ...contradictionsBeside(sentences, definition, others)])]
}

/** False if the rest of the service does not compile without these parts. */
function reportDisclosures(service: Service<unknown>, others: readonly AnyResource[], sentences: string[]): boolean {
  const disclosures: string[] = []
  try {
    const rest = withoutParts(sentences, definitionOf(service)) as unknown as Service<unknown>
    disclosureContradictions(compileModel(rest, others), apartFrom(sentences, reporter(disclosures)))
  } catch (error) {
    if (sentences.length === 0) throw error
    return false
  }
  sentences.push(...disclosures)
  return true
}

function contradictionsBeside(
  sentences: readonly string[],
  definition: ServiceDefinition,
  others: readonly AnyResource[],
): readonly string[] {
  const independent = independentOf(sentences, definition)
  if (independent === null) return []
  const found = contradictions(independent.definition as unknown as Service<unknown>, others)
  return found.filter((sentence) => !independent.mentionsOthers(sentence))
}

/** Leaves out what is about the same places: it may follow from these sentences. */
function apartFrom(sentences: readonly string[], report: Report): Report {
  const places = sentences.map(placeOf)
  return (where, ...sentence) => {
    if (!places.some((place) => where === place || where.startsWith(`${place}: `) || where.startsWith(`${place} [`)))
      report(where, ...sentence)
  }
}
