// The overview of a service with everything that its page needs beside the model.

import type { Overview } from '../../explorer/overview/overview.ts'
import { makeSchema } from '../../graphql/schema/schema.ts'
import type { Limits } from '../../limits.ts'
import type { Model } from '../../resource/model/model.ts'
import { graphqlVocabulary } from '../../resource/model/vocabulary.ts'
import { authorAddresses } from '../../rest/custom-route/address.ts'
import { definitionsOf } from '../../rest/custom-route/definition.ts'
import { makeDocument, type ServiceDescription } from '../../rest/openapi/document.ts'
import type { DocumentInfo } from '../../rest/openapi/document-context.ts'
import { usualForm } from '../../rest/rest-face.ts'
import { compileRoutes } from '../../rest/routes.ts'
import type { StartServiceOptions } from '../options.ts'
import { type Document, describeOverview } from './describe.ts'

export interface OverviewDependencies {
  readonly model: Model
  readonly limits: Limits
  readonly options: Pick<StartServiceOptions, 'info' | 'cursorForm' | 'routes'>
}

/** Makes both documents, of which the page shows the examples. */
export function overviewOf(
  { model, limits, options }: OverviewDependencies,
  description: ServiceDescription,
): Overview {
  const routes = compileRoutes(model)
  const { cursorForm = usualForm.cursorForm } = options
  const info: DocumentInfo = options.info ?? usualForm.info
  const authored = authorAddresses(definitionsOf(options.routes ?? []), routes.versions)
  const document = makeDocument(routes.current, routes, model, { limits, cursorForm, info, authored, ...description })
  const schema = makeSchema(model, graphqlVocabulary(), limits)
  return describeOverview({ model, routes, schema, document: document as Document }, info.description)
}
