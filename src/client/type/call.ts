// Options of every call.

/** Aborting `signal` rejects with its reason, as in `fetch`. */
export interface CallOptions {
  readonly signal?: AbortSignal
  /** In milliseconds, for all tries and pauses together. */
  readonly timeoutMs?: number
}
/** For creates and moves; retries never write twice. (contract 4.7.1) */
export interface WriteOptions extends CallOptions {
  /** Makes a POST repeatable. Generated per call by default; may be your own, such as the id of a form. */
  readonly idempotencyKey?: string
}
/** For a change of one record. */
export interface ChangeOptions extends CallOptions {
  /** CONFLICT unless the record is unchanged since it was read: a record this client returned, or an ETag. */
  readonly ifMatch?: object | string
}
/** For an action on one record. */
export interface MoveOptions extends WriteOptions, ChangeOptions {}
