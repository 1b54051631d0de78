// Every limit with its default, unit and clause; configuration may change any. (contract 8.1)

export const defaultLimits = {
  /** Requests per address and minute; 0 turns this limit off. (contract 8.3) */
  ipPerMinute: 100,
  /** Requests per user and hour; 0 turns this limit off. (contract 8.3) */
  userPerHour: 1000,
  /** Logins per address and minute; 0 turns this limit off. (contract 8.3) */
  loginPerMinute: 5,
  /** Sign-ins by issuer, passkey or page per address and minute; 0 turns this limit off. (contract 8.3) */
  flowPerMinute: 20,
  /** Password resets per e-mail address and minute; 0 turns this limit off. (contract 8.3) */
  forgotPasswordPerMinute: 3,
  /** Nested selections below the operation. (contract 8.2.2) */
  queryDepth: 5,
  /** The same for introspection alone. (contract 8.2.2) */
  introspectionDepth: 15,
  /** Points: scalar 1, object 1, list 10. (contract 8.2.3) */
  queryComplexity: 1000,
  /** Parents times page size, summed over paged lists. (contract 8.2.4) */
  queryNodes: 10_000,
  /** Tokens of a GraphQL document. */
  queryTokens: 2_000,
  /** Uses of one response key in one selection, fragments included. */
  fieldRepetitions: 100,
  /** Mutations in one operation; each counts as a request. */
  rootMutations: 10,
  /** Largest page, REST and GraphQL. (contract 4.4.5) */
  pageSize: 100,
  /** Page size by default. */
  defaultPageSize: 20,
  /** Largest offset, in records. (contract 4.4.6) */
  offset: 10_000,
  /** Tenants that a list without a tenant filter covers. (contract 10.2.16) */
  listTenants: 100,
  /** Largest body of a REST request. (contract 8.4.1) */
  restBodyBytes: 1_048_576,
  /** Largest raw body of a custom route. */
  rawBodyBytes: 16 * 1_048_576,
  /** Largest body of a GraphQL request. (contract 8.4.1) */
  graphqlBodyBytes: 262_144,
  /** Largest body of a request to `/auth`. (contract 8.4.1) */
  authBodyBytes: 16_384,
  /** Nesting of a body. */
  jsonDepth: 32,
  /** Records of one batch, and of one list in an input. */
  batch: 100,
  /** Records that one request writes, including children in lists. (contract 13.1) */
  recordsPerWrite: 1_000,
  /** Records deleted or changed because they refer to a deleted one. (contract 2.5.6) */
  dependants: 100_000,
  /** Levels of a tree. (contract 10.3.3) */
  treeLevels: 32,
  /** References in a path: `ticket.assignee.name` follows two. */
  pathSteps: 3,
  /** Values that a summary groups by. */
  groupKeys: 4,
  /** Longest search, in characters. (contract 12.2.33) */
  searchLength: 200,
  /** Words of a search. (contract 12.2.33) */
  searchWords: 10,
  /** Fields of a record searched together. */
  searchFields: 8,
  /** Newest matches sorted by relevance. (contract 12.2.35) */
  searchRanked: 10_000,
  /** Relation hops in one rule, `readable` included. */
  ruleSteps: 6,
  /** Subscribers checked per statement for one event. */
  eventActors: 1_000,
  /** Comparisons in one `where`. (contract 12.1.9) */
  whereTests: 20,
  /** Nesting of one `where`. (contract 12.1.9) */
  whereDepth: 4,
  /** Values in one list of a `where`. (contract 12.1.9) */
  whereValues: 100,
  /** Longest text of a `where`, in characters. (contract 12.1.9) */
  whereChars: 8_192,
  /** Time limit of a query without an index, waiting included. (contract 12.1.13) */
  whereTimeoutMs: 5_000,
  /** The same for each statement on a SQLite database in memory, which it blocks. (contract 12.1.13) */
  whereBlockingMs: 1_000,
  /** Then SQLite runs a query again on a separate thread. (contract 12.1.17) */
  questionBlockingMs: 20,
  /** Then PostgreSQL runs a read again on a connection for slow queries. (contract 12.1.18) */
  readBlockingMs: 100,
  /** Queries waiting for SQLite's thread. (contract 12.1.17) */
  questionsWaiting: 64,
  /** Lists in a path of `where`. (contract 12.1.1) */
  whereLists: 2,
  /** Ids that a query's own code may find; others are ignored. */
  queryIds: 1_000,
  /** Time limit of that code. */
  queryTimeoutMs: 5_000,
  /** Longest request target. (contract 8.4.2) */
  urlBytes: 8_192,
  /** All headers of a request together. (contract 8.4.2) */
  headerBytes: 16_384,
  /** Time for the headers of a request to arrive. (contract 8.4.3) */
  headersTimeoutMs: 10_000,
  /** Time for a request to arrive. (contract 8.4.3) */
  requestTimeoutMs: 30_000,
  /** Lifetime of an idle connection. */
  keepAliveMs: 72_000,
  /** The last part of `DRAIN_SECONDS`, when only idle connections stay open. (contract 0.3.1) */
  idleDrainMs: 1_000,
  /** How long a busy process that stops may still accept and read. (contract 0.3.5) */
  catchUpMs: 3_000,
  /** The time for running requests after listening ends. (contract 0.3.1) */
  drainMs: 9_000,
  /** The time for stopping in all after listening ends. (contract 0.3.1) */
  stopMs: 9_800,
  /** How long `/health/ready` waits for a dependency. (contract 0.2.2) */
  readyTimeoutMs: 2_000,
  /** Interval of measuring event-loop lag. */
  lagSampleMs: 100,
  /** Requests after which it is measured again. */
  lagCredit: 32,
  /** Event-loop lag that sheds load if some was shed recently. */
  lateMs: 400,
  /** Event-loop lag that sheds load otherwise. */
  veryLateMs: 1_000,
  /** How long load is shed at a time. */
  refuseMs: 200,
  /** Time without lag after which shedding ends. */
  calmMs: 1_000,
  /** Rate of 503 responses. */
  refusalsPerSecond: 500,
  /** 503 responses sent before that rate applies. */
  refusalsAtOnce: 50,
  /** Longest delay of a 503 response. */
  refusalHoldMs: 5_000,
  /** `Retry-After` of a 503 for overload. */
  busyRetrySeconds: 2,
  /** Connections of this process; one more is answered 503. */
  connections: 16_000,
  /** Connections of one address, except trusted proxies; one more is answered 503. */
  connectionsPerAddress: 12_000,
  /** Bytes of request bodies in memory; beyond it, 503. */
  bodiesBytes: 128 * 1_048_576,
  /** Bytes of one answer, or of one event for one subscriber. (contract 8.4.6) */
  answerBytes: 16 * 1_048_576,
  /** Bytes of large answers being built or sent; one more is answered 503. (contract 8.4.7) */
  answersBytes: 256 * 1_048_576,
  /** How long an answer may stay unread if others lack memory. */
  stalledReaderMs: 5_000,
  /** Bytes of unread answers; beyond it, the slowest reader is disconnected. */
  unreadAnswersBytes: 256 * 1_048_576,
  /** Streamed answers of this process; one more is answered 503. (contract 8.4.9) */
  streams: 256,
  /** Time limit of a streamed answer. */
  streamTimeoutMs: 900_000,
  /** Longest pause of a streamed answer, on either side. */
  streamIdleMs: 30_000,
  /** Pipelined requests of a connection that run at once. */
  pipelinedAtOnce: 4,
  /** Unread bytes above which the next pipelined request waits. */
  unreadAnswerBytes: 262_144,
  /** Pipelined requests that wait; one more closes the connection. */
  pipelinedRequests: 100,
  /** Unused bodies are discarded up to this size; longer ones close the connection. */
  unreadBodyBytes: 65_536,
  /** How long a closing connection is read, so that its last answer arrives. (RFC 9112 9.6) */
  lingerMs: 1_000,
  /** Entries of X-Forwarded-For that are read, from the last. */
  proxyHops: 32,
  /** Cached canonical addresses. */
  addressesCached: 10_000,
  /** The bytes of that cache. */
  addressCacheBytes: 4 * 1_048_576,
  /** Smaller bodies are not worth compressing. */
  compressFromBytes: 8_192,
  /** How long a browser may cache a preflight. */
  preflightMaxAgeSeconds: 600,
  /** Lifetime of an access token. */
  accessTokenSeconds: 900,
  /** Lifetime of a refresh token. */
  refreshTokenSeconds: 604_800,
  /** Longest lifetime of a session. */
  sessionSeconds: 2_592_000,
  /** Lifetime of a password reset token. */
  passwordResetSeconds: 1_800,
  /** Valid reset tokens of a user; a new one replaces the oldest. */
  passwordResetsAtOnce: 5,
  /** Open passkey challenges of all accounts. (contract 5.15.1) */
  passkeyChallengesAtOnce: 50_000,
  /** Passkeys of one account. (contract 5.15.5) */
  passkeysPerAccount: 20,
  /** Mails waiting to be sent. */
  mailsWaiting: 1_000,
  /** Mails sent at once. */
  mailsAtOnce: 2,
  /** Time limit of one mail. */
  mailTimeoutMs: 10_000,
  /** The time for waiting mails when the service stops. */
  mailDrainMs: 2_000,
  /** How long clients may keep the published keys. */
  jwksMaxAgeSeconds: 300,
  /** Longest token. */
  tokenBytes: 8_192,
  /** Cached verified tokens. */
  verifiedTokens: 10_000,
  /** The bytes of that cache. */
  verifiedTokenBytes: 32 * 1_048_576,
  /** Largest difference between two clocks: `nbf` is this far before `iat`. (contract 5.1.2) */
  clockSkewSeconds: 60,
  /** Revoked tokens, sessions and users held in memory. */
  denials: 100_000,
  /** How often an instance polls revocations, which must arrive within a second. (contract 3.4.2) */
  noticesMs: 400,
  /** How often an instance reports that it runs. (contract 18.1.9) */
  instanceRenewMs: 5_000,
  /** How often expired rows are deleted. */
  sweepSeconds: 60,
  /** Cached API keys. */
  apiKeys: 10_000,
  /** Age at which a cached API key is read again. */
  apiKeySeconds: 60,
  /** Shortest time between two updates of a key's last use. */
  lastUseSeconds: 60,
  /** Largest key set of an outside issuer. */
  outsideKeySetBytes: 262_144,
  /** Keys in it. */
  outsideKeys: 100,
  /** The time to fetch it. */
  outsideTimeoutMs: 5_000,
  /** Shortest time between two fetches of an outside key set. */
  outsideCooldownSeconds: 30,
  /** Age at which it is fetched again. */
  outsideMaxAgeSeconds: 600,
  /** Age up to which it is used if that fails. */
  outsideStaleSeconds: 86_400,
  /** Headers of an answer to an outbound request. (contract 15.1.3) */
  outboundHeaderBytes: 16_384,
  /** Accounts created per outside issuer, by all instances. (contract 5.6.8) */
  provisionsPerMinute: 600,
  /** Time to sign in at an issuer or on a page. (contract 5.16.3) */
  flowSeconds: 600,
  /** Such sign-ins that wait, over all instances. */
  flows: 100_000,
  /** Lifetime of the code that ends one. (contract 5.16.4) */
  codeSeconds: 60,
  /** Passwords hashed at once. */
  passwordHashesAtOnce: 2,
  /** Passwords waiting to be hashed; one more is answered 503. */
  passwordHashesWaiting: 64,
  /** Lifetime of an idempotency key. (contract 4.7) */
  idempotencySeconds: 86_400,
  /** Lifetime of the keys of `once`: 90 days. (contract 13.3) */
  onceSeconds: 7_776_000,
  /** Characters that an author's SQL may read at once. (contract 13.6) */
  sqlChars: 16 * 1_048_576,
  /** Longest idempotency key, in characters. */
  idempotencyKeyLength: 255,
  /** Cached read plans and compiled documents. */
  plans: 1_000,
  /** Cached query strings of lists. */
  queryStrings: 2_000,
  /** The bytes of that cache: about a kilobyte each. */
  queryStringBytes: 4 * 1_048_576,
  /** The bytes of cached plans and documents. */
  planBytes: 64 * 1_048_576,
  /** Persisted documents, by hash. (contract 4.9.4) */
  persistedQueries: 10_000,
  /** The bytes of persisted documents. */
  persistedQueryBytes: 32 * 1_048_576,
  /** Writes in one group commit: any on SQLite; on PostgreSQL inserts and changes of different records. */
  writesPerCommit: 64,
  /** Writes waiting; one more is answered 503. */
  writesWaiting: 1_024,
  /** How long a write may wait for a PostgreSQL connection. */
  writeWaitMs: 1_500,
  /** Unanswered reads sent to PostgreSQL. */
  readsWaiting: 4_096,
  /** Prepared statements after which a PostgreSQL connection is replaced. */
  preparedStatements: 1_000,
  /** Their characters of SQL; a session holds about 250 bytes for each. */
  preparedStatementChars: 262_144,
  /** Time limit of an effect. */
  effectTimeoutMs: 5_000,
  /** Attempts of a transaction that lost a race; those that find more to lock from the start do not count. */
  transactionAttempts: 3,
  /** Time limit of a statement on PostgreSQL. */
  statementTimeoutMs: 10_000,
  /** Time limit of a request; beyond it SERVICE_UNAVAILABLE. */
  executionTimeoutMs: 10_000,
  /** How often PostgreSQL reads are checked for clients that have left. */
  abandonedSweepMs: 250,
  /** Idle time after which SQLite's log is checkpointed. */
  checkpointIdleMs: 1_000,
  /** How long events are kept for subscribers that reconnect. */
  eventSeconds: 86_400,
  /** How often the outbox is polled without a notification. */
  eventPollMs: 1_000,
  /** First pause before polling again for an event held back by an older transaction. */
  eventHeldBackMs: 5,
  /** Shortest time between two notifications of other instances. */
  eventAnnounceMs: 10,
  /** Events read at a time. */
  eventBatch: 500,
  /** How often due records are looked for, unless one is due sooner. */
  duePollMs: 500,
  /** Due records moved in one transaction. */
  dueBatch: 500,
  /** The same for moves with an effect. */
  dueBatchWithEffect: 50,
  /** Intervals of schedules are multiples of it. */
  scheduleStepMs: 60_000,
  /** Ticks of schedules that one instance runs at once. */
  schedulesAtOnce: 16,
  /** Default time limit of a run of a schedule. */
  scheduleTimeMs: 900_000,
  /** Reactions that one instance runs at once; 0: none. */
  reactionsAtOnce: 4,
  /** Default time limit of a reaction. */
  reactionTimeMs: 30_000,
  /** Longest time limit in a definition. */
  reactionTimeMaxMs: 900_000,
  /** The time for running reactions after SIGTERM, within `stopMs`. */
  reactionDrainMs: 8_500,
  /** Nesting of effects. */
  effectDepth: 3,
  /** Time after its limit at which an unfinished reaction is taken over. */
  reactionLeaseMarginMs: 15_000,
  /** Attempts before a reaction becomes a dead letter. */
  reactionAttempts: 15,
  /** Most attempts in a definition. */
  reactionAttemptsMax: 100,
  /** First back-off; later ones double. */
  reactionRetryMs: 1_000,
  /** The longest back-off. */
  reactionRetryMaxMs: 3_600_000,
  /** A reaction that no instance defines for this long gets no more events. */
  reactionUnknownSeconds: 86_400,
  /** How long a dead letter is kept for an operator. */
  reactionDeadSeconds: 2_592_000,
  /** Characters kept of the error of a failed attempt. */
  reactionErrorLength: 1_000,
  /** Webhook messages sent at once, half of them to receivers that have failed since. (contract 15.2.8) */
  webhooksAtOnce: 256,
  /** The same to one receiver. */
  webhookAtOnce: 10,
  /** The same to all receivers of one owner. */
  webhookOwnerAtOnce: 20,
  /** Time limit of one attempt. */
  webhookTimeoutMs: 10_000,
  /** Time after that limit at which an unfinished attempt is taken over. */
  webhookLeaseMarginMs: 15_000,
  /** Largest record in a message; a larger one is null, with an error. */
  webhookBytes: 262_144,
  /** What is kept of a response. (contract 15.2.10) */
  webhookResponseBytes: 1_024,
  /** Longest pause before a failing webhook is tried again. */
  webhookRetryMaxMs: 3_600_000,
  /** How long a webhook may fail before it is paused: three days. (contract 15.2.7) */
  webhookFailingSeconds: 259_200,
  /** How long deliveries are kept: 30 days. (contract 15.2.10) */
  webhookDeliverySeconds: 2_592_000,
  /** Members of a tenant who are notified of a pause. */
  webhookMails: 10,
  /** The time for attempts after SIGTERM. */
  webhookDrainMs: 5_000,
  /** Groups of equal subscribers served at once. */
  eventGroupsAtOnce: 8,
  /** Events queued for one group; others are read again. */
  eventsWaiting: 100,
  /** How long groups share one check of who may read an event's record. */
  eventTestMs: 200,
  /** How often subscriptions by a record are checked: two refusals end one. (contract 6.1.5) */
  holderWatchMs: 400,
  /** Between two attempts to listen to PostgreSQL. */
  listenRetryMs: 500,
  /** Largest WebSocket message. (contract 6.2.1) */
  frameBytes: 65_536,
  /** How long a WebSocket may take to initialise. (contract 6.2.1) */
  socketInitMs: 10_000,
  /** How often a WebSocket is pinged. (contract 6.2.4) */
  socketPingMs: 10_000,
  /** Time without any frame after which it is closed. (contract 6.2.4) */
  socketIdleMs: 30_000,
  /** How often these times and the credential are checked. */
  socketTickMs: 500,
  /** Operations on one WebSocket. (contract 6.2.6) */
  socketSubscriptions: 100,
  /** Unsent bytes that close a WebSocket. */
  socketBufferBytes: 1_048_576,
  /** Unsent bytes of all WebSockets that close those with the most. */
  socketsBufferBytes: 256 * 1_048_576,
  /** Days without use after which a deprecated GraphQL part may be removed. (contract 9.3.2) */
  quietDays: 90,
  /** Counters of deprecated uses between two writes; further clients share one. (contract 9.4.1) */
  usageEntries: 10_000,
  /** How long these counts are kept. */
  usageDays: 400,
  /** Expired rows deleted by one statement. */
  sweepRows: 1_000,
  /** Duration from which a request is slow, and logged. */
  slowRequestMs: 1_000,
  /** Bytes of log lines waiting for a slow reader; others are dropped. */
  logBufferBytes: 8 * 1_048_576,
  /** How long a log line may wait for others. */
  logFlushMs: 100,
  /** How long the exit waits for a stalled reader of the log. */
  logCloseMs: 500,
  /** A second signal within this time counts as the first: npm repeats it. */
  repeatedSignalMs: 250,
  /** How long the primary waits for the metrics of an instance: longer than these wait for the database, and less than a scrape. */
  instanceMetricsMs: 5_000,
  /** Connections to the metrics endpoint. */
  metricsConnections: 16,
  /**
   * Connections to PostgreSQL besides the listening one: four of ten for short reads, two for slow queries, four for writes.
   */
  poolSize: 10,
  /** How long connecting to PostgreSQL may take. */
  connectTimeoutMs: 5_000,
}

/** The defaults, with what the configuration changes. */
export type Limits = { readonly [Name in keyof typeof defaultLimits]: number }

/** Access codes of one request. (contract 10.1.25) */
export const accessCodesMax = 10
