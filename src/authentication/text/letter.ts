// A mail with a token, as a link or to be sent to an endpoint. (contract 4.13, 5.11, 5.12)

import type { Mail } from '../../mail/mailer.ts'
import type { Texts } from './texts.ts'

interface Letter {
  readonly kind: 'reset' | 'verify' | 'change' | 'magic'
  readonly token: string
  /** With `{token}`; null: the mail contains the bare token. */
  readonly link: string | null
  /** Where the bare token is sent. */
  readonly address: string
  readonly minutes?: number
}

export function letter({ text }: Texts, { kind, token, link, address, minutes = 0 }: Letter): Omit<Mail, 'to'> {
  const way = link === null ? text(`${kind}_sends`, { address }) : text(`${kind}_opens`)
  const shown = link === null ? token : link.replaceAll('{token}', token)
  return {
    subject: text(`${kind}_subject`),
    text: [way, '', shown, '', text(`${kind}_end`, { minutes }), ''].join('\n'),
  }
}
