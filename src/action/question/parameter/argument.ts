// The arguments of a query. (contract 4.8.1)

import { aboutArgument } from '../../../resource/about.ts'
import { writeValue } from '../../../resource/field/registry.ts'
import { capitalised } from '../../../resource/naming/casing.ts'
import { type Parameter, readValue } from './parameter.ts'

/** In names of the definition; null for other lists. */
export const queryArguments: Parameter<Readonly<Record<string, unknown>> | null> = {
  read(sent, { query }, { form, vocabulary: { part } }, problems) {
    if (query === undefined) return null
    const args: Record<string, unknown> = {}
    for (const { name: argument, spec, initial } of query.args) {
      const name = part(argument, spec)
      // Problems of the parameter are not reported twice.
      if (form === 'text' && problems.some(({ field }) => field === name)) continue
      const value = sent(name) ?? undefined
      if (value !== undefined) args[argument] = readValue(value, spec, name, { form, part }, problems)
      else if (initial !== undefined) args[argument] = initial
      else problems.push({ field: name, message: 'Is required.' })
    }
    return args
  },

  describe({ query }, _, { part }) {
    if (query === undefined) return []
    const holder = `${query.resource.graphql.name}${capitalised(query.name)}`
    return query.args.map((argument) => {
      const { name, spec, initial } = argument
      return {
        name: part(name, spec),
        about: () => aboutArgument(query, argument),
        type: () => ({ is: 'value', spec: { ...spec, optional: false }, holder, part: name }),
        isNeeded: initial === undefined,
        ...(initial == null ? {} : { initial: writeValue(spec, initial) }),
      }
    })
  },
}
