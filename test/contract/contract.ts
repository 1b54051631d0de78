// The clauses of docs/contract.md: the page is the table that rows of tests name.

import { readFileSync } from 'node:fs'

/** Such as 4.3.5: the fifth promise of section 4.3. */
export type Clause = `${number}.${number}.${number}`

export interface ContractPage {
  /** Each clause with its text, as the page has it. */
  readonly clauses: ReadonlyMap<string, string>
  /** The sections that hold them, such as 4.3, with their titles. */
  readonly sections: ReadonlyMap<string, string>
  /** Part of each clause: `api` (what any service can promise over HTTP) or `duet` (everything else). */
  readonly parts: ReadonlyMap<string, string>
  /** What is wrong with its numbers and its contents; empty if nothing is. */
  readonly problems: readonly string[]
}

const heading = /^(#{2,4}) ((?:<a id="[\w.]+"><\/a>)*)((?:[\d.]+ )?)(.+)$/
const paragraph = /^(?:<a id="([\d.]+)"><\/a>)?\*\*([\d.]+)\*\* (.+(?:\n(?!\n).+)*)/

export function readContract(page: string): ContractPage {
  const clauses = new Map<string, string>()
  const sections = new Map<string, string>()
  const parts = new Map<string, string>()
  const problems: string[] = []
  const add = (entries: Map<string, string>, id: string, form: RegExp, anchor: string | undefined, text: string) => {
    if (anchor !== id) problems.push(`${id} has the anchor ${anchor ?? '(none)'}`)
    if (!form.test(id)) problems.push(`${id} is not of its form`)
    if (entries.has(id)) problems.push(`${id} is there twice`)
    entries.set(id, text)
  }
  const headings: string[] = []
  let part: string | undefined
  let section = ''
  for (const block of page.trimEnd().split(/\n{2,}/)) {
    const [, level, anchors = '', number = '', title = ''] = heading.exec(block) ?? []
    if (level !== undefined) {
      const [, anchor] = /"([\w.]+)"/.exec(anchors) ?? []
      headings.push(`[${title}](#${anchor ?? title.toLowerCase().replaceAll(' ', '-')})`)
      if (level === '##') part = anchor
      section = number.trim()
      if (section !== '') add(sections, section, /^\d+\.\d+$/, anchor, title)
    }
    const [, anchor, id, text] = paragraph.exec(block) ?? []
    if (id === undefined) continue
    add(clauses, id, /^\d+\.\d+\.\d+$/, anchor, text!)
    // A heading without a number gathers clauses of several sections.
    if (section !== '' && !id.startsWith(`${section}.`)) problems.push(`${id} stands in ${section}`)
    if (part === undefined) problems.push(`${id} stands in no part`)
    else parts.set(id, part)
  }
  return { clauses, sections, parts, problems: [...problems, ...contentsProblems(page, headings)] }
}

/** The table of contents has every heading, in order, and nothing else. */
function contentsProblems(page: string, headings: readonly string[]): readonly string[] {
  const contents = page.slice(page.indexOf('**Contents**')).split('\n## ')[0]!
  const links = Array.from(contents.matchAll(/\[[^\]]+\]\(#[^)]+\)/g), ([link]) => link)
  const problems = [
    ...headings.filter((each) => !links.includes(each)).map((each) => `the contents lack ${each}`),
    ...links.filter((each) => !headings.includes(each)).map((each) => `the contents have ${each}, which is no heading`),
  ]
  if (problems.length === 0 && links.join() !== headings.join()) return ['the contents are in another order']
  return problems
}

/** The sentences of a clause; points inside code, links and quotations of a message end none. */
export const sentencesOf = (text: string): readonly string[] =>
  text
    .replace(/`[^`]*`/g, 'code')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/"[^"]*"/g, 'message')
    .split(/[.!?](?=\)?(?:\s|$))/)
    .filter((each) => /\w/.test(each))

export const contract = readContract(readFileSync(`${import.meta.dirname}/../../docs/contract.md`, 'utf8'))
