// What axe finds wrong with a page, by WCAG 2.2 on the levels A and AA.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const levels = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Ends transitions, in which a colour is neither the old nor the new one. A change of style begins them, also within others. */
const endTransitions = `{
  const running = () => document.getAnimations().filter((each) => each instanceof CSSTransition)
  for (let all = running(); all.length > 0; all = running()) for (const each of all) each.finish()
}`

/** One line for each element: the rule and its HTML. */
export async function accessibilityProblems(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe)
  await page.evaluate(endTransitions)
  const { violations } = (await page.evaluate(`axe.run({ runOnly: ${JSON.stringify(levels)} })`)) as {
    readonly violations: readonly Violation[]
  }
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}
interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string }[]
}
