// Writes of many records, by ids or by a condition. (contract 13.7)

import { printCertainWhere } from './send/where.ts'

export type Which = readonly string[] | { readonly where: unknown }
export type BulkMethod = 'PATCH' | 'DELETE' | 'POST'

/** `input` is in wire form; a delete has none. */
export function bulkRequest(
  method: BulkMethod,
  path: string,
  which: Which,
  { input, dryRun = false }: { readonly input?: object | undefined; readonly dryRun?: boolean | undefined },
): { readonly path: string; readonly body: object | undefined } {
  const parameters = new URLSearchParams(dryRun ? { dry_run: 'true' } : {})
  const names = 'where' in which ? { where: printCertainWhere(which.where) } : { ids: which }
  const isNamedInBody = method === 'POST' || (method === 'PATCH' && 'ids' in names)
  if (!isNamedInBody) for (const [name, value] of Object.entries(names)) parameters.set(name, String(value))
  const query = parameters.toString()
  const members = method === 'POST' ? { input } : input
  return {
    path: query === '' ? path : `${path}?${query}`,
    body: isNamedInBody ? { ...members, ...names } : members,
  }
}
