// The state table of section 3.2 as a model: one user, the user's refresh tokens, and what each request does to them. The
// service is right where everything that was asked at once can be put in an order in which the model says the same.

export type Asked =
  | { readonly is: 'login'; readonly password: string; readonly makes: string }
  | { readonly is: 'refresh'; readonly token: string; readonly makes: string }
  | { readonly is: 'logout'; readonly token: string }
  | { readonly is: 'suspend' | 'reactivate' }
  | { readonly is: 'reset'; readonly resetToken: string; readonly password: string }

/** What an access token was made under; the name is that of the refresh token beside it. */
export interface TokenState {
  readonly status: 'ACTIVE' | 'SUSPENDED'
  readonly password: string
  readonly accessEpoch: number
  readonly resetTokens: readonly string[]
  /** What was revoked is not among them. */
  readonly tokens: Readonly<Record<string, { readonly family: string; readonly isUsed: boolean }>>
  readonly accessTokens: Readonly<Record<string, number>>
}
/** The outcome of a request: a status, or the code of a failure. */
export type Outcome = number | string

export const firstState = (password: string): TokenState => ({
  status: 'ACTIVE',
  password,
  accessEpoch: 0,
  resetTokens: [],
  tokens: {},
  accessTokens: {},
})

/** One request, carried out as a whole. */
export function step(state: TokenState, input: Asked): readonly [Outcome, TokenState] {
  switch (input.is) {
    case 'login':
      return state.status === 'ACTIVE' && input.password === state.password
        ? [200, minted(state, input.makes, input.makes)]
        : ['INVALID_CREDENTIALS', state]
    case 'refresh': {
      const token = state.tokens[input.token]
      if (token === undefined) return ['INVALID_TOKEN', state]
      if (token.isUsed) return ['TOKEN_REUSED', { ...state, tokens: {} }]
      const used = { ...state, tokens: { ...state.tokens, [input.token]: { ...token, isUsed: true } } }
      return [200, minted(used, input.makes, token.family)]
    }
    case 'logout': {
      const family = state.tokens[input.token]?.family
      const left = Object.entries(state.tokens).filter(([, each]) => each.family !== family)
      return [200, { ...state, tokens: Object.fromEntries(left) }]
    }
    case 'suspend':
      return state.status === 'ACTIVE' ? [200, { ...revoked(state), status: 'SUSPENDED' }] : ['CONFLICT', state]
    case 'reactivate':
      return state.status === 'SUSPENDED' ? [200, { ...state, status: 'ACTIVE' }] : ['CONFLICT', state]
    case 'reset':
      return state.status === 'ACTIVE' && state.resetTokens.includes(input.resetToken)
        ? [204, { ...revoked(state), password: input.password, resetTokens: [] }]
        : ['INVALID_TOKEN', state]
  }
}

const minted = (state: TokenState, name: string, family: string): TokenState => ({
  ...state,
  tokens: { ...state.tokens, [name]: { family, isUsed: false } },
  accessTokens: { ...state.accessTokens, [name]: state.accessEpoch },
})
const revoked = (state: TokenState): TokenState => ({ ...state, tokens: {}, accessEpoch: state.accessEpoch + 1 })

/** The states in which requests that were made at once, with these outcomes, can have left things; none is a fault. */
export function explain(
  states: readonly TokenState[],
  input: readonly Asked[],
  outcomes: readonly Outcome[],
): readonly TokenState[] {
  const found = new Map<string, TokenState>()
  const visit = (state: TokenState, left: readonly number[]): void => {
    if (left.length === 0) found.set(keyOf(state), state)
    for (const index of left) {
      const [outcome, next] = step(state, input[index]!)
      if (outcome === outcomes[index])
        visit(
          next,
          left.filter((each) => each !== index),
        )
    }
  }
  for (const state of states) visit(state, [...input.keys()])
  return [...found.values()]
}

/** Tokens come in the order in which they were minted, which says nothing. */
const keyOf = ({ tokens, accessTokens, ...state }: TokenState): string =>
  JSON.stringify([state, Object.entries(tokens).sort(), Object.entries(accessTokens).sort()])

/** Those of the states in which this access token is valid, or is not. */
export const withAccess = (states: readonly TokenState[], name: string, isValid: boolean): readonly TokenState[] =>
  states.filter((state) => (state.accessTokens[name] === state.accessEpoch) === isValid)
