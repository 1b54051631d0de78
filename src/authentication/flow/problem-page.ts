// What a browser sees where a sign-in cannot go on, and no client is known to return to. (contract 5.16.2)

import type { Failure } from '../../failure/failure.ts'
import type { Reply } from '../../http/message/exchange.ts'
import { escaped } from '../../http/message/html.ts'
import type { Texts } from '../text/texts.ts'
import { pageReply } from './html.ts'

/** 400 for a token that is not valid: the request has none of the caller's credentials. */
export function problemReply(
  { code, status, message, details = [], retryAfterSeconds }: Failure,
  { language, text }: Texts,
): Reply {
  const isOver = code === 'INVALID_TOKEN'
  const problems = details.map(({ field, message }) => `<li><code>${escaped(field)}</code>: ${escaped(message)}</li>`)
  const sentence = isOver ? text('start_again') : message
  return pageReply({
    status: isOver ? 400 : status,
    language,
    title: isOver ? text('cannot_go_on') : text('sign_in'),
    body: `<p role="alert">${escaped(sentence)}</p>${problems.length === 0 ? '' : `<ul>${problems.join('')}</ul>`}`,
    ...(retryAfterSeconds === undefined ? {} : { headers: { 'Retry-After': String(retryAfterSeconds) } }),
  })
}
