// The documents as language models read them, as llmstxt.org has it: an index, everything in one file, and each page as Markdown.

import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { docs, firstPage, type Kind, readKinds, readPage } from './pages.ts'

/** Writes `llms.txt`, `llms-full.txt` and the pages into the folder of the site. */
export async function writeTexts(folder: string): Promise<void> {
  const [first, kinds] = await Promise.all([readPage(firstPage), readKinds()])
  const pages = kinds.flatMap((kind) => kind.pages)
  await Promise.all([
    writeFile(
      join(folder, 'llms.txt'),
      `${[`# ${first.title}`, `> ${first.summary}`, ...kinds.map(listed)].join('\n\n')}\n`,
    ),
    writeFile(join(folder, 'llms-full.txt'), [first, ...pages].map(({ text }) => text).join('\n\n')),
    ...pages.map(({ path }) => cp(join(docs, path), join(folder, path))),
  ])
}

const listed = ({ title, pages }: Kind): string =>
  `## ${title}\n\n${pages.map((page) => `- [${page.title}](${page.path}): ${page.summary}`).join('\n')}`
