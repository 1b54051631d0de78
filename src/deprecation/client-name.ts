// What a client calls itself: its word, so that it is bounded and never trusted.

const form = /^[A-Za-z0-9][A-Za-z0-9 ._/@+-]{0,63}$/

/** The name that `X-Client-Name` gives, or `unknown`. */
export const readClientName = (header: string | readonly string[] | undefined): string =>
  typeof header === 'string' && form.test(header) ? header : 'unknown'
