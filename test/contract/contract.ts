// The clauses of docs/contract.md: the page is the table that rows of tests name.

import { readFileSync } from 'node:fs'

/** Such as 4.3.5: the fifth promise of part 3 of chapter 4. */
export type Clause = `${number}.${number}.${number}`

export interface ContractPage {
  /** Each clause with its text, as the page has it. */
  readonly clauses: ReadonlyMap<string, string>
  /** The parts that hold them, such as 4.3, with their titles. */
  readonly parts: ReadonlyMap<string, string>
  /** What is wrong with its numbers; empty where nothing is. */
  readonly problems: readonly string[]
}

const heading = /^### (?:<a id="([\d.]+)"><\/a>)?([\d.]+) (.+)$/gm
const paragraph = /^(?:<a id="([\d.]+)"><\/a>)?\*\*([\d.]+)\*\* (.+(?:\n(?!\n).+)*)/gm

export function readContract(page: string): ContractPage {
  const problems: string[] = []
  const read = (pattern: RegExp, form: RegExp) => {
    const entries = new Map<string, string>()
    for (const [, anchor, id, text] of page.matchAll(pattern)) {
      if (anchor !== id) problems.push(`${id} has the anchor ${anchor ?? '(none)'}`)
      if (!form.test(id!)) problems.push(`${id} is not of its form`)
      if (entries.has(id!)) problems.push(`${id} is there twice`)
      entries.set(id!, text!)
    }
    return entries
  }
  const parts = read(heading, /^\d+\.\d+$/)
  const clauses = read(paragraph, /^\d+\.\d+\.\d+$/)
  let part = ''
  for (const [, inHeading, inParagraph] of page.matchAll(/^### .*<\/a>([\d.]+) |^.*\*\*([\d.]+)\*\* /gm)) {
    if (inHeading !== undefined) part = inHeading
    else if (!inParagraph!.startsWith(`${part}.`)) problems.push(`${inParagraph} stands in ${part}`)
  }
  return { clauses, parts, problems }
}

export const contract = readContract(readFileSync(`${import.meta.dirname}/../../docs/contract.md`, 'utf8'))
