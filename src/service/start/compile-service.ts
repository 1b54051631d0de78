// Compiles a service definition with the library's own resources.

import { ApiKey, SecurityEvent, Session, SignInMethod } from '../../authentication/resources.ts'
import { memoize } from '../../cache/memoize.ts'
import { DeprecatedUse } from '../../deprecation/resource.ts'
import { contradictions, ServiceDefinitionError } from '../../resource/contradiction/contradiction.ts'
import { definitionOf, hasStoredMethods } from '../../resource/language/definition.ts'
import type { Service } from '../../resource/language/service.ts'
import { compileModel } from '../../resource/model/compile/compile-model.ts'
import type { Model } from '../../resource/model/model.ts'

const ownResources = [Session, ApiKey, SecurityEvent, DeprecatedUse]

/** Fails with ServiceDefinitionError for contradictions. (contract 5.4.3) */
export const compileService = memoize(
  // A process that starts a service again, as tests do, compiles it once.
  (definition: Service<unknown>): Model => {
    // The form of the definition is not checked yet.
    const { methods } = definitionOf(definition)?.accounts ?? {}
    const own = hasStoredMethods(methods) ? [...ownResources, SignInMethod] : ownResources
    const problems = contradictions(definition, own)
    if (problems.length > 0) throw new ServiceDefinitionError(problems)
    return compileModel(definition, own)
  },
)
