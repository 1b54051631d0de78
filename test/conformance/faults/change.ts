// What faults of the proxy are made of: changes of requests and of answers.
// biome-ignore-all lint/suspicious/noAssignInExpressions: each row is one expression.

import type { Fault, Received, Sent } from '../faulty-proxy.ts'

// biome-ignore lint/suspicious/noExplicitAny: bodies are whatever the service answers.
export type Json = any

/** Changes the JSON of an answer. */
export const body =
  (change: (json: Json, received: Received, sent: Readonly<Sent>) => unknown): NonNullable<Fault['answer']> =>
  (received, sent) => {
    if (!/json/.test(String(received.headers['content-type'] ?? '')) || received.body.length === 0) return
    const json = JSON.parse(received.body.toString())
    change(json, received, sent)
    received.body = Buffer.from(JSON.stringify(json))
  }
/** Answers with another status, as JSON without an error. */
export const status =
  (from: number, to: number, isMeant: (sent: Readonly<Sent>) => boolean = () => true): NonNullable<Fault['answer']> =>
  (received, sent) => {
    if (received.status === from && isMeant(sent)) received.status = to
  }
export const failure =
  (from: number, to: number, code: string): NonNullable<Fault['answer']> =>
  (received) => {
    if (received.status !== from) return
    received.status = to
    if (received.body.length > 0) received.body = Buffer.from(JSON.stringify({ error: { code, message: 'No.' } }))
  }
export const without =
  (
    name: string,
    isMeant: (sent: Readonly<Sent>, received: Received) => boolean = () => true,
  ): NonNullable<Fault['answer']> =>
  (received, sent) => {
    if (isMeant(sent, received)) delete received.headers[name]
  }
export const header =
  (name: string, value: (old: string) => string): NonNullable<Fault['answer']> =>
  (received) => {
    if (received.headers[name] !== undefined) received.headers[name] = value(String(received.headers[name]))
  }
export const unsent =
  (...names: string[]): NonNullable<Fault['request']> =>
  ({ headers }) => {
    for (const name of names) delete headers[name]
  }
/** Changes the parameters of the address, or removes them. */
export const parameters =
  (change: (parameters: URLSearchParams) => void): NonNullable<Fault['request']> =>
  (sent) => {
    const [path, query] = sent.target.split('?')
    if (query === undefined || !path!.startsWith('/api/v2/')) return
    const all = new URLSearchParams(query)
    change(all)
    sent.target = all.size === 0 ? path! : `${path}?${all}`
  }
export const ignored = (...names: string[]) => parameters((all) => names.forEach((name) => void all.delete(name)))
export const sentJson =
  (change: (json: Json, sent: Sent) => void): NonNullable<Fault['request']> =>
  (sent) => {
    try {
      const json = JSON.parse(sent.body.toString())
      change(json, sent)
      sent.body = Buffer.from(JSON.stringify(json))
    } catch {
      // What is no JSON stays as it is.
    }
  }
export const isRest = ({ target }: Readonly<Sent>) => target.startsWith('/api/v2/')
export const isOne = ({ target }: Readonly<Sent>) => /^\/api\/v2\/[a-z-]+\/[a-z]+_\w+$/.test(target)
export const isGraphql = ({ target }: Readonly<Sent>) => target.startsWith('/graphql')
export const isList = (json: Json) => Array.isArray(json?.data)
