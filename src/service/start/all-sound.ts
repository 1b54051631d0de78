// Runs independent checks and reports all their findings together.

import { ServiceDefinitionError } from '../../resource/contradiction/contradiction.ts'

/** Returns the results. Fails with one ServiceDefinitionError for all contradictions. */
export function allSound<const C extends readonly (() => unknown)[]>(
  ...checks: C
): { readonly [N in keyof C]: ReturnType<C[N]> } {
  const contradictions: string[] = []
  const results = checks.map((check) => {
    try {
      return check()
    } catch (error) {
      if (!(error instanceof ServiceDefinitionError)) throw error
      contradictions.push(...error.contradictions)
      return undefined
    }
  })
  if (contradictions.length > 0) throw new ServiceDefinitionError(contradictions)
  return results as never
}
