// `reply(…)`: an answer of another media type, with headers.

import { invariant } from '../failure/failure.ts'

/** Headers that a route may set. */
export const answerHeaders = ['Content-Disposition', 'Content-Language', 'Last-Modified'] as const
/** Headers that a route may set; the service sets all others. */
export type AnswerHeaders = { readonly [N in (typeof answerHeaders)[number]]?: string }

/** The result of `reply(…)`. */
export class RouteReply<out B> {
  readonly body: B
  readonly headers: AnswerHeaders

  constructor(body: B, headers: AnswerHeaders) {
    this.body = body
    this.headers = headers
  }
}

/** The body of `handle` with headers: `reply({ headers: { 'Content-Disposition': 'attachment; filename="sales.csv"' }, body })`. */
export const reply = <const B>(answer: { readonly headers: AnswerHeaders; readonly body: B }): RouteReply<B> =>
  new RouteReply(answer.body, answer.headers)

/** `where`: the route, for the message about a header that it may not set. */
export function headersOfReply({ headers }: RouteReply<unknown>, where: string): Readonly<Record<string, string>> {
  const names: readonly string[] = answerHeaders
  for (const name of Object.keys(headers)) invariant(names.includes(name), `${where} may not set the header ${name}`)
  return headers as Readonly<Record<string, string>>
}
