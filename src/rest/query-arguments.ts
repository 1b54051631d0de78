// The arguments of a query as they stand in a query string.

import type { Detail } from '../failure/failure.ts'
import type { Parameters } from '../http/message/query.ts'
import { valueOfText } from '../resource/field/registry.ts'
import type { QueryModel } from '../resource/model/model.ts'
import type { QueryArgument } from '../resource/model/scope.ts'
import type { Vocabulary } from '../resource/model/vocabulary.ts'

/** The arguments by the names of a version. */
export const queryParameters = ({ args }: QueryModel, { part }: Vocabulary): ReadonlyMap<string, QueryArgument> =>
  new Map(args.map((each) => [part(each.name, each.spec), each]))

/** Reads them by the names of the definition. Adds to `problems` what is missing or has the wrong form. */
export function readArguments(
  parameters: Parameters,
  asks: ReadonlyMap<string, QueryArgument>,
  { part }: Vocabulary,
  problems: Detail[],
): Readonly<Record<string, unknown>> {
  const args: Record<string, unknown> = {}
  for (const [name, { name: argument, spec, kind, initial }] of asks) {
    // What is wrong as a parameter is not told again as an argument.
    if (problems.some(({ field }) => field === name)) continue
    const text = parameters.get(name)
    const problem = (_: string, message: string) => void problems.push({ field: name, message })
    if (text !== undefined) args[argument] = kind.check(spec, valueOfText(text, spec), problem, part)
    else if (initial === undefined) problem('', 'Is required.')
    else args[argument] = initial
  }
  return args
}
