// What users of the client may import. A line added here is a decision.

export type { CallOptions, ChangeOptions, MoveOptions, WriteOptions } from './call.ts'
export { type AnyRequest, type Client, type ClientOptions, createClient } from './client.ts'
export type { CustomRoute } from './custom-request.ts'
export { DuetError, type ErrorCode, type ErrorDetail, type GraphqlErrorEntry } from './error.ts'
export type { GraphqlDocument, TypedDocument } from './graphql.ts'
export type { List, NumberedPage, Page } from './query.ts'
export { etagOf, isReplayed } from './resource.ts'
export type { RetryLimits } from './send.ts'
export type { SignedOut } from './session.ts'
export { memoryStorage, type TokenStorage, type Tokens } from './storage.ts'
export type { Surroundings } from './surroundings.ts'
export { tabChannel, tabStorage } from './tab-storage.ts'
