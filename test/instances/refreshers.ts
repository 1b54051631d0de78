// People who renew their tokens, and thieves who show a used one: at the same moment as its owner, or later.

import { setTimeout as wait } from 'node:timers/promises'
import { createRandom } from '../support/oracle/random.ts'
import { supervisedPassword } from '../support/process/supervised-service.ts'
import type { Caller, Tokens } from './caller.ts'

export interface Refreshed {
  /** Times that a token was exchanged. */
  exchanges: number
  /** By e-mail, the answers TOKEN_REUSED. */
  readonly reuses: Map<string, number>
}

/** What became of showing one token any number of times. */
interface Shown {
  readonly granted: readonly Tokens[]
  readonly codes: readonly string[]
  /** Attempts of which no answer came. */
  readonly doubts: number
}

const pauseMs = 150

export async function refresh(
  emails: readonly string[],
  caller: Caller,
  isOver: () => boolean,
  seed: number,
): Promise<Refreshed> {
  const refreshed: Refreshed = { exchanges: 0, reuses: new Map() }
  await Promise.all(emails.map((email, place) => refreshOne(email, place)))
  return refreshed

  async function refreshOne(email: string, place: number): Promise<void> {
    const random = createRandom(seed + place)
    let tokens = await caller.login(email, supervisedPassword)
    while (!isOver()) {
      await wait(300)
      const [next, isAlive] = await exchange(tokens.refresh_token, random.chance(0.15) ? 3 : 1)
      if (next === null || !isAlive || random.chance(0.15)) {
        // Its owner goes on with the new one, and somebody shows the old one once more.
        if (next !== null && isAlive) await steal(tokens.refresh_token, next.refresh_token)
        tokens = await caller.login(email, supervisedPassword)
      } else tokens = next
    }

    /** Shows a good token so many times at once; answers the next one, and whether it should be good. */
    async function exchange(token: string, times: number): Promise<readonly [Tokens | null, boolean]> {
      let shown = await show(token, times)
      const isInDoubt = () => shown.granted.length === 0 && shown.codes.length === 0
      while (isInDoubt()) {
        await wait(pauseMs)
        shown = joined(shown, await show(token, 1))
      }
      const { granted, codes, doubts } = shown
      if (granted.length > 1) caller.faults.push(`a refresh token of ${email} was exchanged ${granted.length} times`)
      if (times === 1 && doubts === 0 && granted.length === 0)
        caller.faults.push(`a good refresh token of ${email} was refused with ${codes}`)
      if (times > 1 && doubts === 0 && (granted.length !== 1 || !codes.includes('TOKEN_REUSED')))
        caller.faults.push(`of ${times} at once, ${granted.length} of ${email} were granted, and ${codes}`)
      refreshed.exchanges += granted.length
      // One that was granted and one that was refused: everything of this user is dead.
      const isDead = codes.length > 0
      if (isDead && granted[0] !== undefined) await requireDead(granted[0].refresh_token, 'after a reuse')
      return [granted[0] ?? null, !isDead && doubts === 0]
    }

    async function steal(used: string, next: string): Promise<void> {
      const { granted, codes, doubts } = await untilKnown(used)
      const expected = doubts === 0 ? ['TOKEN_REUSED'] : ['TOKEN_REUSED', 'INVALID_TOKEN']
      if (granted.length > 0 || !codes.every((code) => expected.includes(code)))
        caller.faults.push(`a used refresh token of ${email} was answered ${granted.length > 0 ? 200 : codes}`)
      await requireDead(next, 'after its predecessor was reused')
    }

    async function requireDead(token: string, when: string): Promise<void> {
      const { granted, codes } = await untilKnown(token)
      if (granted.length > 0 || codes.some((code) => code !== 'INVALID_TOKEN'))
        caller.faults.push(`a refresh token of ${email} lives ${when}: ${granted.length > 0 ? 200 : codes}`)
    }

    async function untilKnown(token: string): Promise<Shown> {
      let shown = await show(token, 1)
      while (shown.granted.length + shown.codes.length === 0) {
        await wait(pauseMs)
        shown = joined(shown, await show(token, 1))
      }
      return shown
    }

    async function show(token: string, times: number): Promise<Shown> {
      const line = 'POST /auth/refresh'
      const requests = Array.from({ length: times }, () => caller.ask(line, { body: { refresh_token: token } }))
      const answers = await Promise.all(requests)
      const arrivals = answers.filter((each) => each !== null)
      for (const answer of arrivals) caller.require({ answer, doubts: 0 }, line, 200, 401)
      const codes = arrivals.flatMap(({ status, body }) => (status === 401 ? [body.error.code as string] : []))
      const reused = codes.filter((code) => code === 'TOKEN_REUSED').length
      refreshed.reuses.set(email, (refreshed.reuses.get(email) ?? 0) + reused)
      const granted = arrivals.flatMap(({ status, body }) => (status === 200 ? [body as Tokens] : []))
      return { granted, codes, doubts: times - arrivals.length }
    }
  }
}

const joined = (one: Shown, other: Shown): Shown => ({
  granted: [...one.granted, ...other.granted],
  codes: [...one.codes, ...other.codes],
  doubts: one.doubts + other.doubts,
})
