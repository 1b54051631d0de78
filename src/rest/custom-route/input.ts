// Validates the input of custom routes by field kinds. (contract 5.5.3)

import type { IncomingHttpHeaders } from 'node:http'
import type { Specs } from '../../custom-route/definition.ts'
import { checkJson, readFields } from '../../custom-route/fields.ts'
import { findHeader, headerName } from '../../custom-route/header.ts'
import { isOpenBody, namedMembers } from '../../custom-route/open-body.ts'
import type { Detail } from '../../failure/failure.ts'
import { readQuery, requireKnown } from '../../http/message/query.ts'
import type { Json } from '../../json/json.ts'
import type { PartName } from '../../resource/field/field.ts'
import { checkText } from '../../resource/field/registry.ts'
import { readMembers } from '../query/body.ts'

type Values = Readonly<Record<string, unknown>>

/** In the definition's names. Adds all problems; fails with VALIDATION_ERROR unless the body is an object. */
export function readBody(body: Json | undefined, fields: Specs, partName: PartName, problems: Detail[]): Values {
  const sent = readMembers(body === undefined || !isOpenBody(fields) ? body : namedMembers(body, fields, partName))
  const names = new Set(Object.entries(fields).map(([field, spec]) => partName(field, spec)))
  for (const name of Object.keys(sent)) {
    if (!names.has(name)) problems.push({ field: name, message: 'There is no such field.' })
  }
  const find = (name: string) => (Object.hasOwn(sent, name) ? sent[name] : undefined)
  return readFields(fields, find, { partName, check: checkJson }, problems)
}

/** In the definition's names. Adds all problems. (contract 4.3.3) */
export function readParameters(query: string, fields: Specs, partName: PartName, problems: Detail[]): Values {
  const queryProblems: Detail[] = []
  const parameters = readQuery(query, queryProblems)
  const specs = new Map(Object.entries(fields).map(([field, spec]) => [partName(field, spec), spec]))
  requireKnown(parameters, (name) => specs.has(name), queryProblems)
  // A wrong parameter is not reported again as a field.
  const refusedNames = new Set(queryProblems.map(({ field }) => field))
  problems.push(...queryProblems)
  const fieldProblems: Detail[] = []
  const values = readFields(fields, (name) => parameters.get(name), { partName, check: checkText }, fieldProblems)
  problems.push(...fieldProblems.filter(({ field }) => !refusedNames.has(field)))
  return values
}

/** In the definition's names. Adds all problems. */
export function readHeaders(headers: IncomingHttpHeaders, fields: Specs, problems: Detail[]): Values {
  const find = (name: string) => findHeader(headers, name.toLowerCase())
  return readFields(fields, find, { partName: headerName, check: checkText }, problems)
}

/** Null if a segment is invalid. */
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
    else values[name] = checkText(spec, decoded, refuse, partName)
  }
  return fits ? values : null
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    // Throws unless the escapes are UTF-8.
    return null
  }
}
