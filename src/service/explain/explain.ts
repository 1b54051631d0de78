// Why a request gets the answer that it gets, for whoever writes a service: nothing that a client may be told.

import type { Model } from '../../resource/model/model.ts'
import { authorAddresses, findAuthorAddress } from '../../rest/custom-route/address.ts'
import { definitionsOf } from '../../rest/custom-route/definition.ts'
import type { AuthorRoute } from '../../rest/custom-route/route.ts'
import { compileRoutes, findAddress } from '../../rest/routes.ts'
import type { Store } from '../../store/store.ts'
import type { Asker } from './asker.ts'
import { type Judged, judge, leftOpen, steps } from './judge.ts'
import { ruleSections } from './section.ts'

/** A request to REST, without its body. */
export interface Question {
  readonly method: string
  /** `/api/v1/posts`, without a query. */
  readonly path: string
}

/** Answers every part of the rule that applies, and the step that decides, as text. Changes nothing. */
export type Explain = (question: Question, asker: Asker, now: Date) => Promise<string>

export interface ExplainDependencies {
  readonly model: Model
  readonly store: Store
  readonly authorRoutes: readonly AuthorRoute[]
}

export function createExplain({ model, store, authorRoutes }: ExplainDependencies): Explain {
  const routes = compileRoutes(model)
  const addresses = authorAddresses(definitionsOf(authorRoutes), routes.versions)
  return async ({ method, path }, asker, now) => {
    const match = findAddress(path, routes)
    const own = findAuthorAddress(path, addresses)
    const request = { method, match, own, asker, account: model.accounts.resource }
    const judged = await judge(request, store, now)
    const sections = await ruleSections(request, judged, { store, now })
    const title = `${method} ${path} as ${asker.title}`
    return [title, ...sections, verdictText(judged), ...stepsText(judged)].join('\n\n')
  }
}

const verdictText = ({ status, code, because }: Judged): string =>
  `${status}${code === null ? '' : ` ${code}`}: ${because}.`

/** The order in which failures win, up to the one that does. */
function stepsText({ step }: Judged): readonly string[] {
  if (step === null) return []
  const names = Object.keys(steps) as (keyof typeof steps)[]
  const lines = names.slice(0, names.indexOf(step) + 1).map((name) => {
    const mark = name === step ? 'decides' : leftOpen.includes(name) ? 'unknown' : 'passed'
    return `  ${mark.padEnd(7)}  ${steps[name]}`
  })
  return [['What wins, in this order:', ...lines].join('\n')]
}
