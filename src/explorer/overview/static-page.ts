// The front page as one file that needs no service, for whoever publishes it elsewhere.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { escaped } from '../html.ts'
import { loadDiagrams } from './diagram.ts'
import type { Overview } from './overview.ts'
import { overviewHtml } from './overview-html.ts'

const browserFolder = join(import.meta.dirname, '..', 'browser')

/** HTML with its styles and without scripts: nothing can be tried there. Fails with MissingPackage. */
export async function staticPage(overview: Overview): Promise<string> {
  const styles = await Promise.all(
    ['explorer.css', 'overview.css'].map((name) => readFile(join(browserFolder, name), 'utf8')),
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(overview.title)}</title>
<style>
${styles.join('\n')}</style>
</head>
<body>
<main>${overviewHtml(overview, { draw: await loadDiagrams(), explorer: null })}</main>
</body>
</html>
`
}
