// One version of the REST interface: its names, its prefix, and what a deprecated one tells its clients. (contract 9.1)

import { dayOf } from '../resource/deprecation.ts'
import type { ActionModel, VersionModel } from '../resource/model/model.ts'
import { restVocabulary, type Vocabulary } from '../resource/model/vocabulary.ts'

export interface Version {
  /** `v1`. */
  readonly name: string
  /** `/api/v1`. */
  readonly prefix: string
  readonly vocabulary: Vocabulary
  readonly isDeprecated: boolean
  /** Since when it is deprecated, and until when it is promised to work; null for the current version. */
  readonly dates: { readonly since: string; readonly sunset: string } | null
  /** `Deprecation`, `Sunset` and `Link` for an answer at this path; nothing under the current version. */
  headers(path: string): Readonly<Record<string, string>>
}

/** The versions, oldest first; the last is current. */
export function makeVersions(models: readonly VersionModel[]): readonly Version[] {
  return models.map((model, index) => makeVersion(model, models[index + 1]))
}

function makeVersion(model: VersionModel, successor: VersionModel | undefined): Version {
  const prefix = `/api/${model.name}`
  const dates = deprecationHeaders(model)
  return {
    name: model.name,
    prefix,
    vocabulary: restVocabulary(model),
    isDeprecated: model.deprecated !== null,
    dates: datesOf(model),
    headers(path) {
      if (model.deprecated === null || successor === undefined) return dates
      const below = path.slice(prefix.length).replace(notInLinks, encodeURIComponent)
      return { ...dates, Link: `</api/${successor.name}${below}>; rel="successor-version"` }
    },
  }
}

/**
 * `Deprecation` and `Sunset` on the answers of an action that clients are asked to leave; null for others. Under a version
 * that they are asked to leave, it is the version that answers speak of.
 */
export function leavingHeaders(
  { deprecated }: Pick<ActionModel, 'deprecated'>,
  { isDeprecated }: Version,
): Readonly<Record<string, string>> | null {
  if (deprecated === null || isDeprecated) return null
  return deprecationHeaders({ deprecated: new Date(deprecated.since), sunset: new Date(deprecated.sunset) })
}

const datesOf = ({ deprecated, sunset }: VersionModel): Version['dates'] =>
  deprecated === null || sunset === null ? null : { since: dayOf(deprecated), sunset: dayOf(sunset) }

/** RFC 9745 writes the date as a structured field, RFC 8594 as an HTTP date. */
function deprecationHeaders({
  deprecated,
  sunset,
}: Pick<VersionModel, 'deprecated' | 'sunset'>): Readonly<Record<string, string>> {
  return {
    ...(deprecated === null ? {} : { Deprecation: `@${Math.floor(deprecated.getTime() / 1000)}` }),
    ...(sunset === null ? {} : { Sunset: sunset.toUTCString() }),
  }
}

// A path may hold characters that are no part of a URI reference, such as the `>` that would end the link.
const notInLinks = /[^\w%\-.~!$&'()*+,;=:@/]/g
