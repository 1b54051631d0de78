// What a custom route takes and answers, in the names of the wire, worked out from the type of the route. Nothing here runs but
// the writing of a query.

import type { Field } from '../resource/field/field.ts'
import type { CallOptions } from './call.ts'
import type { Json } from './record.ts'

/** What `route(…)` answers, as far as a client needs it. */
export interface CustomRoute {
  readonly method: string
  readonly path: string
  readonly phantom?: { readonly query: unknown; readonly body: unknown; readonly answer: unknown }
}

type AnyFields = { readonly [name: string]: Field<string, unknown, unknown, unknown, string, string> }
type PartOf<R extends CustomRoute, Part extends keyof NonNullable<R['phantom']>> = NonNullable<R['phantom']>[Part]

/** Values in the names of the wire; their moments are `Moment`. */
type OnWire<V, Moment> = Json<V, Moment, 'snake'>
type ValuesIn<F extends AnyFields, Names extends keyof F> = { readonly [N in Names]: F[N]['phantom']['value'] }
type FreeIn<F extends AnyFields> = {
  [N in keyof F]: F[N]['phantom']['need'] extends 'free' ? N : never
}[keyof F]

/** As it is answered: moments are text. */
type Answered<F> = F extends AnyFields ? OnWire<ValuesIn<F, keyof F>, string> : never
/** As it is sent: what has a default may be left out, and a moment may be a Date. */
type Sent<F> = F extends AnyFields
  ? OnWire<ValuesIn<F, Exclude<keyof F, FreeIn<F>>>, Date | string> &
      Partial<OnWire<ValuesIn<F, FreeIn<F>>, Date | string>>
  : {}
type Member<Name extends string, F> =
  {} extends Sent<F> ? { readonly [N in Name]?: Sent<F> } : { readonly [N in Name]: Sent<F> }

/** `/api/v2/reports/{name}`, with anything in the place of its names. */
export type PathOf<Path extends string> = Path extends `${infer Before}{${string}}${infer After}`
  ? `${Before}${string}${PathOf<After>}`
  : Path
/** What is sent beside the address. */
export type RequestOf<R extends CustomRoute> = CallOptions & {
  readonly headers?: Readonly<Record<string, string>>
} & Member<'query', PartOf<R, 'query'>> &
  Member<'body', PartOf<R, 'body'>>
/** Its JSON; undefined where it answers nothing, or another media type. */
export type AnswerOf<R extends CustomRoute> = [PartOf<R, 'answer'>] extends [never]
  ? undefined
  : PartOf<R, 'answer'> extends string
    ? undefined
    : { readonly data: Answered<PartOf<R, 'answer'>> }

export type QueryValues = Readonly<Record<string, string | number | boolean | Date | null | undefined>>

/** `?since=2026-…`; what is null or undefined is left out. */
export function queryText(query: QueryValues = {}): string {
  const sent = Object.entries(query).filter(([, value]) => value !== null && value !== undefined)
  if (sent.length === 0) return ''
  const pairs = sent.map(([name, value]): [string, string] => [
    name,
    value instanceof Date ? value.toISOString() : String(value),
  ])
  return `?${new URLSearchParams(pairs)}`
}
