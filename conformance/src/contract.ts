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

export type Level = 'rest' | 'graphql' | 'events'

/** The part of the contract that a clause belongs to, for services that have only some of them. */
export function levelOf(clause: string): Level {
  if (/^(?:4\.[89]|7\.3|8\.2)\./.test(clause)) return 'graphql'
  return /^(?:6|13\.[89])\./.test(clause) ? 'events' : 'rest'
}
