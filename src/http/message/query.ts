// Parses query strings strictly: probable mistakes are reported.

import type { Detail } from '../../failure/failure.ts'

/** Without parameters that have a problem. */
export type Parameters = ReadonlyMap<string, string>

const none: Parameters = new Map()
const noNames: ReadonlySet<string> = new Set()
/** Parameters that may be repeated. */
export const listParameters: ReadonlySet<string> = new Set(['fields', 'sort', 'group_by', 'ids'])

/**
 * Parses `name=value&…` in form encoding: percent-encoded UTF-8, `+` for a space. Reports malformed, empty and repeated parameters.
 * Repeated `lists` are joined with commas. (contract 4.3.3, 4.3.9)
 */
export function readQuery(query: string, problems: Detail[], lists: ReadonlySet<string> = noNames): Parameters {
  if (query === '') return none
  const parameters = new Map<string, string>()
  const names = new Set<string>()
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals === -1 ? pair : pair.slice(0, equals))
    const value = decode(equals === -1 ? '' : pair.slice(equals + 1))
    if (name === null || value === null) {
      problems.push({ field: name ?? pair, message: 'Is not percent-encoded UTF-8.' })
    } else if (name.includes('\0') || value.includes('\0')) {
      problems.push({ field: name.includes('\0') ? pair : name, message: 'Must not contain NUL.' })
    } else if (parameters.has(name) && lists.has(name)) {
      parameters.set(name, `${parameters.get(name)},${value}`)
    } else if (names.has(name)) {
      parameters.delete(name)
      if (!problems.some((each) => each.field === name)) problems.push({ field: name, message: 'Is given twice.' })
    } else {
      names.add(name)
      parameters.set(name, value)
    }
  }
  return parameters
}

export function requireKnown(parameters: Parameters, isKnown: (name: string) => boolean, problems: Detail[]): void {
  for (const [name, value] of parameters) {
    if (!isKnown(name)) problems.push({ field: name, message: 'There is no such parameter here.' })
    else if (value === '') problems.push({ field: name, message: 'Must not be empty.' })
  }
}

const isPlain = /^[\w.~-]*$/

function decode(text: string): string | null {
  if (isPlain.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    // Decoding is the only way to test the escapes.
    return null
  }
}
