// The public exports of the client. Adding one is a decision.

export { type AnyRequest, type Client, type ClientOptions, createClient } from './client.ts'
export type { CustomRoute } from './custom-request.ts'
export type { GraphqlDocument, TypedDocument } from './graphql.ts'
export { etagOf, isReplayed } from './resource.ts'
export {
  DuetError,
  type ErrorChallenge,
  type ErrorCode,
  type ErrorDetail,
  type GraphqlErrorEntry,
} from './send/error.ts'
export type { Login, PasskeyLogin } from './send/login.ts'
export type { DevicePasskeys, PasskeyRequest } from './send/passkey.ts'
export type { RetryLimits } from './send/send.ts'
export type { SignedOut } from './send/session.ts'
export { memoryStorage, type TokenStorage, type Tokens } from './send/storage.ts'
export type { Surroundings } from './send/surroundings.ts'
export { tabChannel, tabStorage } from './send/tab-storage.ts'
export type { BulkOptions, BulkResult } from './type/bulk.ts'
export type { CallOptions, ChangeOptions, MoveOptions, WriteOptions } from './type/call.ts'
export type { List, NumberedPage, Page } from './type/query.ts'
export { verifyWebhook, type WebhookMessage, type WebhookRequest } from './verify-webhook.ts'
