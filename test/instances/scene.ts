// Who takes part in the failure test, and the records that all of it turns around.

import { supervisedPassword } from '../support/process/supervised-service.ts'
import type { Caller, Tokens } from './caller.ts'
import type { Cluster } from './cluster.ts'

export interface Scene {
  readonly adminToken: string
  /** Editors write posts and comments. */
  readonly editorTokens: readonly string[]
  /** Viewers buy. */
  readonly viewerTokens: readonly string[]
  /** Each of them is used by one refresher only. */
  readonly refreshing: readonly string[]
  /** Listens, and is suspended in the middle of it. */
  readonly suspended: { readonly id: string; readonly token: string }
  /** Posts on which comments are written; the last is unpublished in the middle of it. */
  readonly arena: readonly string[]
  /** With the stock that each began with. */
  readonly products: ReadonlyMap<string, number>
}

export async function setScene(cluster: Cluster, caller: Caller): Promise<Scene> {
  const people = await cluster.rows<{ id: string; email: string; role: string }>(
    'select id, email, role from users order by id',
  )
  const emailsOf = (role: string) => people.filter((each) => each.role === role).map(({ email }) => email)
  const tokenOf = async (email: string) => (await signIn(email)).access_token
  const signIn = (email: string): Promise<Tokens> => caller.login(email, supervisedPassword)
  const adminToken = await tokenOf('admin@example.com')
  const editorTokens = await Promise.all(emailsOf('EDITOR').slice(0, 3).map(tokenOf))
  const [suspendedEmail, ...viewers] = emailsOf('VIEWER')
  const suspended = {
    id: people.find(({ email }) => email === suspendedEmail)!.id,
    token: await tokenOf(suspendedEmail!),
  }
  const make = async (line: string, token: string, body: unknown): Promise<string> => {
    const outcome = await caller.askUntilKnown(line, { token, body })
    const answer = caller.require(outcome, line, 201)
    if (answer === null) throw new Error(caller.faults.join('\n'))
    return (answer.body as { data: { id: string } }).data.id
  }
  const arena = await Promise.all(
    Array.from({ length: 6 }, (_, place) => {
      const post = { title: `arena ${place}`, content: 'Words.', publish: true }
      return make('POST /api/v2/posts', editorTokens[0]!, post)
    }),
  )
  // The last of them is soon sold out.
  const stocks = [1_000_000, 1_000_000, 1_000_000, 1_000_000, 40]
  const products = new Map<string, number>()
  for (const [place, stock] of stocks.entries()) {
    const product = { name: `Thing ${place}`, category: 'things', price: 100, currency: 'EUR', stock }
    products.set(await make('POST /api/v2/products', adminToken, product), stock)
  }
  return {
    adminToken,
    editorTokens,
    viewerTokens: await Promise.all(viewers.slice(0, 3).map(tokenOf)),
    refreshing: viewers.slice(3, 11),
    suspended,
    arena,
    products,
  }
}
