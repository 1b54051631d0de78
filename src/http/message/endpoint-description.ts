// Describes an endpoint outside the API versions for OpenAPI; declared next to the endpoint.

type Schema = Readonly<Record<string, unknown>>

export interface DescribedBody {
  /** `application/json` unless named. */
  readonly mediaType?: string
  readonly schema: Schema
  readonly example: object
}
export interface DescribedAnswer {
  readonly status: number
  readonly description: string
  /** Such as `ETag`. */
  readonly headers?: readonly string[]
  /** The purpose of `Set-Cookie`, if it is sent. */
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
  readonly body?: DescribedBody & { readonly required: boolean }
  readonly cookie?: string
  /** Requires an access token. */
  readonly isSignedIn?: boolean
  readonly answers: readonly DescribedAnswer[]
  /** Besides those of every request. */
  readonly failures: readonly number[]
}
