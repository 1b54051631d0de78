// node:http with constant answers: what the runtime alone costs. Answers are handed over by the parent process.

import { createServer } from 'node:http'

const answers = new Map<string, { status: number; body: string }>()
const server = createServer((request, response) => {
  const { status, body } = answers.get(`${request.method} ${request.url}`) ?? { status: 404, body: '' }
  const answer = () => {
    response.writeHead(status, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
    })
    response.end(body)
  }
  if (request.method === 'GET') answer()
  else request.resume().on('end', answer)
})
process.on('message', (message: { key: string; status: number; body: string }) => {
  answers.set(message.key, message)
  process.send?.({ known: message.key })
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as { port: number }).port }))
process.once('SIGTERM', () => process.exit(0))
