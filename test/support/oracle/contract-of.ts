// What `duet contract snapshot` would record of a definition.

import { printSchema } from 'graphql'
import type { Document } from '../../../src/compatibility/openapi-document.ts'
import type { Contract, Deprecation } from '../../../src/compatibility/snapshot.ts'
import { deprecationsIn } from '../../../src/graphql/schema/deprecation.ts'
import { makeSchema } from '../../../src/graphql/schema/schema.ts'
import { defaultLimits } from '../../../src/limits.ts'
import { makeDocument } from '../../../src/openapi/document.ts'
import { dayOf } from '../../../src/resource/deprecation.ts'
import type { Service } from '../../../src/resource/language/service.ts'
import { graphqlVocabulary } from '../../../src/resource/model/vocabulary.ts'
import { compileRoutes } from '../../../src/rest/route/routes.ts'
import { compileService } from '../../../src/service/start/compile-service.ts'

export function contractOf(definition: Service<unknown>): Contract {
  const model = compileService(definition)
  const schema = makeSchema(model, graphqlVocabulary(), defaultLimits)
  const routes = compileRoutes(model)
  const form = {
    limits: defaultLimits,
    cursorForm: 'envelope',
    info: { title: 'Test' },
    authored: [],
    endpoints: [],
  } as const
  const documents = Object.fromEntries(
    routes.versions.map((each) => [each.name, makeDocument(each, routes, model, form) as Document]),
  )
  const versions = model.versions.flatMap(({ name, deprecated, sunset }) =>
    deprecated === null || sunset === null
      ? []
      : [[name, { since: dayOf(deprecated), sunset: dayOf(sunset), use: null }] as const],
  )
  const deprecations = [...versions, ...deprecationsIn(schema)].map(([what, each]): Deprecation => ({ what, ...each }))
  return { documents, schema: printSchema(schema), deprecations, limits: {} }
}
