// What an endpoint outside of every version takes and answers: told beside the endpoint, printed into the documents.

type Schema = Readonly<Record<string, unknown>>

export interface DescribedBody {
  readonly schema: Schema
  readonly example: object
}
export interface DescribedAnswer {
  readonly status: number
  readonly description: string
  /** Headers that only some answers have, such as `ETag`. */
  readonly headers?: readonly string[]
  /** What `Set-Cookie` is for, where there is one. */
  readonly cookie?: string
  readonly body?: DescribedBody
}
export interface EndpointDescription {
  readonly method: 'GET' | 'POST'
  /** The whole path, such as `/auth/login`. */
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly tag: string
  /** What is sent; the cookie that is sent beside it. */
  readonly body?: DescribedBody & { readonly required: boolean }
  readonly cookie?: string
  readonly answers: readonly DescribedAnswer[]
  /** The statuses of its failures, beside those that every request can have. */
  readonly failures: readonly number[]
}
