// Reads the client's name, which is unverified and therefore bounded.

const form = /^[A-Za-z0-9][A-Za-z0-9 ._/@+-]{0,63}$/

/** From `X-Client-Name`, or `unknown`. */
export const readClientName = (header: string | readonly string[] | undefined): string =>
  typeof header === 'string' && form.test(header) ? header : 'unknown'
