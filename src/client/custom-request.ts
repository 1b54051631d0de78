// Types of the requests and answers of custom routes, in wire names.

import type { Field } from '../resource/field/field.ts'
import type { CallOptions } from './type/call.ts'
import type { Json } from './type/record.ts'

/** A custom route, as `client.request` needs its type. */
export interface CustomRoute {
  readonly method: string
  readonly path: string
  readonly phantom?: { readonly query: unknown; readonly body: unknown; readonly answer: unknown }
}

type AnyFields = { readonly [name: string]: Field<string, unknown, unknown, unknown, string, string> }
type PartOf<R extends CustomRoute, Part extends keyof NonNullable<R['phantom']>> = NonNullable<R['phantom']>[Part]

type OnWire<V, Moment> = Json<V, Moment, 'snake'>
type ValuesIn<F extends AnyFields, Names extends keyof F> = { readonly [N in Names]: F[N]['phantom']['value'] }
type FreeIn<F extends AnyFields> = {
  [N in keyof F]: F[N]['phantom']['need'] extends 'free' ? N : never
}[keyof F]

type Answered<F> = F extends AnyFields ? OnWire<ValuesIn<F, keyof F>, string> : never
/** In a request: fields with a default are optional, and a time may be a Date. */
type Sent<F> = F extends AnyFields
  ? OnWire<ValuesIn<F, Exclude<keyof F, FreeIn<F>>>, Date | string> &
      Partial<OnWire<ValuesIn<F, FreeIn<F>>, Date | string>>
  : {}
type Member<Name extends string, F> =
  {} extends Sent<F> ? { readonly [N in Name]?: Sent<F> } : { readonly [N in Name]: Sent<F> }

export type PathOf<Path extends string> = Path extends `${infer Before}{${string}}${infer After}`
  ? `${Before}${string}${PathOf<After>}`
  : Path
export type RequestOf<R extends CustomRoute> = CallOptions & {
  readonly headers?: Readonly<Record<string, string>>
} & Member<'query', PartOf<R, 'query'>> &
  Member<'body', PartOf<R, 'body'>>
/** Undefined if there is no answer, or one of another media type. */
export type AnswerOf<R extends CustomRoute> = [PartOf<R, 'answer'>] extends [never]
  ? undefined
  : PartOf<R, 'answer'> extends string
    ? undefined
    : { readonly data: Answered<PartOf<R, 'answer'>> }

export type QueryValues = Readonly<Record<string, string | number | boolean | Date | null | undefined>>

export function queryText(query: QueryValues = {}): string {
  const sent = Object.entries(query).filter(([, value]) => value !== null && value !== undefined)
  if (sent.length === 0) return ''
  const pairs = sent.map(([name, value]): [string, string] => [
    name,
    value instanceof Date ? value.toISOString() : String(value),
  ])
  return `?${new URLSearchParams(pairs)}`
}
