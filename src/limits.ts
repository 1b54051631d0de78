// Every limit with its default, unit and clause. Configuration may change any of them. (contract 8.1)

export const defaultLimits = {
  /** Requests per address and minute; 0 turns this limit off. (contract 8.3) */
  ipPerMinute: 100,
  /** Requests per user and hour; 0 turns this limit off. (contract 8.3) */
  userPerHour: 1000,
  /** Logins per address and minute; 0 turns this limit off. (contract 8.3) */
  loginPerMinute: 5,
  /** Sign-ins through issuers, passkeys and pages that an address begins in a minute; 0 turns this limit off. (contract 8.3) */
  flowPerMinute: 20,
  /** Password reset requests per e-mail address and minute; 0 turns this limit off. (contract 8.3) */
  forgotPasswordPerMinute: 3,
  /** Nested selections below the operation. (contract 8.2.2) */
  queryDepth: 5,
  /** The same for an operation that only introspects. (contract 8.2.2) */
  introspectionDepth: 15,
  /** Points: scalar 1, object 1, list 10. (contract 8.2.3) */
  queryComplexity: 1000,
  /** Parents times page size, summed over the paged lists of a document. (contract 8.2.4) */
  queryNodes: 10_000,
  /** Tokens of a GraphQL document. */
  queryTokens: 2_000,
  /** Repetitions of one response key in one selection of a document, fragments included. */
  fieldRepetitions: 100,
  /** Mutations in one operation, each counted as a request. */
  rootMutations: 10,
  /** Largest page, REST and GraphQL. (contract 4.4.5) */
  pageSize: 100,
  /** Page size if a request names none. */
  defaultPageSize: 20,
  /** Largest offset, in records. (contract 4.4.6) */
  offset: 10_000,
  /** Most tenants that a list without a tenant filter covers. (contract 10.2.16) */
  listTenants: 100,
  /** Largest body of a REST request. (contract 8.4.1) */
  restBodyBytes: 1_048_576,
  /** Largest body that a custom route may accept as bytes. */
  rawBodyBytes: 16 * 1_048_576,
  /** Largest body of a GraphQL request. (contract 8.4.1) */
  graphqlBodyBytes: 262_144,
  /** Largest body of a request to `/auth`. (contract 8.4.1) */
  authBodyBytes: 16_384,
  /** Nesting of objects and lists in a body. */
  jsonDepth: 32,
  /** Records of one batch, and of one list in an input. */
  batch: 100,
  /** Records that one request writes, including children in lists. (contract 13.1) */
  recordsPerWrite: 1_000,
  /** Records deleted or changed because they refer to a deleted one. (contract 2.5.6) */
  dependants: 100_000,
  /** Levels of a tree. (contract 10.3.3) */
  treeLevels: 32,
  /** References in a path of sorts and summaries: `ticket.assignee.name` follows two. */
  pathSteps: 3,
  /** Values that one summary groups records by. */
  groupKeys: 4,
  /** Longest search, in characters. (contract 12.2.33) */
  searchLength: 200,
  /** Words of a search, including excluded ones. (contract 12.2.33) */
  searchWords: 10,
  /** Fields of one record that are searched together. */
  searchFields: 8,
  /** Newest matches of a search that are sorted by relevance. (contract 12.2.35) */
  searchRanked: 10_000,
  /** Most relation hops in one rule, `readable` included. */
  ruleSteps: 6,
  /** Subscribers checked per statement for one event. */
  eventActors: 1_000,
  /** Comparisons in one `where`. (contract 12.1.9) */
  whereTests: 20,
  /** Nesting of groups, negations and lists in one `where`. (contract 12.1.9) */
  whereDepth: 4,
  /** Values in one list of a `where`. (contract 12.1.9) */
  whereValues: 100,
  /** Longest text of a `where`, in characters. (contract 12.1.9) */
  whereChars: 8_192,
  /** Time limit of a query that no index serves, including the time it waits for others. (contract 12.1.13) */
  whereTimeoutMs: 5_000,
  /** Time limit of one of its statements if it blocks all others: in a SQLite database in memory. (contract 12.1.13) */
  whereBlockingMs: 1_000,
  /** After this time SQLite runs a query again on a separate thread, unless it started there. (contract 12.1.17) */
  questionBlockingMs: 20,
  /** After this time PostgreSQL runs a read again on a connection for slow queries. (contract 12.1.18) */
  readBlockingMs: 100,
  /** Queries waiting for that thread; more are refused. (contract 12.1.17) */
  questionsWaiting: 64,
  /** Lists in a path of `where`. (contract 12.1.1) */
  whereLists: 2,
  /** Ids that a query's own code may find; further ones are ignored. */
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
  /** How long an idle connection stays open. */
  keepAliveMs: 72_000,
  /** The last part of `DRAIN_SECONDS`: new connections have ended, and idle ones stay open. (contract 0.3.1) */
  idleDrainMs: 1_000,
  /** How long a busy process that stops may accept and read until nothing more has arrived. (contract 0.3.5) */
  catchUpMs: 3_000,
  /** After listening ends: the time for running requests to finish. (contract 0.3.1) */
  drainMs: 9_000,
  /** After listening ends: the time for stopping in all. (contract 0.3.1) */
  stopMs: 9_800,
  /** How long `/health/ready` waits for a dependency before reporting it as lost. (contract 0.2.2) */
  readyTimeoutMs: 2_000,
  /** The interval at which event-loop lag is measured. */
  lagSampleMs: 100,
  /** Requests within an interval after which it is measured again. */
  lagCredit: 32,
  /** Event-loop lag above which load is shed if some was shed recently. */
  lateMs: 400,
  /** Event-loop lag above which load is shed otherwise. */
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
  /** Total bytes of request bodies held in memory across all connections; beyond it, 503. */
  bodiesBytes: 128 * 1_048_576,
  /** Bytes of one answer of GraphQL or REST, or of one event for one subscriber. (contract 8.4.6) */
  answerBytes: 16 * 1_048_576,
  /** Total bytes of large answers being built or sent; one more is answered 503. (contract 8.4.7) */
  answersBytes: 256 * 1_048_576,
  /** How long a client may leave an answer unread when others lack memory. */
  stalledReaderMs: 5_000,
  /** Total bytes of responses that clients have not read; beyond it, the slowest reader's connection is closed. */
  unreadAnswersBytes: 256 * 1_048_576,
  /** Concurrent streamed answers of this process; one more is answered 503. (contract 8.4.9) */
  streams: 256,
  /** Time limit of a streamed answer. */
  streamTimeoutMs: 900_000,
  /** How long a streamed answer may pause, for its producer or its reader. */
  streamIdleMs: 30_000,
  /** Pipelined requests of one connection that run at once. */
  pipelinedAtOnce: 4,
  /** Unread bytes of a connection above which its next pipelined request waits. */
  unreadAnswerBytes: 262_144,
  /** Pipelined requests of one connection that wait for their responses; after one more the connection is closed. */
  pipelinedRequests: 100,
  /** An unused body is discarded up to this size, so that its connection survives; a longer one closes the connection. */
  unreadBodyBytes: 65_536,
  /** How long a closing connection is still read, so that its last response arrives. (RFC 9112 9.6) */
  lingerMs: 1_000,
  /** Entries of X-Forwarded-For that are read, from the last one on. */
  proxyHops: 32,
  /** Cached canonical forms of addresses: a client chooses the text in X-Forwarded-For. */
  addressesCached: 10_000,
  /** The bytes of that cache. */
  addressCacheBytes: 4 * 1_048_576,
  /** Smaller bodies are not worth compressing. */
  compressFromBytes: 8_192,
  /** How long a browser may cache the response to a CORS preflight. */
  preflightMaxAgeSeconds: 600,
  /** Lifetime of an access token. */
  accessTokenSeconds: 900,
  /** Lifetime of a refresh token; using it creates another. */
  refreshTokenSeconds: 604_800,
  /** Absolute lifetime of a session, however often its refresh token was rotated. */
  sessionSeconds: 2_592_000,
  /** Lifetime of the token in a password reset mail. */
  passwordResetSeconds: 1_800,
  /** Valid reset tokens of one user; a new one replaces the oldest. */
  passwordResetsAtOnce: 5,
  /** Challenges of passkeys that wait for an answer, of all accounts. (contract 5.15.1) */
  passkeyChallengesAtOnce: 50_000,
  /** Passkeys of one account. (contract 5.15.5) */
  passkeysPerAccount: 20,
  /** Mails waiting to be sent. */
  mailsWaiting: 1_000,
  /** Mails sent at once. */
  mailsAtOnce: 2,
  /** The time a mail server has for one mail. */
  mailTimeoutMs: 10_000,
  /** The time a stopping service spends on the rest of its mails. */
  mailDrainMs: 2_000,
  /** How long clients may keep the published keys. */
  jwksMaxAgeSeconds: 300,
  /** Longest token that is read. */
  tokenBytes: 8_192,
  /** Cached verified tokens, each until it expires. */
  verifiedTokens: 10_000,
  /** The bytes of that cache. */
  verifiedTokenBytes: 32 * 1_048_576,
  /** Most difference between the clocks of two machines: `nbf` is this far before `iat`. (contract 5.1.2) */
  clockSkewSeconds: 60,
  /** Revoked tokens, sessions and users held in memory. */
  denials: 100_000,
  /** How often an instance polls the revocations of others, which must reach it within a second. (contract 3.4.2) */
  noticesMs: 400,
  /** How often expired rows are deleted. */
  sweepSeconds: 60,
  /** Cached API keys. */
  apiKeys: 10_000,
  /** Age at which a cached API key is read again. */
  apiKeySeconds: 60,
  /** Shortest time between two writes of a key's last use. */
  lastUseSeconds: 60,
  /** Largest key set of an outside issuer. */
  outsideKeySetBytes: 262_144,
  /** Keys in it. */
  outsideKeys: 100,
  /** The time to fetch it. */
  outsideTimeoutMs: 5_000,
  /** Shortest time between two fetches of an outside key set, however many tokens have unknown keys. */
  outsideCooldownSeconds: 30,
  /** Age at which an outside key set is fetched again. */
  outsideMaxAgeSeconds: 600,
  /** Age up to which it is used if that fails. */
  outsideStaleSeconds: 86_400,
  /** Headers of an answer to a request that the service sends. (contract 15.1.3) */
  outboundHeaderBytes: 16_384,
  /** Accounts that all instances create for one outside issuer. (contract 5.6.8) */
  provisionsPerMinute: 600,
  /** How long a browser may take to sign in at an issuer or on a page. (contract 5.16.3) */
  flowSeconds: 600,
  /** Such sign-ins that wait at a time, over all instances. */
  flows: 100_000,
  /** How long the code that ends one is valid. (contract 5.16.4) */
  codeSeconds: 60,
  /** Passwords hashed at once. */
  passwordHashesAtOnce: 2,
  /** Passwords waiting to be hashed; one more is answered 503. */
  passwordHashesWaiting: 64,
  /** How long an idempotency key is kept. (contract 4.7) */
  idempotencySeconds: 86_400,
  /** How long the keys of `once` are kept: 90 days. (contract 13.3) */
  onceSeconds: 7_776_000,
  /** Characters that an author's own SQL may read at once. (contract 13.6) */
  sqlChars: 16 * 1_048_576,
  /** Longest idempotency key, in characters. */
  idempotencyKeyLength: 255,
  /** Cached read plans and compiled documents. */
  plans: 1_000,
  /** Cached query strings of lists, parsed. */
  queryStrings: 2_000,
  /** The bytes of cached query strings: about a kilobyte each, and more for long conditions. */
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
  /** Reads sent to PostgreSQL and not yet answered. */
  readsWaiting: 4_096,
  /** Prepared statements of one PostgreSQL connection before a new connection replaces it. */
  preparedStatements: 1_000,
  /** Characters of SQL in the prepared statements of one connection: a session holds about 250 bytes for each. */
  preparedStatementChars: 262_144,
  /** Time limit of an effect. */
  effectTimeoutMs: 5_000,
  /** Attempts of a transaction that the database rolled back in favour of another. */
  transactionAttempts: 3,
  /** Time limit of a statement on PostgreSQL. */
  statementTimeoutMs: 10_000,
  /** Time limit of a request from its arrival; beyond it SERVICE_UNAVAILABLE. */
  executionTimeoutMs: 10_000,
  /** How often running PostgreSQL reads are checked for clients that have left. */
  abandonedSweepMs: 250,
  /** Time without a write after which SQLite's log is checkpointed into its file. */
  checkpointIdleMs: 1_000,
  /** How long events are kept for subscribers that reconnect. */
  eventSeconds: 86_400,
  /** How often the outbox is polled without a notification. */
  eventPollMs: 1_000,
  /** First pause before polling again for an event that an older transaction holds back. */
  eventHeldBackMs: 5,
  /** Shortest time between two notifications to the other instances. */
  eventAnnounceMs: 10,
  /** Events read from the outbox at a time. */
  eventBatch: 500,
  /** How often records are looked for that a move of the clock is due for, unless one is due sooner. */
  duePollMs: 500,
  /** Due records moved in one transaction. */
  dueBatch: 500,
  /** The same for moves with an effect. */
  dueBatchWithEffect: 50,
  /** Intervals of schedules are multiples of it. */
  scheduleStepMs: 60_000,
  /** Ticks of schedules that one instance runs at once. */
  schedulesAtOnce: 16,
  /** Time limit of one run of a schedule unless its definition sets one. */
  scheduleTimeMs: 900_000,
  /** Reactions that one instance runs at once; 0 leaves all of them to other instances. */
  reactionsAtOnce: 4,
  /** Time limit of one reaction unless its definition sets one. */
  reactionTimeMs: 30_000,
  /** The longest time limit that a definition may set. */
  reactionTimeMaxMs: 900_000,
  /** After SIGTERM, within `stopMs`: the time for running reactions to end before they are returned to the queue. */
  reactionDrainMs: 8_500,
  /** Nesting of effects. */
  effectDepth: 3,
  /** Time after its limit at which an unfinished reaction is taken over, as its instance must have crashed. */
  reactionLeaseMarginMs: 15_000,
  /** Attempts before a reaction becomes a dead letter. */
  reactionAttempts: 15,
  /** The most attempts that a definition may set. */
  reactionAttemptsMax: 100,
  /** Back-off before the second attempt, doubled before each later one. */
  reactionRetryMs: 1_000,
  /** The longest back-off. */
  reactionRetryMaxMs: 3_600_000,
  /** A reaction that no instance has defined for this long receives no more events. */
  reactionUnknownSeconds: 86_400,
  /** How long a dead letter is kept for an operator. */
  reactionDeadSeconds: 2_592_000,
  /** Characters kept of the error of a failed attempt. */
  reactionErrorLength: 1_000,
  /** Webhook messages that one process sends at once, half of them to receivers that have not answered well since. (contract 15.2.8) */
  webhooksAtOnce: 256,
  /** The same to one receiver. */
  webhookAtOnce: 10,
  /** The same to all receivers of one owner. */
  webhookOwnerAtOnce: 20,
  /** Time limit of one attempt. */
  webhookTimeoutMs: 10_000,
  /** Time after that limit at which an instance that did not finish is taken over. */
  webhookLeaseMarginMs: 15_000,
  /** Largest record in a message; a larger one is null, next to an error. */
  webhookBytes: 262_144,
  /** What is kept of a response. (contract 15.2.10) */
  webhookResponseBytes: 1_024,
  /** The longest pause before a webhook that fails is tried again. */
  webhookRetryMaxMs: 3_600_000,
  /** How long a webhook may fail before it is paused: three days. (contract 15.2.7) */
  webhookFailingSeconds: 259_200,
  /** How long deliveries are kept: 30 days. (contract 15.2.10) */
  webhookDeliverySeconds: 2_592_000,
  /** Members of a tenant who are notified of a pause. */
  webhookMails: 10,
  /** After SIGTERM: the time for attempts to end. */
  webhookDrainMs: 5_000,
  /** Groups of equal subscribers to which events are delivered at once. */
  eventGroupsAtOnce: 8,
  /** Events queued for one group; further ones are read again from the outbox. */
  eventsWaiting: 100,
  /** How long after an event the groups share one check of who may read its record. */
  eventTestMs: 200,
  /** How often subscriptions by a record are checked: they end at the second check that refuses. (contract 6.1.5) */
  holderWatchMs: 400,
  /** Between two attempts to listen to PostgreSQL. */
  listenRetryMs: 500,
  /** Largest WebSocket message. (contract 6.2.1) */
  frameBytes: 65_536,
  /** How long a WebSocket may take to initialise. (contract 6.2.1) */
  socketInitMs: 10_000,
  /** How often a WebSocket is pinged. (contract 6.2.4) */
  socketPingMs: 10_000,
  /** Time without any frame, pongs included, after which it is closed. (contract 6.2.4) */
  socketIdleMs: 30_000,
  /** How often these times and the validity of the credential are checked. */
  socketTickMs: 500,
  /** Operations on one WebSocket. (contract 6.2.6) */
  socketSubscriptions: 100,
  /** Unsent bytes of one WebSocket, above which it is closed. */
  socketBufferBytes: 1_048_576,
  /** Unsent bytes of all WebSockets, above which those with the most are closed. */
  socketsBufferBytes: 256 * 1_048_576,
  /** Days without use after which a deprecated part of the GraphQL schema may be removed. (contract 9.3.2) */
  quietDays: 90,
  /** Separate counters of deprecated uses between two writes to the database; clients beyond share one. (contract 9.4.1) */
  usageEntries: 10_000,
  /** How long these counts are kept. */
  usageDays: 400,
  /** Expired rows deleted by one statement. */
  sweepRows: 1_000,
  /** Duration from which a request is slow: it is logged even if only failed requests are. */
  slowRequestMs: 1_000,
  /** Bytes of log lines waiting for a slow reader; more are dropped. */
  logBufferBytes: 8 * 1_048_576,
  /** How long a log line may wait to be written with others. */
  logFlushMs: 100,
  /** How long the exit of the process waits for a stalled reader of the log. */
  logCloseMs: 500,
  /** A second signal within this time counts as the first: npm repeats what a terminal has sent. */
  repeatedSignalMs: 250,
  /** Connections to the metrics endpoint. */
  metricsConnections: 16,
  /** Connections to PostgreSQL besides the listening one. Of ten: four for short reads, two for slow queries, four for writes. */
  poolSize: 10,
  /** How long connecting to PostgreSQL may take. */
  connectTimeoutMs: 5_000,
}

/** The limits of a service: the defaults, with what its configuration changes. */
export type Limits = { readonly [Name in keyof typeof defaultLimits]: number }
