// Compares an operation: permission, input, answers. (contract 9.3.1)

import { adds, breaks, type Judgement, onlyInNewVersion, type Report, surprises } from './change.ts'
import { compareRecordsMax } from './compare-limits.ts'
import { type Comparison, compareDeprecation, compareSchemas } from './compare-schema.ts'
import type { Side } from './compare-values.ts'
import { headersOf, isSame, members, type Node, paired, resolve } from './openapi-document.ts'
import { compareOrders, comparePermission } from './permission.ts'

/** `where` is `v2 GET /posts`. */
export function compareOperations(before: Node, after: Node, where: string, comparison: Comparison): void {
  const { report } = comparison
  compareDeprecation(before, after, where, report)
  comparePermission(before['description'], after['description'], where, report)
  compareSecurity(before, after, where, report)
  if (before['operationId'] !== after['operationId']) {
    const what = `Its operationId changed from ${before['operationId']} to ${after['operationId']}.`
    report({ where, what, ...surprises('Generated clients name their functions by it.', 'Keep the name.') })
  }
  compareRecordsMax(before, after, where, report)
  compareParameters(before, after, where, comparison)
  compareBodies(before, after, where, comparison)
  compareAnswers(before, after, where, comparison)
}

const signs: Readonly<Record<string, string>> = { query: '?', header: 'header ', path: 'path ', cookie: 'cookie ' }

function compareParameters(before: Node, after: Node, where: string, comparison: Comparison): void {
  const { report } = comparison
  const { removed, added, both } = paired(
    parametersOf(before, comparison.before),
    parametersOf(after, comparison.after),
  )
  for (const name of removed) {
    const sunset = parametersOf(before, comparison.before)[name]!['x-sunset']
    const promise = typeof sunset === 'string' ? { sunset } : {}
    const refusal = breaks('A request that sends it is refused.', onlyInNewVersion)
    report({ where: `${where} ${name}`, what: 'The parameter was removed.', ...refusal, ...promise })
  }
  const demand = breaks('A request without it is refused.', 'Make it optional, or demand it in a new version only.')
  for (const name of added) {
    const isRequired = parametersOf(after, comparison.after)[name]!['required'] === true
    const what = isRequired ? 'A required parameter was added.' : 'A parameter was added.'
    report({ where: `${where} ${name}`, what, ...(isRequired ? demand : adds) })
  }
  for (const { name, ...each } of both) {
    const place = `${where} ${name}`
    const [was, is] = [each.before['required'] === true, each.after['required'] === true]
    if (was !== is) {
      const what = is ? 'The parameter is required now.' : 'The parameter is no longer required.'
      report({ where: place, what, ...(is ? demand : adds) })
    }
    if (['style', 'explode'].some((keyword) => each.before[keyword] !== each.after[keyword])) {
      const unread = breaks('A request that writes it as before is misread.', onlyInNewVersion)
      report({ where: place, what: 'It is written in another way.', ...unread })
    }
    compareDeprecation(each.before, each.after, place, report)
    compareConditions(each.before, each.after, place, report)
    compareOrders(each.before['description'], each.after['description'], place, report)
    compareSchemas(schemaOf(each.before), schemaOf(each.after), 'input', place, comparison)
  }
}

/** By `?tag`, `header If-Match`, `path id`. */
function parametersOf(operation: Node, document: Comparison['before']): Readonly<Record<string, Node>> {
  const parameters = ((operation['parameters'] ?? []) as readonly Node[]).map((each) => resolve(each, document))
  return Object.fromEntries(parameters.map((each) => [`${signs[String(each['in'])] ?? ''}${each['name']}`, each]))
}

/** The fields and operators that `where` accepts. Parameters without `x-where` are ignored. (contract 12.1.2) */
function compareConditions(before: Node, after: Node, where: string, report: Report): void {
  const { removed, added, both } = paired(members(before, 'x-where'), members(after, 'x-where'))
  const refusal = breaks('A condition that names it is refused.', onlyInNewVersion)
  for (const path of removed) report({ where, what: `It no longer compares ${path}.`, ...refusal })
  for (const path of added) report({ where, what: `It can compare ${path} now.`, ...adds })
  for (const { name: path, ...each } of both) {
    const [from, to] = [each.before, each.after] as unknown as readonly [readonly string[], readonly string[]]
    for (const operator of from.filter((one) => !to.includes(one)))
      report({ where, what: `It no longer compares ${path} by ${operator}.`, ...refusal })
    for (const operator of to.filter((one) => !from.includes(one)))
      report({ where, what: `It can compare ${path} by ${operator} now.`, ...adds })
  }
}

const schemaOf = (node: Node): Node => (node['schema'] ?? {}) as Node

