// Lists deprecated parts by the names under which uses are counted. (contract 9.4.1)

import { type Deprecation, dayOf } from '../../resource/deprecation.ts'
import type { Model } from '../../resource/model/model.ts'
import { makeVersions } from '../../rest/route/version.ts'
import { restDeprecations } from '../../rest/uses.ts'

export const deprecationsOf = (
  model: Model,
  parts: ReadonlyMap<string, Deprecation>,
): ReadonlyMap<string, Deprecation> => new Map([...versionsOf(model), ...restOf(model), ...parts])

const versionsOf = ({ versions }: Model): readonly (readonly [string, Deprecation])[] =>
  versions.flatMap(({ name, deprecated, sunset }, index) => {
    if (deprecated === null) return []
    const use = versions[index + 1]?.name ?? null
    return [[name, { since: dayOf(deprecated), sunset: sunset === null ? null : dayOf(sunset), use }] as const]
  })

const restOf = ({ versions, resources }: Model): readonly (readonly [string, Deprecation])[] =>
  makeVersions(versions).flatMap((version) => resources.flatMap((resource) => [...restDeprecations(resource, version)]))
