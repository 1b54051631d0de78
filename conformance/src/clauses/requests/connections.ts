// Requests as bytes on a connection. (4.10.11, 8.4.3)

import type { Define } from '../../kit/clause.ts'
import { Line } from '../../kit/line.ts'

export function defineConnections(define: Define): void {
  define('4.10.11', ['resource'], async ({ kit, subject }) => {
    const body = JSON.stringify(await subject.input())
    const { host } = new URL(kit.profile.url)
    const authorization = `Authorization: Bearer ${await kit.token(subject.creator)}`
    const head = (line: string, more: readonly string[]) =>
      `${line} HTTP/1.1\r\nHost: ${host}\r\n${[authorization, ...more].join('\r\n')}\r\n\r\n`
    kit.journal.begin(subject.path, body)
    const line = new Line(kit.profile.url)
    line.write(
      head(`POST ${subject.path}`, ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]) +
        body +
        head(`GET ${subject.path}?limit=100`, ['Connection: close']),
    )
    const text = await line.end()
    const created = /"id":"([^"]+)"/.exec(text)?.[1] ?? ''
    subject.enter(created)
    const answer = await kit.send('GET /health')
    answer.has(
      'the statuses',
      [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
      ['201', '200'],
    )
    const list = text.slice(text.lastIndexOf('HTTP/1.1 '))
    answer.require(list.includes(created), 'the new record in the list that was requested behind it', 'none')
  })

  define('8.4.3', ['resource'], async ({ kit, subject }) => {
    const line = new Line(kit.profile.url)
    line.write(`GET ${subject.path} HTTP/1.1\r\nHost: x\r\nX-Half: `)
    const text = await line.end()
    const answer = await kit.send('GET /health')
    answer.matches('the answer to half a request', text, /^HTTP\/1\.1 408/)
  })
}
