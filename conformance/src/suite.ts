// The clauses as tests of Node's runner. `main.ts` starts it in a process of its own, whose reporters print the results.

import { after, before, describe, type TestContext, test } from 'node:test'
import { clauseTests, limitTests } from './clauses/index.ts'
import { contract } from './contract.ts'
import { Broken, Untestable } from './kit/answer.ts'
import { type ClauseTest, subjectOf } from './kit/clause.ts'
import { invariants, Observer } from './kit/invariants.ts'
import { Kit } from './kit/kit.ts'
import { readProfile } from './profile.ts'
import { reasons } from './reasons.ts'

const { PROFILE = '', URL_OF_SERVICE, RUN = '', JOURNAL = '', ONLY = '', LEAVE = '', LIMITS = '' } = process.env
const profile = await readProfile(PROFILE, URL_OF_SERVICE)
const observer = new Observer()
const kit = new Kit(profile, RUN, JOURNAL, observer.observe)

/** How many tests run at once: most of the time they wait for the service. */
const concurrency = 8

const isChosen = (clause: string): boolean =>
  ONLY === '' || ONLY.split(',').some((start) => `${clause}.`.startsWith(`${start}.`))

const title = (clause: string): string => `${clause} ${contract.get(clause) ?? ''}`

/** A failure is reported if the test fails twice: what a service breaks, without the stack of the kit. */
async function run(each: ClauseTest, t: TestContext): Promise<void> {
  const subject = subjectOf(each, kit, LEAVE !== '')
  if (typeof subject === 'string') return
  const attempt = () => each.run({ kit, subject })
  try {
    await attempt().catch((error) => {
      if (error instanceof Untestable) throw error
      return attempt()
    })
  } catch (error) {
    if (error instanceof Untestable) return t.skip(error.message)
    if (error instanceof Broken) error.stack = error.message
    throw error
  }
}

function skipped(each: ClauseTest): string | false {
  const subject = subjectOf(each, kit, LEAVE !== '')
  return typeof subject === 'string' ? subject : false
}

describe('clauses', { concurrency }, () => {
  before(() => kit.signInAll())
  for (const each of clauseTests.filter(({ clause }) => isChosen(clause)))
    test(title(each.clause), { skip: skipped(each) }, (t) => run(each, t))
})

// Once a limit is exceeded, the service refuses every test: these are the last, one after the other.
describe('rate limits', () => {
  for (const each of limitTests.filter(({ clause }) => isChosen(clause)))
    test(title(each.clause), { skip: LIMITS === '' ? 'only --limits exceeds rate limits' : skipped(each) }, (t) =>
      run(each, t),
    )
})

describe('every answer', () => {
  for (const { clause } of invariants.filter((each) => isChosen(each.clause)))
    test(title(clause), (t) => {
      const verdict = observer.verdict(clause)
      if (verdict === undefined) return t.skip('no answer of this run is about it')
      if (verdict !== null) {
        const broken = new Broken(verdict)
        broken.stack = verdict
        throw broken
      }
    })
})

if (ONLY === '')
  describe('not tested', () => {
    for (const [clause, reason] of reasons) test(title(clause), { skip: reason }, () => undefined)
  })

async function clean(): Promise<void> {
  const left = await kit.clean()
  if (left.length > 0) console.error(`These records could not be removed: ${left.join(', ')}`)
  kit.close()
}

after(clean)

process.once('SIGINT', async () => {
  await kit.stop()
  await clean()
  process.exit(130)
})
process.on('SIGINT', () => undefined)
