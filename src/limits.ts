// Every number in the contract, with its unit and clause. A service may change them by configuration. (contract 8)

export interface Limits {
  /** Requests per address and minute; 0 turns this limit off. (8) */
  readonly ipPerMinute: number
  /** Requests per user and hour; 0 turns this limit off. (8) */
  readonly userPerHour: number
  /** Logins per address and minute; 0 turns this limit off. (8) */
  readonly loginPerMinute: number
  /** Password reset requests per e-mail address and minute; 0 turns this limit off. (8) */
  readonly forgotPasswordPerMinute: number
  /** Nested selections below the operation. (8) */
  readonly queryDepth: number
  readonly introspectionDepth: number
  /** Points: scalar 1, object 1, list 10. (8) */
  readonly queryComplexity: number
  /** Parents times page size, summed over the paged lists of a document. (8) */
  readonly queryNodes: number
  readonly queryTokens: number
  /** How often one selection of a document may ask for one response key, fragments included. */
  readonly fieldRepetitions: number
  readonly rootMutations: number
  /** Largest page, REST and GraphQL. (8) */
  readonly pageSize: number
  readonly defaultPageSize: number
  /** Largest offset, in records. (8) */
  readonly offset: number
  readonly restBodyBytes: number
  readonly graphqlBodyBytes: number
  readonly authBodyBytes: number
  readonly jsonDepth: number
  readonly batch: number
  /** Ids that a query of an author's own may find; more are not looked at. */
  readonly queryIds: number
  /** How long it may take to find them. */
  readonly queryTimeoutMs: number
  readonly urlBytes: number
  readonly headerBytes: number
  readonly headersTimeoutMs: number
  readonly requestTimeoutMs: number
  readonly keepAliveMs: number
  /** From SIGTERM on: how long running requests may take to finish, and how long stopping may take in all. (0) */
  readonly drainMs: number
  readonly stopMs: number
  /** How long `/health/ready` waits for a dependency before it is lost. (0) */
  readonly readyTimeoutMs: number
  /** How often lateness is measured, and after how many requests it is looked at in between. */
  readonly gateLookMs: number
  readonly gateStep: number
  /**
   * So late, and late before, requests are told to come back, and so late without that, too: for so long at a time, and
   * until the process was in time for so long.
   */
  readonly lateMs: number
  readonly veryLateMs: number
  readonly refuseMs: number
  readonly calmMs: number
  /** Clients that are told to come back: in a second, beside a few at once; and how long one of them waits at the most. */
  readonly refusalsPerSecond: number
  readonly refusalsAtOnce: number
  readonly refusalHoldMs: number
  /** `Retry-After` where the service is too busy, in seconds. */
  readonly busyRetrySeconds: number
  /** Connections of this process; one address, unless it is a trusted proxy's, may have fewer. One more is told 503. */
  readonly connections: number
  readonly connectionsPerAddress: number
  /** Bodies that everybody together may be sending or waiting with, in bytes; one more byte is 503. */
  readonly bodiesBytes: number
  /** Answers that everybody together may leave unread; where it is more, the slowest reader's connection ends. */
  readonly unreadAnswersBytes: number
  /** Requests of one connection that run at once, and what it may leave unread before the next one runs. */
  readonly pipelinedAtOnce: number
  readonly unreadAnswerBytes: number
  /** Requests of one connection that wait for their answers; one more and the connection ends after them. */
  readonly pipelinedRequests: number
  /** A body nobody reads is read past up to here, so that its connection lives on; a longer one ends the connection. */
  readonly unreadBodyBytes: number
  /** How long a connection that ends is still read, so that its last answer arrives. (RFC 9112 9.6) */
  readonly lingerMs: number
  /** Hops of X-Forwarded-For that are looked at. */
  readonly proxyHops: number
  /** Addresses kept in their canonical form. */
  readonly addressesRemembered: number
  /** Smaller bodies are not worth compressing. */
  readonly compressFromBytes: number
  /** How long a browser may remember the answer to a CORS preflight. */
  readonly preflightMaxAgeSeconds: number
  readonly accessTokenSeconds: number
  readonly refreshTokenSeconds: number
  /** A family of refresh tokens ends, however often it was renewed. */
  readonly sessionSeconds: number
  readonly passwordResetSeconds: number
  /** Tokens of one user that are good at the same time; the oldest goes first. */
  readonly passwordResetsAtOnce: number
  /** Mails that wait to be sent, and those being sent at once. */
  readonly mailsWaiting: number
  readonly mailsAtOnce: number
  /** How long a mail server may keep a mail waiting, and a service that stops those that are left. */
  readonly mailTimeoutMs: number
  readonly mailDrainMs: number
  readonly jwksMaxAgeSeconds: number
  readonly tokenBytes: number
  /** Tokens remembered as verified, each until it expires. */
  readonly verifiedTokens: number
  /** Seconds by which the clocks of two machines may differ: `nbf` lies this far before `iat`. (5) */
  readonly clockSkewSeconds: number
  /** Revoked tokens, ended sessions and refused users remembered at once. */
  readonly denials: number
  /** How often an instance asks what others denied: well within the second in which all must know. (3) */
  readonly noticesMs: number
  /** How often what has expired is swept away. */
  readonly sweepSeconds: number
  /** API keys remembered at once, and for how long before their row is read again. */
  readonly apiKeys: number
  readonly apiKeySeconds: number
  /** A key's last use is written down at most this often. */
  readonly lastUseSeconds: number
  /** An outside issuer's key set: its size, its keys, and how long to wait for it. */
  readonly outsideKeySetBytes: number
  readonly outsideKeys: number
  readonly outsideTimeoutMs: number
  /** Seconds between two requests for an outside key set, however many tokens name unknown keys. */
  readonly outsideCooldownSeconds: number
  /** Seconds after which an outside key set is fetched again, and for which it is trusted when that fails. */
  readonly outsideMaxAgeSeconds: number
  readonly outsideStaleSeconds: number
  readonly passwordHashesAtOnce: number
  readonly passwordHashesWaiting: number
  readonly idempotencySeconds: number
  readonly idempotencyKeyLength: number
  /** Read plans and documents kept compiled. */
  readonly plans: number
  /** Query strings of lists whose meaning is kept, where they are shorter than `queryStringKept`: about a kilobyte each. */
  readonly queryStrings: number
  /** Characters. */
  readonly queryStringKept: number
  readonly planBytes: number
  /** Documents remembered by their hash. (4) */
  readonly persistedQueries: number
  readonly persistedQueryBytes: number
  /** Writes that share one commit: any on SQLite, those that only add records on PostgreSQL. */
  readonly writesPerCommit: number
  readonly writesWaiting: number
  /** How long a write may wait for one of PostgreSQL's connections. */
  readonly writeWaitMs: number
  /** Reads sent to PostgreSQL and not answered yet. */
  readonly readsWaiting: number
  /** Prepared statements that one connection to PostgreSQL may hold before a new one takes its place. */
  readonly preparedStatements: number
  readonly effectTimeoutMs: number
  readonly transactionAttempts: number
  readonly statementTimeoutMs: number
  /** From when a request has arrived until it has been carried out, or a part of it is answered with SERVICE_UNAVAILABLE. */
  readonly executionTimeoutMs: number
  /** How often PostgreSQL's running reads are looked at for those whom nobody waits for. */
  readonly abandonedSweepMs: number
  /** How long events are kept for subscribers who were away. */
  readonly eventSeconds: number
  /** How often the outbox is read without being woken. */
  readonly eventPollMs: number
  /** How soon it is read again for an event that an older transaction holds back. */
  readonly eventHeldBackMs: number
  /** Between two announcements of events to the other instances. */
  readonly eventAnnounceMs: number
  readonly eventBatch: number
  /** Reactions that one instance runs at a time; 0: it leaves them to others. */
  readonly reactionsAtOnce: number
  /** How long one may take unless it says otherwise, and the most that it may say. */
  readonly reactionTimeMs: number
  readonly reactionTimeMaxMs: number
  /** From SIGTERM on, within `stopMs`: how long those that run may take to end, before they are given back. */
  readonly reactionDrainMs: number
  /** An instance that has not ended a reaction so long after its time limit is taken for gone. */
  readonly reactionLeaseMarginMs: number
  /** Tries of a reaction before it is given up, unless it says otherwise, and the most that it may say. */
  readonly reactionAttempts: number
  readonly reactionAttemptsMax: number
  /** Before the second try; doubled before each that follows, up to the longest. */
  readonly reactionRetryMs: number
  readonly reactionRetryMaxMs: number
  /** A reaction that no instance has known for so long is not told of events any more. */
  readonly reactionUnknownSeconds: number
  /** How long what was given up waits for an operator. */
  readonly reactionDeadSeconds: number
  /** What is kept of the reason, in characters. */
  readonly reactionErrorLength: number
  /** Groups of equal subscribers that are told of events at the same time. */
  readonly eventGroupsAtOnce: number
  /** Events that wait for one group; those beyond are read again from the outbox. */
  readonly eventsWaiting: number
  /** For so long after an event the groups share one look at who may read its record. */
  readonly eventTestMs: number
  /** Between two tries to listen to PostgreSQL. */
  readonly listenRetryMs: number
  /** A WebSocket message. (6) */
  readonly frameBytes: number
  /** How long a WebSocket may take to initialise. (6) */
  readonly socketInitMs: number
  readonly socketPingMs: number
  /** Without any frame, pong included. (6) */
  readonly socketIdleMs: number
  /** How often those times are looked at, and whether the credential still holds. */
  readonly socketTickMs: number
  /** Operations on one WebSocket. (6) */
  readonly socketSubscriptions: number
  /** What may wait for a reader that is too slow, before the connection ends. */
  readonly socketBufferBytes: number
  /** What may wait for all of them together, before those with the most are cut off. */
  readonly socketsBufferBytes: number
  /** Days without use after which a deprecated part of the GraphQL schema may go. (9) */
  readonly quietDays: number
  /** Uses of what is deprecated that are counted apart until they are written down; those of more clients together. (9) */
  readonly usageEntries: number
  /** For how long such counts are kept. */
  readonly usageDays: number
  /** Old rows removed by one statement. */
  readonly sweepRows: number
  /** From how many milliseconds on a request is slow, and told to the log in any case. */
  readonly slowRequestMs: number
  /** Log lines that wait for a reader who is too slow; more are lost. */
  readonly logBufferBytes: number
  /** How long a line may wait for others, to be written with them. */
  readonly logFlushMs: number
  /** Connections of those who collect metrics. */
  readonly metricsConnections: number
  /** Connections to PostgreSQL, beside the one that listens; four of ten read. */
  readonly poolSize: number
  readonly connectTimeoutMs: number
}

