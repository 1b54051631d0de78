// What axe finds wrong with a page, by WCAG 2.2 on the levels A and AA.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const levels = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** One line for each element: the rule and its HTML. */
export async function accessibilityProblems(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe)
  const { violations } = (await page.evaluate(`axe.run({ runOnly: ${JSON.stringify(levels)} })`)) as {
    readonly violations: readonly Violation[]
  }
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}
interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string }[]
}
