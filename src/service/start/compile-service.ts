// Compiles a service definition with the library's own resources.

import { ApiKey, SecurityEvent, Session } from '../../authentication/resources.ts'
import { getOrInsert } from '../../cache/get-or-insert.ts'
import { DeprecatedUse } from '../../deprecation/resource.ts'
import { contradictions, ServiceDefinitionError } from '../../resource/contradiction/contradiction.ts'
import type { Service } from '../../resource/language/service.ts'
import { compileModel } from '../../resource/model/compile/compile-model.ts'
import type { Model } from '../../resource/model/model.ts'

const ownResources = [Session, ApiKey, SecurityEvent, DeprecatedUse]

/** Fails with ServiceDefinitionError for contradictions. (contract 5.4.3) */
export const compileService = (definition: Service<unknown>): Model =>
  // A process that starts a service again, as tests do, compiles it once.
  getOrInsert(models, definition, () => {
    const problems = contradictions(definition, ownResources)
    if (problems.length > 0) throw new ServiceDefinitionError(problems)
    return compileModel(definition, ownResources)
  })
const models = new WeakMap<Service<unknown>, Model>()