function compareBodies(before: Node, after: Node, where: string, comparison: Comparison): void {
  const [from, to] = [before['requestBody'], after['requestBody']] as [Node | undefined, Node | undefined]
  const place = `${where} body`
  const note = (what: string, judgement: Judgement) => comparison.report({ where: place, what, ...judgement })
  const demand = breaks('A request without a body is refused.', 'Make it optional.')
  if (from !== undefined && to !== undefined) {
    const [here, there] = [resolve(from, comparison.before), resolve(to, comparison.after)]
    if (here['required'] !== true && there['required'] === true) note('The body is required now.', demand)
    if (here['required'] === true && there['required'] !== true) note('The body is no longer required.', adds)
    compareContent(here, there, 'input', place, comparison)
  } else if (to !== undefined) note('It takes a body now.', to['required'] === true ? demand : adds)
  else if (from !== undefined)
    note('It takes no body any more.', breaks('A request with one is refused.', onlyInNewVersion))
}

function compareContent(before: Node, after: Node, side: Side, where: string, comparison: Comparison): void {
  const { removed, added, both } = paired(members(before, 'content'), members(after, 'content'))
  const loss = breaks('Clients that send or expect it are at a loss.', onlyInNewVersion)
  for (const type of removed) comparison.report({ where, what: `The media type ${type} was removed.`, ...loss })
  for (const type of added) comparison.report({ where, what: `The media type ${type} was added.`, ...adds })
  for (const each of both) compareSchemas(schemaOf(each.before), schemaOf(each.after), side, where, comparison)
}

function compareAnswers(before: Node, after: Node, where: string, comparison: Comparison): void {
  const { report } = comparison
  const { removed, added, both } = paired(members(before, 'responses'), members(after, 'responses'))
  const isFailure = (status: string) => !/^[123]/.test(status)
  for (const status of removed) {
    const judgement = isFailure(status)
      ? surprises('A client that waits for it waits in vain.')
      : breaks('A client that waits for it waits in vain.', onlyInNewVersion)
    report({ where: `${where} ${status}`, what: 'The status was removed.', ...judgement })
  }
  for (const status of added) {
    const judgement = isFailure(status) ? adds : surprises('A client may not know what it means.')
    report({ where: `${where} ${status}`, what: 'The status was added.', ...judgement })
  }
  for (const { name: status, ...each } of both) {
    const key = `response ${each.before['$ref'] ?? where} ${each.after['$ref'] ?? status}`
    const isShared = each.before['$ref'] !== undefined && each.before['$ref'] === each.after['$ref']
    if (isShared && comparison.comparedKeys.has(key)) continue
    if (isShared) comparison.comparedKeys.add(key)
    const place = isShared ? `${comparison.version} answers ${status}` : `${where} ${status}`
    compareAnswer(resolve(each.before, comparison.before), resolve(each.after, comparison.after), place, comparison)
  }
}

function compareAnswer(before: Node, after: Node, where: string, comparison: Comparison): void {
  const { removed, added, both } = paired(headersOf(before, comparison.before), headersOf(after, comparison.after))
  const loss = breaks('A client that reads it finds nothing.', onlyInNewVersion)
  for (const name of removed) comparison.report({ where: `${where} ${name}`, what: 'The header was removed.', ...loss })
  for (const name of added) comparison.report({ where: `${where} ${name}`, what: 'The header was added.', ...adds })
  for (const { name, ...each } of both) {
    const [from, to] = [resolve(each.before, comparison.before), resolve(each.after, comparison.after)]
    const key = `header ${name}`
    if (isSame(from, to) || (each.before['$ref'] === each.after['$ref'] && comparison.comparedKeys.has(key))) continue
    comparison.comparedKeys.add(key)
    compareSchemas(schemaOf(from), schemaOf(to), 'answer', `${comparison.version} answers header ${name}`, comparison)
  }
  compareContent(before, after, 'answer', where, comparison)
}

type Alternative = Readonly<Record<string, readonly string[]>>

/** Each former alternative needs a new one that requires no more, so that former callers may still call. */
function compareSecurity(before: Node, after: Node, where: string, report: Report): void {
  const [from, to] = [before, after].map(({ security }) => (security ?? [{}]) as readonly Alternative[])
  const isWithin = (alternative: Alternative, credential: Alternative) =>
    Object.entries(alternative).every(
      ([scheme, scopes]) => scopes.every((scope) => credential[scheme]?.includes(scope)) && scheme in credential,
    )
  const losses = from!.filter((before) => !to!.some((after) => isWithin(after, before)))
  const gains = to!.filter((after) => !from!.some((before) => isWithin(before, after)))
  const refusal = breaks(
    'Clients with that credential are refused.',
    'Require no more than before, or do so in a new version only.',
  )
  for (const each of losses)
    report({ where, what: `It can no longer be called with ${printAlternative(each)}.`, ...refusal })
  for (const each of gains) report({ where, what: `It can be called with ${printAlternative(each)} now.`, ...adds })
}

const printAlternative = (alternative: Alternative): string =>
  Object.entries(alternative)
    .map(([scheme, scopes]) => (scopes.length === 0 ? scheme : `${scheme} (${scopes.join(', ')})`))
    .join(' and ') || 'no credential'
