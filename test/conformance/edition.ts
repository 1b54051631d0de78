// conformance/clauses.json: the clauses of the API contract with their first sentences, from docs/contract.md.

import { readFile, writeFile } from 'node:fs/promises'
import { readContract } from '../contract/contract.ts'

const contract = new URL('../../docs/contract.md', import.meta.url)
export const clausesFile = new URL('../../conformance/clauses.json', import.meta.url)

export async function printEdition(): Promise<string> {
  const { clauses, parts } = readContract(await readFile(contract, 'utf8'))
  const entries = [...clauses].filter(([id]) => parts.get(id) === 'api')
  const texts = entries.map(([id, text]) => [id, firstSentence(text)] as const)
  return `${JSON.stringify({ edition: '2026.1', clauses: Object.fromEntries(texts) }, null, 2)}\n`
}

/** Without the links and the emphasis of Markdown. */
function firstSentence(text: string): string {
  const line = text
    .replaceAll('\n', ' ')
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replaceAll('*', '')
  return /^.*?[.:](?= [A-Z`]|$)/.exec(line)?.[0] ?? line
}

if (import.meta.main) await writeFile(clausesFile, await printEdition())
