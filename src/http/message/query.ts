// The query string as a list of parameters, each once. Strict: whatever looks like a mistake is told, not guessed at.

import type { Detail } from '../../failure/failure.ts'

/** By name. A parameter that has a problem already is left out. */
export type Parameters = ReadonlyMap<string, string>

const none: Parameters = new Map()

/**
 * Reads `name=value&…` as forms write it: percent-encoded UTF-8, `+` for a space.
 * Adds to `problems` what is malformed, empty or given twice, under the name it has there. (contract 4.3.3)
 */
export function readQuery(query: string, problems: Detail[]): Parameters {
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

/** Adds to `problems` each parameter that is not known here, and each that is without a value. */
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
    // The one way to ask whether escapes are complete and are UTF-8.
    return null
  }
}
