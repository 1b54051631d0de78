// An OpenAPI document, and its references.

import { invariant } from '../failure/failure.ts'

/** Any JSON object. */
export type Node = { readonly [name: string]: unknown }

export interface Document extends Node {
  readonly info: Node
  readonly paths: Readonly<Record<string, Readonly<Record<string, Node>>>>
}

export interface Operation {
  /** `GET`. */
  readonly method: string
  /** From the root of the service: `/api/v1/posts/{id}`. */
  readonly path: string
  readonly operation: Node
}

/** Supports snapshots of earlier Duet versions, which had the prefix in `servers` and the root at single paths. */
export function operations({ paths, servers }: Document): readonly Operation[] {
  const [server] = (servers ?? []) as readonly Node[]
  const prefix = String(server?.['url'] ?? '').replace(/\/$/, '')
  return Object.entries(paths).flatMap(([path, { servers: own, 'x-oai-additionalOperations': others, ...item }]) =>
    Object.entries({ ...item, ...(others as Readonly<Record<string, Node>> | undefined) }).map(
      ([method, operation]) => ({
        method: method.toUpperCase(),
        path: own === undefined ? prefix + path : path,
        operation,
      }),
    ),
  )
}

/** The target of a `$ref`, such as `#/components/schemas/Post`; null for other nodes. */
export const referred = (node: Node): string | null => {
  const to = node['$ref']
  return typeof to === 'string' ? to : null
}

/** Follows references to their end. */
export function resolve(node: Node, document: Document): Node {
  let target = node
  for (let to = referred(target); to !== null; to = referred(target)) {
    const parts = to.slice(2).split('/')
    const next = parts.reduce<unknown>((at, part) => (at as Node | undefined)?.[part], document)
    invariant(typeof next === 'object' && next !== null && next !== target, `${to} leads somewhere`)
    target = next as Node
  }
  return target
}

/** Empty if it is missing. */
export const members = (node: Node, name: string): Readonly<Record<string, Node>> =>
  (node[name] ?? {}) as Readonly<Record<string, Node>>

export const texts = (node: Node, name: string): readonly string[] => (node[name] ?? []) as readonly string[]

/** In the order of names. */
export function paired<T>(before: Readonly<Record<string, T>>, after: Readonly<Record<string, T>>) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  return {
    removed: names.filter((name) => !Object.hasOwn(after, name)),
    added: names.filter((name) => !Object.hasOwn(before, name)),
    both: names
      .filter((name) => Object.hasOwn(before, name) && Object.hasOwn(after, name))
      .map((name) => ({ name, before: before[name]!, after: after[name]! })),
  }
}

/** Compares JSON regardless of the order of members. */
export const isSame = (before: unknown, after: unknown): boolean => canonicalText(before) === canonicalText(after)

const canonicalText = (value: unknown): string =>
  JSON.stringify(value, (_, each) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  ) ?? ''

/** The member that lists headers of every answer. */
export const onEveryAnswer = 'x-on-every-answer'

/** Including those of every answer. */
export const headersOf = (answer: Node, document: Document): Readonly<Record<string, Node>> => ({
  ...Object.fromEntries(texts(document, onEveryAnswer).map((name) => [name, { $ref: `#/components/headers/${name}` }])),
  ...members(answer, 'headers'),
})
