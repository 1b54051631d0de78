// Validates the input of custom routes by field kinds. (contract 5.5.3)

import type { IncomingHttpHeaders } from 'node:http'
import type { Detail } from '../../failure/failure.ts'
import { readQuery, requireKnown } from '../../http/message/query.ts'
import type { Json } from '../../json/json.ts'
import type { PartName, Problem, SpecBase } from '../../resource/field/field.ts'
import { checkText, initialValue, kindOf } from '../../resource/field/registry.ts'
import { readMembers } from '../query/body.ts'
import type { Specs } from './definition.ts'
import { findHeader, headerName } from './header.ts'
import { isOpenBody, namedMembers } from './open-body.ts'

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

interface Reading<Sent> {
  readonly partName: PartName
  check(spec: SpecBase, sent: Sent, problem: Problem, partName: PartName): unknown
}
const checkJson: Reading<unknown>['check'] = (spec, ...rest) => kindOf(spec).check(spec, ...rest)

function readFields<Sent>(
  fields: Specs,
  find: (name: string) => Sent | undefined,
  reading: Reading<Sent>,
  problems: Detail[],
): Values {
  const values: Record<string, unknown> = {}
  for (const [field, spec] of Object.entries(fields)) {
    const name = reading.partName(field, spec)
    const problem: Problem = (path, message) => void problems.push({ field: `${name}${path}`, message })
    values[field] = readField(spec, find(name), problem, reading)
  }
  return values
}

function readField<Sent>(
  spec: SpecBase,
  sent: Sent | undefined,
  problem: Problem,
  { partName, check }: Reading<Sent>,
): unknown {
  if (sent === undefined) {
    const initial = initialValue(spec)
    if (initial === undefined) problem('', 'Is required.')
    return initial
  }
  if (sent !== null) return check(spec, sent, problem, partName)
  if (!spec.optional) problem('', 'Must not be null.')
  return null
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    // Throws unless the escapes are UTF-8.
    return null
  }
}
