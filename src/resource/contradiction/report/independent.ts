// What contradictions do not concern, so that it can be checked in the same round.

import { accountName, type Definition, type ServiceDefinition } from '../../language/definition.ts'
import { pluralOf } from '../../naming/casing.ts'

interface Independent {
  readonly definition: ServiceDefinition
  /** Whether a sentence names a resource that was left out: it may follow from that. */
  mentionsOthers(sentence: string): boolean
}

/** Leaves out the resources that these sentences are about. Null if they concern accounts or the service itself. */
export function independentOf(sentences: readonly string[], definition: ServiceDefinition): Independent | null {
  const places = new Set(sentences.map((each) => wordsOfPlace(each)[0]!))
  const entries = Object.entries<Definition | null | undefined>(definition?.resources ?? {})
  const isOf = (place: string) => entries.some(([key, each]) => place === key || place === nameOf(each))
  if (![...places].every(isOf)) return null
  const names = new Set(entries.flatMap(([key, each]) => (places.has(key) || places.has(nameOf(each)) ? [key] : [])))
  for (let size = -1; size !== names.size; ) {
    size = names.size
    for (const [key, each] of entries) if (isWithin(each, names)) names.add(key)
  }
  if (names.has(accountName(definition))) return null
  const words = entries.flatMap(([key, each]) => (names.has(key) ? [key, nameOf(each), pluralOf({ name: key })] : []))
  const mention = new RegExp(`\\b(?:${words.filter((word) => /^\w+$/.test(word)).join('|')})\\b`, 'i')
  const resources = Object.fromEntries(entries.filter(([key]) => !names.has(key))) as ServiceDefinition['resources']
  return { definition: { ...definition, resources }, mentionsOthers: (sentence) => mention.test(sentence) }
}

/** Malformed definitions may lack everything. */
const nameOf = (definition: Partial<Definition> | null | undefined): string => String(definition?.name ?? '')

function isWithin(definition: Partial<Definition> | null | undefined, names: ReadonlySet<string>): boolean {
  const { within, fields } = definition ?? {}
  const spec = within === undefined ? undefined : (fields?.[within] as { readonly target?: string } | undefined)
  return spec?.target !== undefined && names.has(spec.target)
}

/** Parts of a resource on which readability does not depend. */
const parts = ['exclude', 'filter', 'keys', 'queries', 'search', 'sort', 'summary', 'unique', 'where'] as const
type Part = (typeof parts)[number]

/** Leaves out the actions, queries and the like that these sentences are about. */
export function withoutParts(sentences: readonly string[], definition: ServiceDefinition): ServiceDefinition {
  const places = sentences.map(wordsOfPlace)
  const entries = Object.entries(definition.resources).map(([key, each]): [string, Definition] => [
    key,
    places.filter(([place]) => place === key || place === each.name).reduce(withoutPart, each),
  ])
  return { ...definition, resources: Object.fromEntries(entries) as ServiceDefinition['resources'] }
}

function withoutPart(definition: Definition, [, name = '', entry = '']: readonly string[]): Definition {
  const { actions } = definition
  if (name !== 'read' && Object.hasOwn(actions, name)) return { ...definition, actions: without(actions, name) }
  if (!parts.includes(name as Part)) return definition
  const part: unknown = definition[name as Part]
  const isNamed = typeof part === 'object' && part !== null && !Array.isArray(part) && Object.hasOwn(part, entry)
  return isNamed ? { ...definition, [name]: without(part, entry) } : without(definition, name)
}

const without = <T extends object>(whole: T, name: string): T =>
  Object.fromEntries(Object.entries(whole).filter(([key]) => key !== name)) as T

/** The resource that a sentence is about, and what of it. */
const wordsOfPlace = (sentence: string): readonly string[] => placeOf(sentence).split(/[^\w]/)
export const placeOf = (sentence: string): string => sentence.slice(0, sentence.indexOf(': '))
