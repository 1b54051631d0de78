// A mail server on this machine that keeps what it is given, or does not play along.

import { createServer, type Socket } from 'node:net'

export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  /** As it came, headers and all; lines end in LF, and what quoted-printable broke is whole again. */
  readonly text: string
}
export interface MailServer {
  /** For `SMTP_URL`. */
  readonly url: string
  /** What has come for this address so far. */
  to(address: string): readonly ReceivedMail[]
  /** What the form matches, or its group, in the first mail to this address that the request causes and that it matches. */
  find(address: string, form: RegExp, request: () => Promise<unknown>): Promise<string>
  /** Resolves when the next mail has come, to whomever. */
  arrival(): Promise<void>
  /** How it treats whoever connects from now on. */
  behave(how: 'well' | 'silent' | 'refusing'): void
  /** Resolves when somebody connects, from now on. */
  connected(): Promise<void>
  close(): Promise<void>
}

export async function startMailServer(): Promise<MailServer> {
  const received: ReceivedMail[] = []
  let expecting: (() => void)[] = []
  const sockets = new Set<Socket>()
  let behaviour: 'well' | 'silent' | 'refusing' = 'well'
  let awaited: (() => void)[] = []

  const keep = (mail: ReceivedMail): void => {
    received.push(mail)
    for (const tell of expecting.splice(0)) tell()
  }
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy())
    for (const tell of awaited.splice(0)) tell()
    if (behaviour !== 'silent') converse(socket, behaviour === 'refusing', keep)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const to = (address: string) => received.filter((mail) => mail.to.includes(address))
  const arrival = () => new Promise<void>((resolve) => void expecting.push(resolve))
  return {
    url: `smtp://127.0.0.1:${port}`,
    to,
    async find(address, form, request) {
      const before = to(address).length
      await request()
      for (;;) {
        for (const { text } of to(address).slice(before)) {
          const [whole, group = whole] = form.exec(text) ?? []
          if (group !== undefined) return group
        }
        await arrival()
      }
    },
    arrival,
    behave(how) {
      behaviour = how
      // Connections are kept open for the next mail, and would go on as they began.
      for (const socket of sockets) socket.destroy()
    },
    connected: () => new Promise((resolve) => void awaited.push(resolve)),
    async close() {
      awaited = []
      expecting = []
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** As much of RFC 5321 as sending one mail after the other takes. */
function converse(socket: Socket, refuses: boolean, keep: (mail: ReceivedMail) => void): void {
  let from = ''
  let to: string[] = []
  let lines: string[] | null = null
  let rest = ''
  const say = (line: string) => void socket.write(`${line}\r\n`)
  say('220 here')
  socket.on('data', (chunk) => {
    const [...whole] = (rest + chunk.toString('latin1')).split('\r\n')
    rest = whole.pop()!
    for (const line of whole) receive(line)
  })
  function receive(line: string): void {
    if (lines !== null) {
      if (line !== '.') {
        lines.push(line.replace(/^\./, ''))
        return
      }
      keep({ from, to, text: lines.join('\n').replaceAll('=\n', '').replaceAll('=3D', '=') })
      lines = null
      to = []
      say('250 kept')
      return
    }
    const verb = line.slice(0, 4).toUpperCase()
    const address = /<([^>]*)>/.exec(line)?.[1] ?? ''
    if (verb === 'EHLO') say('250 here')
    else if (verb === 'MAIL') {
      from = address
      say('250 ok')
    } else if (verb === 'RCPT') {
      if (!refuses) to.push(address)
      say(refuses ? '550 nobody of that name' : '250 ok')
    } else if (verb === 'DATA') {
      lines = []
      say('354 go on')
    } else if (verb === 'QUIT') socket.end('221 bye\r\n')
    else say('250 ok')
  }
}
