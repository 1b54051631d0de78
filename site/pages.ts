// Which pages the site has, by what they are for: learning, doing, looking up, understanding.

import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** Where the pages are, as Markdown. */
export const docs = fileURLToPath(new URL('../docs/', import.meta.url))

export interface Page {
  /** Below `docs/`, such as `reference/limits.md`. */
  readonly path: string
  readonly title: string
  /** Its first paragraph, on one line. */
  readonly summary: string
  readonly text: string
}
export interface Kind {
  readonly title: string
  readonly pages: readonly Page[]
}

/** The page that opens the site; it belongs to no kind. */
export const firstPage = 'README.md'

const tutorials = ['tutorial.md', 'resources.md']
const reference = ['language.md', 'contract.md', 'configuration.md', 'stability.md', 'reference/*.md', 'glossary.md']
const explanations = ['design.md', 'decisions/*.md']
/** In this order; other pages follow them. */
const guides = [
  'rest.md',
  'recipes.md',
  'tenants.md',
  'conditions.md',
  'search.md',
  'code.md',
  'reports.md',
  'routes.md',
  'reactions.md',
  'webhooks.md',
  'time.md',
  'sign-in.md',
  'authentication.md',
  'issuers.md',
  'graphql.md',
  'events.md',
  'client.md',
  'embedding.md',
  'changing.md',
  'evolving.md',
  'operating.md',
  'runbook.md',
  'scaling.md',
  'troubleshooting.md',
  '*.md',
]

/** Every page but the first, each once. The pages that are made from the code have to be there. */
export async function readKinds(): Promise<readonly Kind[]> {
  const others = new Set([firstPage, ...tutorials, ...reference, ...explanations])
  const read = async (title: string, patterns: readonly string[], omitted: ReadonlySet<string>): Promise<Kind> => {
    const paths = patterns.flatMap((pattern) => globSync(pattern, { cwd: docs }).sort())
    return { title, pages: await Promise.all([...new Set(paths)].filter((path) => !omitted.has(path)).map(readPage)) }
  }
  return Promise.all([
    read('Tutorials', tutorials, new Set()),
    read('How-to guides', guides, others),
    read('Reference', reference, new Set()),
    read('Explanation', explanations, new Set()),
  ])
}

export async function readPage(path: string): Promise<Page> {
  const text = await readFile(docs + path, 'utf8')
  const [, title = path, summary = ''] = /^# (.+)\n+((?:.+\n)*)/m.exec(text) ?? []
  return { path, title, summary: summary.trim().replaceAll('\n', ' '), text }
}
