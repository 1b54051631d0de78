// Ends the flow of a page: with a code for the client, or a page for the second factor. (contract 5.17.1)

import { Failure, type FailureChallenge } from '../../failure/failure.ts'
import type { Exchange, Reply } from '../../http/message/exchange.ts'
import type { Account } from '../account/account-store.ts'
import type { Flows, OpenFlow } from '../flow/flows.ts'
import type { CompleteLogin } from '../method/login/complete-login.ts'
import { attemptOf, formOf, type LoginForm, type Proof } from '../method/login/proof.ts'
import type { Parts } from '../parts.ts'
import { again, type Sent } from './page-kit.ts'
import type { Shown, Views } from './views.ts'

export interface PageFlow {
  /** Fails with INVALID_TOKEN. */
  require(exchange: Exchange): Promise<OpenFlow>
  /** `body` as login takes it. `retry` shows the form with what was wrong. */
  prove(body: object, sent: Sent, retry: (open: OpenFlow, shown: Shown) => Reply): Promise<Reply>
}
export interface PageFlowDependencies extends Pick<Parts, 'store' | 'accounts' | 'wakeMails'> {
  readonly flows: Flows
  readonly forms: readonly LoginForm[]
  readonly completeLogin: Pick<CompleteLogin, 'settle'>
}

export function createPageFlow(
  { store, accounts, flows, forms, completeLogin, wakeMails }: PageFlowDependencies,
  views: Pick<Views, 'secondFactor'>,
): PageFlow {
  async function requireFlow({ headers, now }: Exchange): Promise<OpenFlow> {
    const open = await flows.find(headers, now)
    if (open === null || open.flow.issuer !== null) throw new Failure('INVALID_TOKEN')
    return open
  }
  async function finish(proof: Proof, open: OpenFlow, { exchange, texts }: Sent): Promise<Reply> {
    const codeOf = (isComplete: boolean) =>
      function* ({ id: userId }: Pick<Account, 'id'>) {
        if (!(yield* flows.end(open))) throw new Failure('INVALID_TOKEN')
        const { access: epoch } = yield* accounts.epochs(userId)
        const proved = { purpose: 'sign-in', userId, methods: proof.methods, isComplete, epoch } as const
        return yield* flows.addCode(open.flow, proved, exchange.now)
      }
    try {
      const code = await completeLogin.settle(proof, attemptOf(exchange), codeOf(true))
      if (proof.event !== undefined) wakeMails()
      return flows.leave(open.flow, { code })
    } catch (error) {
      const challenge = challengeOf(error)
      if (challenge === null) throw error
      if (!challenge.methods.includes('setup')) return views.secondFactor(open.flow, challenge, { texts })
      // The client gets the challenge, and sets it up.
      return flows.leave(open.flow, { code: await store.write(() => codeOf(false)(proof.account)) })
    }
  }
  return {
    require: requireFlow,
    async prove(body, sent, retry) {
      const open = await requireFlow(sent.exchange)
      try {
        const form = formOf(body as never, forms)
        await sent.counting.takeStep(form.step)
        return await finish(await form.prove(body as never, attemptOf(sent.exchange)), open, sent)
      } catch (error) {
        return again(error, sent.texts, (shown) => retry(open, shown))
      }
    },
  }
}

const challengeOf = (error: unknown): FailureChallenge | null =>
  (error instanceof Failure ? error.challenge : undefined) ?? null
