// How the service's own pages read requests and show failures. (contract 5.17.3)

import { Failure } from '../../failure/failure.ts'
import type { Exchange, Reply } from '../../http/message/exchange.ts'
import { isMediaType } from '../../http/message/media-type.ts'
import type { Json } from '../../json/json.ts'
import type { AuthEndpoint, EndpointLimits } from '../endpoint.ts'
import { problemReply } from '../flow/html.ts'
import type { Parts } from '../parts.ts'
import { requireSameOrigin } from '../session/refresh-cookie.ts'
import { pageTexts, type Texts } from '../text/texts.ts'
import type { Shown } from './views.ts'

/** A form, and the request that sent it. */
export interface Sent {
  readonly exchange: Exchange
  readonly form: Readonly<Record<string, string>>
  readonly counting: EndpointLimits
  readonly texts: Texts
}
export interface PageKit {
  textsOf(exchange: Exchange): Texts
  /** Shows failures. */
  get(work: (exchange: Exchange) => Promise<Reply>): AuthEndpoint
  /** Of the service's own pages only. */
  post(work: (sent: Sent) => Promise<Reply>): AuthEndpoint
  /** A page for the token in its query. */
  tokenPage(show: (token: string, shown: Shown) => Reply): AuthEndpoint
}
export function createPageKit({
  model,
  isSameOrigin,
  limits,
}: Pick<Parts, 'model' | 'isSameOrigin' | 'limits'>): PageKit {
  const textsOf = ({ headers }: Exchange) => pageTexts(headers['accept-language'], model.accounts.texts)
  const shielded =
    (work: (exchange: Exchange, counting: EndpointLimits) => Promise<Reply>): AuthEndpoint =>
    (exchange, counting) =>
      work(exchange, counting).catch((error: unknown) => {
        if (error instanceof Failure) return problemReply(error, textsOf(exchange))
        throw error
      })
  return {
    textsOf,
    get: shielded,
    post: (work) =>
      shielded(async (exchange, counting) => {
        requireSameOrigin(exchange.headers, isSameOrigin)
        const form = await readForm(exchange, limits)
        return work({ exchange, form, counting, texts: textsOf(exchange) })
      }),
    tokenPage: (show) => shielded(async (exchange) => show(tokenIn(exchange), { texts: textsOf(exchange) })),
  }
}

/** Fails with UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, or VALIDATION_ERROR for a field that is sent twice. */
async function readForm(
  exchange: Exchange,
  { authBodyBytes }: Parts['limits'],
): Promise<Readonly<Record<string, string>>> {
  if (!isMediaType(exchange.headers, ['application/x-www-form-urlencoded'])) throw new Failure('UNSUPPORTED_MEDIA_TYPE')
  const bytes = await exchange.bytes(authBodyBytes)
  const form = [...new URLSearchParams(Buffer.from(bytes).toString())]
  const values = new Map(form)
  if (values.size < form.length)
    throw new Failure('VALIDATION_ERROR', { details: [{ field: '', message: 'A field is sent twice.' }] })
  return Object.fromEntries(values)
}

/** The JSON in a field of a form. */
export function jsonIn(text: string | undefined): Json {
  try {
    return JSON.parse(text ?? 'null') as Json
  } catch {
    return null
  }
}

export const tokenIn = ({ query }: Exchange): string => new URLSearchParams(query).get('token') ?? ''

/** Shows the form again, with what was wrong. */
export function again(error: unknown, texts: Texts, show: (shown: Shown) => Reply): Reply {
  if (error instanceof Failure) return show(shownFor(error, texts))
  throw error
}

/** 400: the request has none of the caller's credentials. */
function shownFor({ code, status, message, details = [], retryAfterSeconds }: Failure, texts: Texts): Shown {
  const sentences: Partial<Record<Failure['code'], string>> = {
    INVALID_CREDENTIALS: texts.text('wrong_credentials'),
    VERIFICATION_REQUIRED: texts.text('not_verified'),
    RATE_LIMIT_EXCEEDED: texts.text('too_many_tries'),
    INVALID_TOKEN: texts.text('ended'),
    TOKEN_EXPIRED: texts.text('ended'),
    CONFLICT: texts.text('taken'),
  }
  const problem = sentences[code] ?? [message, ...details.map((each) => each.message)].join(' ')
  return {
    texts,
    problem,
    status: status === 401 ? 400 : status,
    ...(retryAfterSeconds === undefined ? {} : { headers: { 'Retry-After': String(retryAfterSeconds) } }),
  }
}
