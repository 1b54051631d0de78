// Every request and response header with its description in OpenAPI and the reference. (contract 4.10)

export const requestHeaders = {
  Accept:
    'Chooses between `application/graphql-response+json`, `application/json` and `text/event-stream` on `/graphql`, and a page where it prefers HTML; it never fails.',
  'Accept-Encoding': 'Whether a long answer may be compressed: `br` or `gzip`.',
  'Access-Control-Request-Method': 'Makes OPTIONS the preflight of a browser.',
  Authorization: '`Bearer` and an access token, of the service or of an issuer that it trusts.',
  'Content-Encoding': 'None is read: a compressed body is 415.',
  'Content-Length': 'The bytes of the body; more than its limit is 413 at once.',
  'Content-Type': '`application/json`, in UTF-8; anything else is 415, but where a custom route takes it.',
  Cookie: 'The refresh token, where `REFRESH_TOKEN_IN` is `cookie`; read by `/auth/refresh` and `/auth/logout` alone.',
  Expect: '`100-continue`; any other is 417.',
  Host: 'Which name the client used: an `Origin` of the same name is the service’s own.',
  'Idempotency-Key': 'Another name of X-Idempotency-Key.',
  'If-Match': 'The ETag that the record must still have; otherwise 409.',
  'If-None-Match':
    'ETags that the client has: 304 when the answer has one of them; 409 for a write of a record that has, or with `*` of one that exists.',
  'Last-Event-ID': 'The id of the last event that a client of an event stream received: later ones follow.',
  Origin:
    'The calling page. If its origin is not allowed, a WebSocket is refused and a browser cannot read the answer.',
  'Sec-Fetch-Site': 'Where a browser’s request comes from; stands for a missing `Origin` where a cookie is used.',
  traceparent: 'The trace that the request belongs to, where the service traces.',
  'Transfer-Encoding': '`chunked`; any other is 400.',
  Upgrade: '`websocket` on `/graphql`, with the subprotocol `graphql-transport-ws`.',
  'User-Agent': 'Shown to the owner of the session that a sign-in makes.',
  'X-Access-Code':
    'The token of a record, for rules that require it. An unknown, malformed or expired token is ignored.',
  'X-API-Key': 'An API key, in place of `Authorization`.',
  'X-Client-Name': 'Names the program, so that the service can report who still uses deprecated parts.',
  'X-Forwarded-For': 'The address of the client, believed of proxies in `TRUST_PROXY` alone.',
  'X-Idempotency-Key': 'Makes the request repeatable: for a day, the same key with the same body writes nothing again.',
  'X-Request-ID': 'Names the request in logs; the answer repeats it.',
} as const satisfies Readonly<Record<string, string>>

export const responseHeaders = {
  'Access-Control-Allow-Headers': 'What scripts of that origin may send; of a preflight.',
  'Access-Control-Allow-Methods': 'The methods that this path has; of a preflight.',
  'Access-Control-Allow-Origin': 'The origin of the request, where it is one that may read the answer.',
  'Access-Control-Expose-Headers': 'The headers that scripts of that origin may read.',
  'Access-Control-Max-Age': 'How many seconds a browser may cache the answer to a preflight.',
  Allow: 'The methods that this path has.',
  'Cache-Control': 'Who may keep the answer, and for how long.',
  Connection: '`close` where the connection ends with this answer.',
  'Content-Disposition': 'Whether a browser stores the answer, and under which name; set by custom routes.',
  'Content-Encoding': 'How the answer is compressed, if it is.',
  'Content-Language': 'The language of the answer; set by custom routes.',
  'Content-Length': 'The bytes of the answer.',
  'Content-Security-Policy': 'Browsers load nothing from it.',
  'Content-Type': 'The media type of the body, if there is one.',
  Deprecation: 'Since when this is deprecated, as @ and Unix seconds.',
  ETag: 'Names this state of what was answered: for If-None-Match, and for If-Match on a record.',
  'Idempotent-Replayed': 'Present where the idempotency key was used before: nothing was written again.',
  'Last-Modified': 'When the content last changed; set by custom routes.',
  Link: 'The same path in the next version, or the catalog of the APIs.',
  Location: 'The path of the new record.',
  'Referrer-Policy': 'Browsers send no Referer from here.',
  'Retry-After': 'Seconds to wait before another attempt.',
  'Set-Cookie': 'The refresh token, where `REFRESH_TOKEN_IN` is `cookie`.',
  'Strict-Transport-Security': 'Browsers use https only.',
  Sunset: 'Until when this is promised to work, as an HTTP date.',
  Vary: 'The request headers that the answer depends on.',
  'WWW-Authenticate': 'How to authenticate.',
  'X-Accel-Buffering': '`no`: proxies such as nginx pass an event stream on without buffering.',
  'X-Content-Type-Options': 'Browsers do not guess another Content-Type.',
  'X-Frame-Options': 'Browsers do not show it in a frame.',
  'X-RateLimit-Limit': 'The requests of the window that has the fewest left.',
  'X-RateLimit-Remaining': 'How many of them are left.',
  'X-RateLimit-Reset': 'When that window ends, in Unix seconds.',
  'X-Request-ID': 'Names the request in logs.',
} as const satisfies Readonly<Record<string, string>>

export type RequestHeader = keyof typeof requestHeaders
export type ResponseHeader = keyof typeof responseHeaders
