// `reply(…)`: what a route answers of another media type, with headers of its own.

import { invariant } from '../../failure/failure.ts'

/** The headers that a route may answer. */
export const answerHeaders = ['Content-Disposition', 'Content-Language', 'Last-Modified'] as const
/** What a route may say of its answer. All other headers are the service's to set. */
export type AnswerHeaders = { readonly [N in (typeof answerHeaders)[number]]?: string }

/** A body with headers, as `reply(…)` makes it of what `handle` answers. */
export class RouteReply<out B> {
  readonly body: B
  readonly headers: AnswerHeaders

  constructor(body: B, headers: AnswerHeaders) {
    this.body = body
    this.headers = headers
  }
}

/** What `handle` answers, with headers: `reply({ headers: { 'Content-Disposition': 'attachment; filename="sales.csv"' }, body })`. */
export const reply = <const B>(answer: { readonly headers: AnswerHeaders; readonly body: B }): RouteReply<B> =>
  new RouteReply(answer.body, answer.headers)

/** `where`: the route, for the sentence that names a header which it may not set. */
export function headersOfReply({ headers }: RouteReply<unknown>, where: string): Readonly<Record<string, string>> {
  const names: readonly string[] = answerHeaders
  for (const name of Object.keys(headers)) invariant(names.includes(name), `${where} may not set the header ${name}`)
  return headers as Readonly<Record<string, string>>
}
