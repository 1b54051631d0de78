// What every call can be told besides what it is about.

/** Cancelled by `signal`, it rejects with the signal's reason, as `fetch` does. */
export interface CallOptions {
  readonly signal?: AbortSignal
  /** For the whole call, with all its tries and waits, in milliseconds. */
  readonly timeoutMs?: number
}
/** For a write that makes something. Tried again, it writes nothing twice. (contract 4.7.1) */
export interface WriteOptions extends CallOptions {
  /** Makes a POST repeatable. One is made for every call unless you give yours, such as the id of a form. */
  readonly idempotencyKey?: string
}
/** For a change of one record. */
export interface ChangeOptions extends CallOptions {
  /** CONFLICT unless the record still is as it was read: what this client answered, or an ETag. */
  readonly ifMatch?: object | string
}
/** For a move of one record. */
export interface MoveOptions extends WriteOptions, ChangeOptions {}
