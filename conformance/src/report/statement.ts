// A report as the statement that a service publishes at `/.well-known/api-contract`. (4.15.10)

import type { TestEvent } from 'node:test/reporters'
import { levelOf } from '../contract.ts'
import { readProfile } from '../profile.ts'
import { kitVersion } from '../version.ts'
import { Results } from './results.ts'

export default async function* statement(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const results = new Results()
  for await (const event of source) results.add(event)
  const profile = await readProfile(process.env['PROFILE']!, process.env['URL_OF_SERVICE'])
  const clausesWith = (verdict: string) =>
    results
      .all()
      .filter((each) => each.verdict === verdict)
      .map(({ clause }) => clause)
  const [kept, broken] = [clausesWith('kept'), clausesWith('broken')]
  // A level with a broken clause is not stated, and neither is one of which nothing was tested.
  const levels = (['rest', 'graphql', 'events'] as const).filter(
    (level) => kept.some((clause) => levelOf(clause) === level) && !broken.some((clause) => levelOf(clause) === level),
  )
  const { deprecated = [], current } = profile.versions
  const tested = { kit: await kitVersion(), kept, broken }
  yield `${JSON.stringify({ edition: profile.edition, levels, versions: [...deprecated, current], tested }, null, 2)}\n`
}
