// From a service's definition to its model, with the resources that the library needs for itself.

import { ApiKey, SecurityEvent, Session } from '../authentication/resources.ts'
import { DeprecatedUse } from '../deprecation/resource.ts'
import { contradictions, ServiceDefinitionError } from '../resource/contradiction/contradiction.ts'
import type { Service } from '../resource/language/service.ts'
import { compileModel } from '../resource/model/compile-model.ts'
import type { Model } from '../resource/model/model.ts'

const own = [Session, ApiKey, SecurityEvent, DeprecatedUse]

/** Fails with ServiceDefinitionError where the definition contradicts itself. (contract 5.4.3) */
export function modelOf(definition: Service<unknown>): Model {
  const problems = contradictions(definition, own)
  if (problems.length > 0) throw new ServiceDefinitionError(problems)
  return compileModel(definition, own)
}
