// What is sent to a route of an author's own, checked by the same kinds of field, in the same sentences. (contract 5.5.3)

import type { IncomingHttpHeaders } from 'node:http'
import type { Detail } from '../../failure/failure.ts'
import type { Json } from '../../http/message/exchange.ts'
import { readQuery, requireKnown } from '../../http/message/query.ts'
import type { PartName, Problem, SpecBase } from '../../resource/field/field.ts'
import { initialValue, kindOf, valueOfText } from '../../resource/field/registry.ts'
import { readMembers } from '../body.ts'
import type { Specs } from './definition.ts'
import { findHeader, headerName } from './header.ts'
import { isOpenBody, namedMembers } from './open-body.ts'

type Values = Readonly<Record<string, unknown>>

/** The body by the names of the definition. Adds all its problems; fails with VALIDATION_ERROR where it is no object. */
export function readBody(body: Json | undefined, fields: Specs, partName: PartName, problems: Detail[]): Values {
  const sent = readMembers(body === undefined || !isOpenBody(fields) ? body : namedMembers(body, fields, partName))
  const names = new Set(Object.entries(fields).map(([field, spec]) => partName(field, spec)))
  for (const name of Object.keys(sent)) {
    if (!names.has(name)) problems.push({ field: name, message: 'There is no such field.' })
  }
  return readFields(fields, (name) => (Object.hasOwn(sent, name) ? sent[name] : undefined), partName, problems)
}

/** The query string by the names of the definition. Adds all its problems. (contract 4.3.3) */
export function readParameters(query: string, fields: Specs, partName: PartName, problems: Detail[]): Values {
  const queryProblems: Detail[] = []
  const parameters = readQuery(query, queryProblems)
  const specs = new Map(Object.entries(fields).map(([field, spec]) => [partName(field, spec), spec]))
  requireKnown(parameters, (name) => specs.has(name), queryProblems)
  // What is wrong as a parameter is not told again as a field.
  const refusedNames = new Set(queryProblems.map(({ field }) => field))
  problems.push(...queryProblems)
  const find = (name: string) => {
    const text = parameters.get(name)
    return text === undefined ? undefined : valueOfText(text, specs.get(name)!)
  }
  const fieldProblems: Detail[] = []
  const values = readFields(fields, find, partName, fieldProblems)
  problems.push(...fieldProblems.filter(({ field }) => !refusedNames.has(field)))
  return values
}

/** Headers by the names of the definition. Adds all their problems. */
export function readHeaders(headers: IncomingHttpHeaders, fields: Specs, problems: Detail[]): Values {
  const specs = new Map(Object.entries(fields).map(([field, spec]) => [headerName(field), spec]))
  const find = (name: string) => {
    const text = findHeader(headers, name.toLowerCase())
    return text === undefined ? undefined : valueOfText(text, specs.get(name)!)
  }
  return readFields(fields, find, headerName, problems)
}

/** What stands in the path; null where a part of it cannot be what it must be. */
export function readPath(parts: ReadonlyMap<string, string>, fields: Specs, partName: PartName): Values | null {
  const values: Record<string, unknown> = {}
  let fits = true
  for (const [name, text] of parts) {
    const decoded = decode(text)
    const spec = fields[name]!
    const refuse = () => {
      fits = false
    }
    if (decoded === null) refuse()
    else values[name] = kindOf(spec).check(spec, valueOfText(decoded, spec), refuse, partName)
  }
  return fits ? values : null
}

function readFields(fields: Specs, find: (name: string) => unknown, partName: PartName, problems: Detail[]): Values {
  const values: Record<string, unknown> = {}
  for (const [field, spec] of Object.entries(fields)) {
    const name = partName(field, spec)
    const problem: Problem = (path, message) => void problems.push({ field: `${name}${path}`, message })
    values[field] = readField(spec, find(name), problem, partName)
  }
  return values
}

function readField(spec: SpecBase, sent: unknown, problem: Problem, partName: PartName): unknown {
  if (sent === undefined) {
    const initial = initialValue(spec)
    if (initial === undefined) problem('', 'Is required.')
    return initial
  }
  if (sent !== null) return kindOf(spec).check(spec, sent, problem, partName)
  if (!spec.optional) problem('', 'Must not be null.')
  return null
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    // The one way to ask whether escapes are UTF-8.
    return null
  }
}
