// Requests as bytes, with a body of JSON or nearly so.

export const head = 'POST / HTTP/1.1\r\nHost: localhost\r\n'
export const json = `${head}Content-Type: application/json\r\n`
export const chunked = `${json}Transfer-Encoding: chunked\r\n\r\n`
export const get = 'GET /next HTTP/1.1\r\nHost: localhost\r\n\r\n'
export const withLength = (body: string, headers = json): string =>
  `${headers}Content-Length: ${body.length}\r\n\r\n${body}`
