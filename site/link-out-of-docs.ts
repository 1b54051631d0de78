// Pages link to files beside docs/, as their readers on GitHub need it. The site has no such files: there the link leads to the
// repository that package.json names, and where it names none only its text stays.

import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import type { MarkdownEnv, MarkdownRenderer } from 'vitepress'

const { repository } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const files: string | null =
  repository === undefined ? null : `${repository.url.replace(/^git\+|\.git$/g, '')}/blob/main/`

export function linkOutOfDocs(markdown: MarkdownRenderer): void {
  const render = markdown.renderer.rules.link_open!
  markdown.renderer.rules.link_open = (tokens, index, options, env: MarkdownEnv, self) => {
    const token = tokens[index]!
    const target = token.attrGet('href') ?? ''
    const path = target.startsWith('../') ? posix.join(posix.dirname(env.relativePath), target) : ''
    if (!path.startsWith('../')) return render(tokens, index, options, env, self)
    // An anchor without `href` is a text.
    if (files === null) return '<a>'
    token.attrSet('href', files + path.slice('../'.length))
    return render(tokens, index, options, env, self)
  }
}