export const defaultLimits: Limits = {
  ipPerMinute: 100,
  userPerHour: 1000,
  loginPerMinute: 5,
  forgotPasswordPerMinute: 3,
  queryDepth: 5,
  introspectionDepth: 15,
  queryComplexity: 1000,
  queryNodes: 10_000,
  queryTokens: 2_000,
  fieldRepetitions: 100,
  rootMutations: 10,
  pageSize: 100,
  defaultPageSize: 20,
  offset: 10_000,
  restBodyBytes: 1_048_576,
  graphqlBodyBytes: 262_144,
  authBodyBytes: 16_384,
  jsonDepth: 32,
  batch: 100,
  queryIds: 1_000,
  queryTimeoutMs: 5_000,
  urlBytes: 8_192,
  headerBytes: 16_384,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveMs: 72_000,
  drainMs: 9_000,
  stopMs: 9_800,
  readyTimeoutMs: 2_000,
  gateLookMs: 100,
  gateStep: 32,
  lateMs: 400,
  veryLateMs: 1_000,
  refuseMs: 200,
  calmMs: 1_000,
  refusalsPerSecond: 500,
  refusalsAtOnce: 50,
  refusalHoldMs: 5_000,
  busyRetrySeconds: 2,
  connections: 16_000,
  connectionsPerAddress: 12_000,
  bodiesBytes: 128 * 1_048_576,
  unreadAnswersBytes: 256 * 1_048_576,
  pipelinedAtOnce: 4,
  unreadAnswerBytes: 262_144,
  pipelinedRequests: 100,
  unreadBodyBytes: 65_536,
  lingerMs: 1_000,
  proxyHops: 32,
  addressesRemembered: 10_000,
  compressFromBytes: 8_192,
  preflightMaxAgeSeconds: 600,
  accessTokenSeconds: 900,
  refreshTokenSeconds: 604_800,
  sessionSeconds: 2_592_000,
  passwordResetSeconds: 1_800,
  passwordResetsAtOnce: 5,
  mailsWaiting: 1_000,
  mailsAtOnce: 2,
  mailTimeoutMs: 10_000,
  mailDrainMs: 2_000,
  jwksMaxAgeSeconds: 300,
  tokenBytes: 8_192,
  verifiedTokens: 10_000,
  clockSkewSeconds: 60,
  denials: 100_000,
  noticesMs: 400,
  sweepSeconds: 60,
  apiKeys: 10_000,
  apiKeySeconds: 60,
  lastUseSeconds: 60,
  outsideKeySetBytes: 262_144,
  outsideKeys: 100,
  outsideTimeoutMs: 5_000,
  outsideCooldownSeconds: 30,
  outsideMaxAgeSeconds: 600,
  outsideStaleSeconds: 86_400,
  passwordHashesAtOnce: 2,
  passwordHashesWaiting: 64,
  idempotencySeconds: 86_400,
  idempotencyKeyLength: 255,
  plans: 1_000,
  queryStrings: 2_000,
  queryStringKept: 200,
  planBytes: 64 * 1_048_576,
  persistedQueries: 10_000,
  persistedQueryBytes: 32 * 1_048_576,
  writesPerCommit: 64,
  writesWaiting: 1_024,
  writeWaitMs: 1_500,
  readsWaiting: 4_096,
  preparedStatements: 1_000,
  effectTimeoutMs: 5_000,
  transactionAttempts: 3,
  statementTimeoutMs: 10_000,
  executionTimeoutMs: 10_000,
  abandonedSweepMs: 250,
  eventSeconds: 86_400,
  eventPollMs: 1_000,
  eventHeldBackMs: 5,
  eventAnnounceMs: 10,
  eventBatch: 500,
  reactionsAtOnce: 4,
  reactionTimeMs: 30_000,
  reactionTimeMaxMs: 900_000,
  reactionDrainMs: 8_500,
  reactionLeaseMarginMs: 15_000,
  reactionAttempts: 15,
  reactionAttemptsMax: 100,
  reactionRetryMs: 1_000,
  reactionRetryMaxMs: 3_600_000,
  reactionUnknownSeconds: 86_400,
  reactionDeadSeconds: 2_592_000,
  reactionErrorLength: 1_000,
  eventGroupsAtOnce: 8,
  eventsWaiting: 100,
  eventTestMs: 200,
  listenRetryMs: 500,
  frameBytes: 65_536,
  socketInitMs: 10_000,
  socketPingMs: 10_000,
  socketIdleMs: 30_000,
  socketTickMs: 500,
  socketSubscriptions: 100,
  socketBufferBytes: 1_048_576,
  socketsBufferBytes: 256 * 1_048_576,
  quietDays: 90,
  usageEntries: 10_000,
  usageDays: 400,
  sweepRows: 1_000,
  slowRequestMs: 1_000,
  logBufferBytes: 8 * 1_048_576,
  logFlushMs: 100,
  metricsConnections: 16,
  poolSize: 10,
  connectTimeoutMs: 5_000,
}
