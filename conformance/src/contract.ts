// The clauses of the API contract, by their numbers.

import { readFileSync } from 'node:fs'

export const contract: ReadonlyMap<string, string> = new Map(
  Object.entries(
    (
      JSON.parse(readFileSync(new URL('../clauses.json', import.meta.url), 'utf8')) as {
        clauses: Record<string, string>
      }
    ).clauses,
  ),
)
