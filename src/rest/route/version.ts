// A version's names, prefix and deprecation. (contract 9.1)

import { dayOf } from '../../resource/deprecation.ts'
import type { ActionModel, VersionModel } from '../../resource/model/model.ts'
import { restVocabulary, type Vocabulary } from '../../resource/model/vocabulary.ts'

export interface Version {
  /** `v1`. */
  readonly name: string
  /** `/api/v1`. */
  readonly prefix: string
  readonly vocabulary: Vocabulary
  readonly isDeprecated: boolean
  /** Null for the current version. */
  readonly dates: { readonly since: string; readonly sunset: string } | null
  /** `Deprecation`, `Sunset` and `Link`; empty for the current version. */
  headers(path: string): Readonly<Record<string, string>>
}

/** Oldest first; the last is current. */
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

/** Headers of a deprecated action; null for others. Under a deprecated version, the version's headers win. */
export function leavingHeaders(
  { deprecated }: Pick<ActionModel, 'deprecated'>,
  { isDeprecated }: Version,
): Readonly<Record<string, string>> | null {
  if (deprecated === null || isDeprecated) return null
  return deprecationHeaders({ deprecated: new Date(deprecated.since), sunset: new Date(deprecated.sunset) })
}

const datesOf = ({ deprecated, sunset }: VersionModel): Version['dates'] =>
  deprecated === null || sunset === null ? null : { since: dayOf(deprecated), sunset: dayOf(sunset) }

/** RFC 9745 has a structured date, RFC 8594 an HTTP date. */
function deprecationHeaders({
  deprecated,
  sunset,
}: Pick<VersionModel, 'deprecated' | 'sunset'>): Readonly<Record<string, string>> {
  return {
    ...(deprecated === null ? {} : { Deprecation: `@${Math.floor(deprecated.getTime() / 1000)}` }),
    ...(sunset === null ? {} : { Sunset: sunset.toUTCString() }),
  }
}

// Characters outside URI syntax, such as `>`, which would end the link.
const notInLinks = /[^\w%\-.~!$&'()*+,;=:@/]/g
