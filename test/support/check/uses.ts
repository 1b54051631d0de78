// Which uses of deprecated parts a request adds.

import type { TestService } from '../server/service.ts'

/** The uses that are counted while `ask` runs. */
export async function usesOf(service: TestService, ask: () => Promise<unknown>): Promise<readonly string[]> {
  await service.usage.flush()
  const before = await service.tables('deprecation_usage')
  await ask()
  await service.usage.flush()
  const rowsBefore = new Map(before.map((row) => [row[0], JSON.stringify(row)]))
  const rows = await service.tables('deprecation_usage')
  const changed = rows.filter((row) => rowsBefore.get(row[0]) !== JSON.stringify(row))
  return changed.map((row) => String(row[1])).sort()
}
