// Every limit, once: its default, its unit and its clause. A service may change any of them by configuration. (contract 8.1)

export const defaultLimits = {
  /** Requests per address and minute; 0 turns this limit off. (contract 8.3) */
  ipPerMinute: 100,
  /** Requests per user and hour; 0 turns this limit off. (contract 8.3) */
  userPerHour: 1000,
  /** Logins per address and minute; 0 turns this limit off. (contract 8.3) */
  loginPerMinute: 5,
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
  /** The size of a page where a request names none. */
  defaultPageSize: 20,
  /** Largest offset, in records. (contract 4.4.6) */
  offset: 10_000,
  /** Tenants from which a list is gathered that names none. (contract 10.2.16) */
  listTenants: 100,
  /** Largest body of a REST request. (contract 8.4.1) */
  restBodyBytes: 1_048_576,
  /** The most that a custom route may allow for a body that it reads as bytes. */
  rawBodyBytes: 16 * 1_048_576,
  /** Largest body of a GraphQL request. (contract 8.4.1) */
  graphqlBodyBytes: 262_144,
  /** Largest body of a request to `/auth`. (contract 8.4.1) */
  authBodyBytes: 16_384,
  /** Objects and lists of a body that are nested in each other. */
  jsonDepth: 32,
  /** Records of one batch, and of one list in an input. */
  batch: 100,
  /** Records that one request writes, with the children in its lists. (contract 13.1) */
  recordsPerWrite: 1_000,
  /** References that a path of sorts and summaries follows: `ticket.assignee.name` follows two. */
  pathSteps: 3,
  /** Values that one summary groups records by. */
  groupKeys: 4,
  /** Longest search, in characters. (contract 12.2.13) */
  searchLength: 200,
  /** Words of a search, excluded ones among them. (contract 12.2.13) */
  searchWords: 10,
  /** Fields of one record that are searched together. */
  searchFields: 8,
  /** Matches of a search that are put in the order of their relevance: the newest. (contract 12.2.15) */
  searchRanked: 10_000,
  /** From how many records to the next a rule leads, `readable` among them. */
  ruleSteps: 6,
  /** For how many subscribers one statement asks whether they may read the record of an event. */
  eventActors: 1_000,
  /** Comparisons in one `where`. (contract 12.1.9) */
  whereTests: 20,
  /** How deep groups, negations and lists of one `where` are nested. (contract 12.1.9) */
  whereDepth: 4,
  /** Values in one list of a `where`. (contract 12.1.9) */
  whereValues: 100,
  /** Longest text of a `where`, in characters. (contract 12.1.9) */
  whereChars: 8_192,
  /** How long a question may take that no index answers, the time that it waits for others included. (contract 12.1.13) */
  whereTimeoutMs: 5_000,
  /** How long one of its statements may take where nothing else is answered meanwhile: in a SQLite database in memory. (contract 12.1.13) */
  whereBlockingMs: 1_000,
  /** After so long SQLite runs a question again on a thread of its own, if it did not begin there. (contract 12.1.14) */
  questionBlockingMs: 20,
  /** Questions that wait for that thread; more are refused. (contract 12.1.14) */
  questionsWaiting: 64,
  /** Lists that a path of `where` may lead through. (contract 12.1.1) */
  whereLists: 2,
  /** Ids that an author's own query may find; those beyond are ignored. */
  queryIds: 1_000,
  /** How long that query may take. */
  queryTimeoutMs: 5_000,
  /** Longest request target. (contract 8.4.2) */
  urlBytes: 8_192,
  /** All headers of a request together. (contract 8.4.2) */
  headerBytes: 16_384,
  /** The time that the headers of a request have to arrive. (contract 8.4.3) */
  headersTimeoutMs: 10_000,
  /** The time that a request has to arrive. (contract 8.4.3) */
  requestTimeoutMs: 30_000,
  /** How long an idle connection stays open. */
  keepAliveMs: 72_000,
  /** The last part of `DRAIN_SECONDS`: nobody connects any more, and idle connections stay open. (contract 0.3.1) */
  idleDrainMs: 1_000,
  /** From the end of listening on: the time for running requests to finish. (contract 0.3.1) */
  drainMs: 9_000,
  /** From the end of listening on: the time for stopping in all. (contract 0.3.1) */
  stopMs: 9_800,
  /** How long `/health/ready` waits for a dependency before reporting it as lost. (contract 0.2.2) */
  readyTimeoutMs: 2_000,
  /** The interval at which event-loop lag is measured. */
  lagSampleMs: 100,
  /** Requests after which it is measured again within an interval. */
  lagCredit: 32,
  /** Event-loop lag above which load is shed if some was shed recently. */
  lateMs: 400,
  /** Event-loop lag above which load is shed otherwise. */
  veryLateMs: 1_000,
  /** How long load is shed at a time. */
  refuseMs: 200,
  /** So long without lag, and shedding is over. */
  calmMs: 1_000,
  /** Throttle of 503 responses: their rate. */
  refusalsPerSecond: 500,
  /** The 503 responses that leave before the rate applies. */
  refusalsAtOnce: 50,
  /** The longest time that one 503 response is held back. */
  refusalHoldMs: 5_000,
  /** `Retry-After` of a 503 for overload. */
  busyRetrySeconds: 2,
  /** Connections of this process; one more is answered 503. */
  connections: 16_000,
  /** Connections of one address that is no trusted proxy; one more is answered 503. */
  connectionsPerAddress: 12_000,
  /** Total bytes of request bodies held in memory across all connections; beyond it, 503. */
  bodiesBytes: 128 * 1_048_576,
  /** One answer, in bytes: GraphQL's, REST's, or what one event tells one subscriber. (contract 8.4.6) */
  answerBytes: 16 * 1_048_576,
  /** Total bytes of large answers being made or sent; one more is answered 503. (contract 8.4.7) */
  answersBytes: 256 * 1_048_576,
  /** How long a client may leave an answer unread while there is no room for those of others. */
  stalledReaderMs: 5_000,
  /** Total bytes of responses that clients have not read; beyond it, the slowest reader's connection is closed. */
  unreadAnswersBytes: 256 * 1_048_576,
  /** Answers of this process that are made while they are sent; one more is answered 503. (contract 8.4.9) */
  streams: 256,
  /** From the beginning of such an answer to its end. */
  streamTimeoutMs: 900_000,
  /** How long such an answer may stand still, be it for its producer or its reader. */
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
  /** Lifetime of a refresh token; using it makes another. */
  refreshTokenSeconds: 604_800,
  /** Absolute lifetime of a session, however often its refresh token was rotated. */
  sessionSeconds: 2_592_000,
  /** Lifetime of the token in a password reset mail. */
  passwordResetSeconds: 1_800,
  /** Valid reset tokens of one user; a new one replaces the oldest. */
  passwordResetsAtOnce: 5,
  /** Mails that wait to be sent. */
  mailsWaiting: 1_000,
  /** Mails sent at once. */
  mailsAtOnce: 2,
  /** The time a mail server has for one mail. */
  mailTimeoutMs: 10_000,
  /** The time a stopping service spends on the rest of its mails. */
  mailDrainMs: 2_000,
  /** How long clients may keep the published keys. */
  jwksMaxAgeSeconds: 300,
  /** Longest token that is looked at. */
  tokenBytes: 8_192,
  /** Cached verified tokens, each until it expires. */
  verifiedTokens: 10_000,
  /** The bytes of that cache. */
  verifiedTokenBytes: 32 * 1_048_576,
  /** Seconds by which the clocks of two machines may differ: `nbf` lies this far before `iat`. (contract 5.1.2) */
  clockSkewSeconds: 60,
  /** Revoked tokens, sessions and users held in memory. */
  denials: 100_000,
  /** How often an instance polls the revocations of others, which must reach it within a second. (contract 3.4.2) */
  noticesMs: 400,
  /** How often expired rows are deleted. */
  sweepSeconds: 60,
  /** Cached API keys. */
  apiKeys: 10_000,
  /** The age at which the row of a cached API key is read again. */
  apiKeySeconds: 60,
  /** Shortest time between two writes of a key's last use. */
  lastUseSeconds: 60,
  /** Largest key set of an outside issuer. */
  outsideKeySetBytes: 262_144,
  /** Keys in it. */
  outsideKeys: 100,
  /** The time to fetch it. */
  outsideTimeoutMs: 5_000,
  /** Shortest time between two fetches of an outside key set, however many tokens name unknown keys. */
  outsideCooldownSeconds: 30,
  /** The age at which an outside key set is fetched again. */
  outsideMaxAgeSeconds: 600,
  /** The age up to which it is trusted if that fails. */
  outsideStaleSeconds: 86_400,
  /** Accounts that all instances make for the persons of one outside issuer. (contract 5.6.8) */
  provisionsPerMinute: 600,
  /** Passwords that are hashed at once. */
  passwordHashesAtOnce: 2,
  /** Passwords that wait to be hashed; one more is answered 503. */
  passwordHashesWaiting: 64,
  /** How long an idempotency key is remembered. (contract 4.7) */
  idempotencySeconds: 86_400,
  /** How long the keys of what code does once are remembered: 90 days. (contract 13.3) */
  onceSeconds: 7_776_000,
  /** Characters that SQL of an author's own may read at once. (contract 13.6) */
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
  /** Writes in one group commit: any on SQLite, those that add records or change different ones on PostgreSQL. */
  writesPerCommit: 64,
  /** Writes that wait for their turn; one more is answered 503. */
  writesWaiting: 1_024,
  /** How long a write may wait for a PostgreSQL connection. */
  writeWaitMs: 1_500,
  /** Reads sent to PostgreSQL and not yet answered. */
  readsWaiting: 4_096,
  /** Prepared statements of one PostgreSQL connection before a new connection replaces it. */
  preparedStatements: 1_000,
  /** How long an effect may take. */
  effectTimeoutMs: 5_000,
  /** How often a transaction is tried that the database rolled back for the sake of another. */
  transactionAttempts: 3,
  /** How long a statement may take on PostgreSQL. */
  statementTimeoutMs: 10_000,
  /** From the arrival of a request to its end; what is unfinished then is answered with SERVICE_UNAVAILABLE. */
  executionTimeoutMs: 10_000,
  /** How often running PostgreSQL reads are checked for clients that have gone. */
  abandonedSweepMs: 250,
  /** After so long without a write, SQLite's log is checkpointed into its file. */
  checkpointIdleMs: 1_000,
  /** How long events are kept for subscribers that reconnect. */
  eventSeconds: 86_400,
  /** How often the outbox is polled without a notification. */
  eventPollMs: 1_000,
  /** How soon it is polled again for an event that an older transaction holds back. */
  eventHeldBackMs: 5,
  /** Shortest time between two notifications to the other instances. */
  eventAnnounceMs: 10,
  /** Events read from the outbox at a time. */
  eventBatch: 500,
  /** Reactions that one instance runs at once; 0 leaves all of them to other instances. */
  reactionsAtOnce: 4,
  /** Time limit of one reaction unless its definition sets one. */
  reactionTimeMs: 30_000,
  /** The longest time limit that a definition may set. */
  reactionTimeMaxMs: 900_000,
  /** After SIGTERM, within `stopMs`: the time for running reactions to end before they are returned to the queue. */
  reactionDrainMs: 8_500,
  /** How deep effects run each other. */
  effectDepth: 3,
  /** A reaction that has not ended so long after its time limit is taken over: its instance must have crashed. */
  reactionLeaseMarginMs: 15_000,
  /** Attempts before a reaction becomes a dead letter. */
  reactionAttempts: 15,
  /** The most attempts that a definition may set. */
  reactionAttemptsMax: 100,
  /** Back-off before the second attempt, doubled before each later one. */
  reactionRetryMs: 1_000,
  /** The longest back-off. */
  reactionRetryMaxMs: 3_600_000,
  /** A reaction that no instance has defined for so long receives no more events. */
  reactionUnknownSeconds: 86_400,
  /** How long a dead letter is kept for an operator. */
  reactionDeadSeconds: 2_592_000,
  /** Characters kept of the error of a failed attempt. */
  reactionErrorLength: 1_000,
  /** Groups of equal subscribers to which events are delivered at once. */
  eventGroupsAtOnce: 8,
  /** Events queued for one group; those beyond are read again from the outbox. */
  eventsWaiting: 100,
  /** How long after an event the groups share one query for who may read its record. */
  eventTestMs: 200,
  /** How often it is asked whether subscriptions by a record may go on: they end at the second look that refuses. (contract 6.1.5) */
  holderWatchMs: 400,
  /** Between two attempts to listen to PostgreSQL. */
  listenRetryMs: 500,
  /** A WebSocket message. (contract 6.2.1) */
  frameBytes: 65_536,
  /** How long a WebSocket may take to initialise. (contract 6.2.1) */
  socketInitMs: 10_000,
  /** How often a WebSocket is pinged. (contract 6.2.4) */
  socketPingMs: 10_000,
  /** Without any frame, pong included. (contract 6.2.4) */
  socketIdleMs: 30_000,
  /** How often those times are checked, and whether the credential is still valid. */
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
  /** A request that takes so long is slow: it is logged even where only failed requests are. */
  slowRequestMs: 1_000,
  /** Bytes of log lines that wait for a slow reader; more are dropped. */
  logBufferBytes: 8 * 1_048_576,
  /** How long a line may wait to be written together with others. */
  logFlushMs: 100,
  /** How long the end of the process waits for a reader of the log that reads nothing. */
  logCloseMs: 500,
  /** A signal that comes so soon after the first is the same one: npm passes on what a terminal has sent already. */
  repeatedSignalMs: 250,
  /** Connections to the metrics endpoint. */
  metricsConnections: 16,
  /** Connections to PostgreSQL, beside the one that listens; four of ten are for reads. */
  poolSize: 10,
  /** How long connecting to PostgreSQL may take. */
  connectTimeoutMs: 5_000,
}

/** The limits of a service: the defaults, with what its configuration changes. */
export type Limits = { readonly [Name in keyof typeof defaultLimits]: number }
