// Which deprecated names a REST request uses: worked out for each endpoint when it is compiled. (contract 9.4.1)

import type { Target } from '../action/call.ts'
import type { Deprecating, Deprecation } from '../resource/deprecation.ts'
import type { SpecBase } from '../resource/field/field.ts'
import type { ResourceModel } from '../resource/model/model.ts'
import { kebab } from '../resource/naming/casing.ts'
import type { ResourceEndpoint } from './routes.ts'
import type { Version } from './version.ts'

/** What is looked for in one endpoint's requests; each answers the names under which uses are counted. */
export interface NamedUses {
  /** What every request uses. */
  readonly always: readonly string[]
  /** Null where no query can use anything deprecated. */
  readonly inQuery: ((query: string) => readonly string[]) | null
  /** Null where no body can. */
  readonly inTargets: ((targets: readonly Target[]) => readonly string[]) | null
}

/** Null where nothing of the endpoint is deprecated. */
export function compileNamedUses({ resource, action, version, kind }: ResourceEndpoint): NamedUses | null {
  const parts = partsOf(resource, version)
  const own = action.deprecated === null ? [] : [actionName(resource, action.name, version)]
  const always = [...(version.isDeprecated ? [version.name] : []), ...own]
  const isRead = kind === 'list' || kind === 'record' || kind === 'summary'
  const has =
    parts.fields.size + parts.values.size + (kind === 'list' || kind === 'summary' ? parts.filters.size : 0) > 0
  if (always.length === 0 && !has) return null
  return {
    always,
    inQuery: isRead && has ? (query) => usesInQuery(query, parts) : null,
    inTargets: !isRead && has ? (targets) => usesInTargets(targets, parts) : null,
  }
}

/** Everything that clients of a version are asked to leave, by the names under which uses are counted. */
export function restDeprecations(resource: ResourceModel, version: Version): ReadonlyMap<string, Deprecation> {
  const { fields, values, filters } = partsOf(resource, version)
  const actions = [...resource.actions.values()].flatMap((action): Part[] =>
    action.deprecated === null ? [] : [[actionName(resource, action.name, version), action.deprecated]],
  )
  const all = [
    ...fields.values(),
    ...[...values.values()].flatMap((each) => [...each.values()]),
    ...filters.values(),
    ...actions,
  ]
  return new Map(all.map(([name, { since, sunset, use = null }]) => [name, { since, sunset, use }]))
}

type Part = readonly [name: string, deprecation: Deprecating]
interface Parts {
  /** By the names that clients send. */
  readonly fields: ReadonlyMap<string, Part>
  readonly values: ReadonlyMap<string, ReadonlyMap<string, Part>>
  readonly filters: ReadonlyMap<string, Part>
}

const actionName = (resource: ResourceModel, action: string, { name }: Version): string =>
  `${name} ${resource.path}/${kebab(action)}`

function partsOf(resource: ResourceModel, { name: version, vocabulary }: Version): Parts {
  const specs = new Map<string, SpecBase>(resource.columns.map(({ field, spec }) => [field, spec]))
  for (const { name, spec } of resource.fields.values()) specs.set(name, spec)
  for (const { accept } of resource.actions.values()) for (const { field, spec } of accept) specs.set(field, spec)
  const fields = new Map<string, Part>()
  const values = new Map<string, ReadonlyMap<string, Part>>()
  for (const [field, spec] of specs) {
    const name = vocabulary.name(resource, field)
    const place = `${version} ${resource.name}.${name}`
    if (spec.deprecated !== undefined) fields.set(name, [place, spec.deprecated])
    if (spec.deprecated !== undefined && spec.kind === 'one')
      fields.set(vocabulary.record(resource, field), [place, spec.deprecated])
    const { deprecatedValues } = spec as { readonly deprecatedValues?: Readonly<Record<string, Deprecating>> }
    if (deprecatedValues === undefined) continue
    const own = Object.entries(deprecatedValues).map(([value, deprecation]): [string, Part] => [
      value,
      [`${place}=${value}`, deprecation],
    ])
    values.set(name, new Map(own))
  }
  const filters = new Map<string, Part>()
  for (const { name, deprecated } of resource.filters.values()) {
    const wire = vocabulary.filter(resource, name)
    if (deprecated !== null) filters.set(wire, [`${version} ${resource.path}?${wire}`, deprecated])
  }
  return { fields, values, filters }
}

function usesInQuery(query: string, { fields, values, filters }: Parts): readonly string[] {
  const used = new Set<string>()
  for (const [name, value] of new URLSearchParams(query)) {
    const filter = filters.get(name)
    if (filter !== undefined) used.add(filter[0])
    const chosen = values.get(name)?.get(value)
    if (chosen !== undefined) used.add(chosen[0])
    if (name !== 'fields' && name !== 'sort' && name !== 'group_by') continue
    for (const each of value.split(',')) {
      const field = fields.get(each.replace(/^-/, '').replace(/:.*$/, ''))
      if (field !== undefined) used.add(field[0])
    }
  }
  return [...used]
}

function usesInTargets(targets: readonly Target[], { fields, values }: Parts): readonly string[] {
  const used = new Set<string>()
  for (const { input } of targets) {
    if (typeof input !== 'object' || input === null) continue
    for (const [name, value] of Object.entries(input)) {
      const [field, chosen] = [fields.get(name), values.get(name)?.get(String(value))]
      for (const part of [field, chosen]) if (part !== undefined) used.add(part[0])
    }
  }
  return [...used]
}
