// The canonical form of a contract: equal contracts have equal text, and changes are few lines.

import { type Document, members, type Node, onEveryAnswer } from './openapi-document.ts'

/** Keywords that promise nothing. */
const withoutPromise = new Set(['example', 'examples', 'tags', 'summary', 'x-internal'])
/** Keywords whose members are names. */
const holdsNames = new Set(['properties', 'schemas', 'parameters', 'headers', 'responses', 'paths', 'securitySchemes'])
/** Lists whose order has no meaning. */
const unordered = new Set(['required', 'enum', 'parameters', 'type'])

/** Sorts members, omits what promises nothing, and lists headers of every answer once. */
export function canonicalDocument(document: object): Document {
  const whole = canonical(document, '') as Document
  const shared = sharedHeaders(answersIn(whole))
  const isShared = (name: string) => shared.includes(name)
  const without = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(without)
    if (typeof node !== 'object' || node === null) return node
    return Object.fromEntries(
      Object.entries(node).flatMap(([name, each]): [string, unknown][] => {
        if (name !== 'headers' || !isAnswer(node as Node)) return [[name, without(each)]]
        const own = Object.entries(each as Node).filter(([header]) => !isShared(header))
        return own.length === 0 ? [] : [[name, Object.fromEntries(own)]]
      }),
    )
  }
  return { [onEveryAnswer]: shared, ...(without(whole) as Document) }
}

/** Answers described in place or shared, not references. */
function answersIn(document: Document): readonly Node[] {
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item))
  const own = operations.flatMap((operation) => Object.values(members(operation, 'responses')))
  return [...own, ...Object.values(members(document['components'] as Node, 'responses'))].filter(isAnswer)
}
const isAnswer = (node: Node): boolean =>
  typeof node['description'] === 'string' && typeof node['headers'] === 'object' && !Array.isArray(node['headers'])

function sharedHeaders(answers: readonly Node[]): readonly string[] {
  const [first, ...others] = answers.map((answer) => Object.keys(members(answer, 'headers')))
  return (first ?? []).filter((name) => others.every((names) => names.includes(name)))
}

function canonical(value: unknown, within: string): unknown {
  if (Array.isArray(value)) {
    const elements = value.map((each) => canonical(each, ''))
    return unordered.has(within) ? elements.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)) : elements
  }
  if (typeof value !== 'object' || value === null) return value
  const isNamed = holdsNames.has(within)
  const entries = Object.entries(value as Node)
    .filter(([name]) => isNamed || !withoutPromise.has(name))
    .sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([name, each]) => [name, canonical(each, isNamed ? '' : name)]))
}

const keyOf = (value: unknown): string => {
  // Null is one of the values of an optional choice.
  const { name, $ref: to } = (value ?? {}) as { readonly name?: string; readonly $ref?: string }
  return name ?? to?.split('/').at(-1) ?? JSON.stringify(value)
}

const widthMax = 120

/** Puts a value on one line if it fits. */
export const printJson = (value: unknown): string => `${printed(value, '')}\n`

function printed(value: unknown, indent: string): string {
  const line = oneLine(value)
  if (typeof value !== 'object' || value === null || indent.length + line.length <= widthMax) return line
  const deeper = `${indent}  `
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const lines = Array.isArray(value)
    ? value.map((each) => deeper + printed(each, deeper))
    : Object.entries(value).map(([name, each]) => `${deeper}${JSON.stringify(name)}: ${printed(each, deeper)}`)
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`
}

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${oneLine(each)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
