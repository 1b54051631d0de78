// The front page of a service, with the examples of its documents.

import { definitionsOf } from '../../custom-route/definition.ts'
import type { Overview } from '../../explorer/overview/overview.ts'
import { makeSchema } from '../../graphql/schema/schema.ts'
import type { Limits } from '../../limits.ts'
import { makeDocument, type ServiceDescription } from '../../openapi/document.ts'
import type { DocumentInfo } from '../../openapi/document-context.ts'
import type { Model } from '../../resource/model/model.ts'
import { graphqlVocabulary } from '../../resource/model/vocabulary.ts'
import { words } from '../../resource/naming/casing.ts'
import { authorAddresses } from '../../rest/custom-route/address.ts'
import { usualForm } from '../../rest/rest-face.ts'
import { compileRoutes } from '../../rest/route/routes.ts'
import type { StartServiceOptions } from '../start/options.ts'
import type { ServiceParts } from '../start/read-definition.ts'
import { describeOverview } from './describe.ts'
import type { Document } from './document.ts'

export interface OverviewDependencies extends Pick<ServiceParts, 'model' | 'routes' | 'schedules'> {
  readonly limits: Limits
  readonly options: Pick<StartServiceOptions, 'info' | 'cursorForm'>
}

export function overviewOf(
  { model, limits, options, routes: authorRoutes, schedules }: OverviewDependencies,
  description: ServiceDescription,
): Overview {
  const routes = compileRoutes(model)
  const { cursorForm = usualForm.cursorForm } = options
  const info: DocumentInfo = options.info ?? { title: titleOf(model) }
  const authored = authorAddresses(definitionsOf(authorRoutes), routes.versions)
  const document = makeDocument(routes.current, routes, model, { limits, cursorForm, info, authored, ...description })
  const schema = makeSchema(model, graphqlVocabulary(), limits, definitionsOf(authorRoutes))
  return describeOverview({ model, routes, schema, document: document as Document, schedules }, info.description)
}

/** Such as `Users, posts and comments`. */
function titleOf({ resources }: Model): string {
  const names = resources.map(({ plural }) => words(plural))
  const shown = names.length > titleNames + 1 ? [...names.slice(0, titleNames), 'more'] : names
  const text = [shown.slice(0, -1).join(', '), ...shown.slice(-1)].filter((each) => each !== '').join(' and ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
const titleNames = 3
