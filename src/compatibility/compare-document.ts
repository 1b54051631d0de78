// Compares two OpenAPI documents of one version. (contract 9.3.1)

import { adds, breaks, onlyInNewVersion, type Report } from './change.ts'
import { compareOperations } from './compare-operation.ts'
import { type Comparison, sooner } from './compare-schema.ts'
import { type Document, operations, paired } from './openapi-document.ts'

export function compareDocuments(version: string, before: Document, after: Document, report: Report): void {
  compareDates(version, before, after, report)
  const comparison: Comparison = { version, before, after, report, comparedKeys: new Set() }
  const { removed, added, both } = paired(operationsOf(before), operationsOf(after))
  for (const name of removed) {
    const sunset = operationsOf(before)[name]!['x-sunset']
    // The sunset of the version is no promise about a single address.
    const isOwn = typeof sunset === 'string' && sunset !== before.info['x-sunset']
    const loss = breaks('Its callers get 404 or 405.', onlyInNewVersion)
    report({ where: `${version} ${name}`, what: 'The operation was removed.', ...loss, ...(isOwn ? { sunset } : {}) })
  }
  for (const name of added) report({ where: `${version} ${name}`, what: 'An operation was added.', ...adds })
  for (const each of both) compareOperations(each.before, each.after, `${version} ${each.name}`, comparison)
}

/** By `GET /api/v1/posts/{id}`. */
const operationsOf = (document: Document) =>
  Object.fromEntries(operations(document).map(({ method, path, operation }) => [`${method} ${path}`, operation]))

function compareDates(version: string, before: Document, after: Document, report: Report): void {
  const [from, to] = [before.info['x-sunset'], after.info['x-sunset']] as [string | undefined, string | undefined]
  if (from === to) return
  const where = version
  if (from === undefined) report({ where, what: `The version is deprecated now, until ${to}.`, ...adds })
  else if (to === undefined) report({ where, what: 'The version is no longer deprecated.', ...adds })
  else report({ where, what: `Its sunset moved from ${from} to ${to}.`, ...(to < from ? sooner : adds) })
}
