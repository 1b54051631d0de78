// Sends mail through SMTP_URL; without it, development prints mail to the log. (contract 0.1.5)

import type { Transporter } from 'nodemailer'
import { requireOptional } from '../dependency/optional-package.ts'
import type { Limits } from '../limits.ts'
import type { Log } from '../observation/log.ts'

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}
export interface Mailer {
  /** Resolves when the server has accepted the mail. */
  send(mail: Mail): Promise<void>
  close(): void
}
export interface MailerOptions {
  /** `smtp://user:password@host:587`, `smtps://…`; `?from=` sets the sender. */
  readonly smtpUrl: string | null
  /** The default sender is `no-reply` at this host, unless the user name of SMTP_URL is an address. */
  readonly baseUrl: string
  readonly production: boolean
  readonly log: Pick<Log, 'reveal' | 'error'>
  readonly limits: Pick<Limits, 'mailTimeoutMs' | 'mailsAtOnce'>
}

/** Throws MissingPackage if `nodemailer` is needed and not installed. */
export function createMailer({ smtpUrl, baseUrl, production, log, limits }: MailerOptions): Mailer {
  if (smtpUrl === null) return { send: async (mail) => withoutServer(mail, production, log), close: () => {} }
  requireOptional('nodemailer', 'SMTP_URL is set')
  const from = senderOf(new URL(smtpUrl), new URL(baseUrl))
  let transporter: Promise<Transporter> | null = null
  return {
    async send({ to, subject, text }) {
      transporter ??= connect(smtpUrl, limits)
      // An object is not parsed, so that a comma in the address cannot add a recipient.
      await (await transporter).sendMail({ from, to: { name: '', address: to }, subject, text })
    },
    close: () => void transporter?.then((connection) => connection.close()),
  }
}

function withoutServer({ to, subject, text }: Mail, production: boolean, log: MailerOptions['log']): void {
  if (production) log.error('A mail could not be sent: SMTP_URL is not set.', { subject })
  else log.reveal(`A mail, not sent since SMTP_URL is not set.\n\nTo: ${to}\nSubject: ${subject}\n\n${text}`)
}

/** Many mail servers only accept the account's own address as the sender. */
function senderOf(smtp: URL, base: URL): string {
  const user = decodeURIComponent(smtp.username)
  return smtp.searchParams.get('from') ?? (user.includes('@') ? user : `no-reply@${base.hostname}`)
}

/** Loaded with the first mail, since most services never send one. */
async function connect(smtpUrl: string, { mailTimeoutMs, mailsAtOnce }: MailerOptions['limits']): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  const address = new URL(smtpUrl)
  address.searchParams.delete('from')
  return createTransport({
    url: address.href,
    pool: true,
    maxConnections: mailsAtOnce,
    connectionTimeout: mailTimeoutMs,
    greetingTimeout: mailTimeoutMs,
    socketTimeout: mailTimeoutMs,
    dnsTimeout: mailTimeoutMs,
  } as never)
}
