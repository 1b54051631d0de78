// Deprecated names in requests, compiled per endpoint. (contract 9.4.1)

import type { Target } from '../action/call.ts'
import { summaryNames } from '../action/question/parameter/groups.ts'
import type { WhereLimits } from '../action/question/where/meter.ts'
import { namesInText } from '../action/question/where/read-text.ts'
import { memoize, memoizePair } from '../cache/memoize.ts'
import type { Deprecating, Deprecation } from '../resource/deprecation.ts'
import type { SpecBase } from '../resource/field/field.ts'
import { isKind, kindOf } from '../resource/field/registry.ts'
import type { ResourceModel, ValuePath } from '../resource/model/model.ts'
import { kebab } from '../resource/naming/casing.ts'
import type { ResourceEndpoint } from './route/routes.ts'
import type { Version } from './route/version.ts'

export interface NamedUses {
  readonly always: readonly string[]
  /** Null if no query can use a deprecated name. */
  readonly inQuery: ((query: string) => readonly string[]) | null
  /** Null if no body can. `where`: the condition of a move. */
  readonly inBody: ((targets: readonly Pick<Target, 'input'>[], where: unknown) => readonly string[]) | null
}

export function compileNamedUses(endpoint: ResourceEndpoint, limits: WhereLimits): NamedUses | null {
  const { resource, action, version, kind, within, key } = endpoint
  const uses = new Uses(version)
  if (version.isDeprecated) uses.add(version.name)
  if (action.deprecated !== null) uses.add(actionName(resource, action.name, version))
  if (within !== null) uses.field(within.holder, within.relation.field)
  for (const { field } of key?.columns ?? []) uses.field(resource, field)
  const always = [...uses.names]
  const mayUse = reachable(resource).some((each) => hasDeprecatedPart(each, version))
  if (always.length === 0 && !mayUse) return null
  const hasBody = !['list', 'summary', 'record', 'delete', 'deleteMany'].includes(kind)
  return {
    always,
    inQuery: mayUse ? usesInQuery(endpoint, limits) : null,
    inBody: mayUse && hasBody ? (targets, where) => usesInBody(targets, where, endpoint, limits) : null,
  }
}

export const restDeprecations = (resource: ResourceModel, version: Version): ReadonlyMap<string, Deprecation> =>
  new Map(
    [...deprecatedParts(resource, version), ...deprecatedActions(resource, version)].map(
      ([name, { since, sunset, use = null }]) => [name, { since, sunset, use }],
    ),
  )

type Part = readonly [name: string, deprecation: Deprecating]

const actionName = (resource: ResourceModel, action: string, { name }: Version): string =>
  `${name} ${resource.path}/${kebab(action)}`
const filterName = (resource: ResourceModel, filter: string, { name, vocabulary }: Version): string =>
  `${name} ${resource.path}?${vocabulary.filter(resource, filter)}`
const fieldName = (resource: ResourceModel, field: string, { name, vocabulary }: Version): string =>
  `${name} ${resource.name}.${vocabulary.name(resource, field)}`

const deprecatedActions = (resource: ResourceModel, version: Version): readonly Part[] =>
  [...resource.actions.values()].flatMap(({ name, deprecated }): readonly Part[] =>
    deprecated === null ? [] : [[actionName(resource, name, version), deprecated]],
  )

function deprecatedParts(resource: ResourceModel, version: Version): readonly Part[] {
  const parts: Part[] = []
  for (const [field, spec] of specsOf(resource))
    parts.push(...partsIn(fieldName(resource, field, version), spec, version))
  for (const { name, deprecated } of resource.namedFilters.values())
    if (deprecated !== null) parts.push([filterName(resource, name, version), deprecated])
  return parts
}

/** Once per version: every address of a resource reads it. */
const hasDeprecatedPart = memoizePair(
  (resource: ResourceModel, version: Version) => deprecatedParts(resource, version).length > 0,
)

function partsIn(name: string, spec: Spec, version: Version): readonly Part[] {
  const { deprecated, deprecatedValues = {} } = spec
  return [
    ...(deprecated === undefined ? [] : [[name, deprecated] as const]),
    ...Object.entries(deprecatedValues).map(([value, deprecation]): Part => [`${name}=${value}`, deprecation]),
    ...innerSpecs(spec, version).flatMap(([part, of]) => partsIn(innerName(name, part), of, version)),
  ]
}

/** Inner values by their names in this version; '' for what has no name. */
function innerSpecs(spec: SpecBase, { vocabulary }: Version): readonly (readonly [part: string, of: Spec])[] {
  // `id` is of no kind.
  const parts = isKind(spec.kind) ? (kindOf(spec).parts?.(spec) ?? []) : []
  return parts.map(([path, of]) => [path.startsWith('.') ? vocabulary.part(path.slice(1), of) : '', of])
}
const innerName = (name: string, part: string): string => (part === '' ? name : `${name}.${part}`)

type Spec = SpecBase & { readonly deprecatedValues?: Readonly<Record<string, Deprecating>> }

const specsOf = memoize(({ columns, fields, actions }: ResourceModel): ReadonlyMap<string, Spec> => {
  const all = new Map<string, Spec>(columns.map(({ field, spec }) => [field, spec]))
  for (const { name, spec } of fields.values()) all.set(name, spec)
  for (const { accept } of actions.values()) for (const { field, spec } of accept) all.set(field, spec)
  return all
})

function reachable(resource: ResourceModel): readonly ResourceModel[] {
  const found = new Set([resource])
  for (const { relations } of found) for (const { target } of relations.values()) found.add(target)
  return [...found]
}

class Uses {
  readonly names = new Set<string>()
  readonly #version: Version

  constructor(version: Version) {
    this.#version = version
  }

  add(name: string): void {
    this.names.add(name)
  }

  field(resource: ResourceModel, field: string): void {
    if (specsOf(resource).get(field)?.deprecated !== undefined) this.add(fieldName(resource, field, this.#version))
  }

  value(resource: ResourceModel, field: string, value: unknown): void {
    const spec = specsOf(resource).get(field)
    if (spec !== undefined) this.#valueOf(spec, fieldName(resource, field, this.#version), value)
  }

  /** `value`: as sent; of a list also one of its values, which filters name. */
  #valueOf(spec: Spec, name: string, value: unknown): void {
    const { deprecatedValues = {} } = spec
    if (typeof value === 'string' && Object.hasOwn(deprecatedValues, value)) this.add(`${name}=${value}`)
    for (const [part, of] of innerSpecs(spec, this.#version))
      if (part === '') for (const each of [value].flat()) this.#valueOf(of, name, each)
      else if (typeof value === 'object' && value !== null && Object.hasOwn(value, part)) {
        if (of.deprecated !== undefined) this.add(innerName(name, part))
        this.#valueOf(of, innerName(name, part), (value as Readonly<Record<string, unknown>>)[part])
      }
  }

  path(holder: ResourceModel, { list, relations, resource, column }: ValuePath): void {
    let of = holder
    for (const { field, target } of list === null ? relations : [list, ...relations]) {
      this.field(of, field)
      of = target
    }
    this.field(resource, column.field)
  }

  input(resource: ResourceModel, input: unknown): void {
    if (Array.isArray(input)) for (const each of input) this.input(resource, each)
    if (typeof input !== 'object' || input === null || Array.isArray(input)) return
    const { vocabulary } = this.#version
    const relations = [...resource.relations.values()]
    for (const [name, value] of Object.entries(input)) {
      const relation = relations.find((each) =>
        each.kind === 'one'
          ? vocabulary.record(resource, each.field) === name
          : vocabulary.list(resource, each) === name,
      )
      const field = relation?.field ?? vocabulary.field(resource, name)
      if (field !== undefined) {
        this.field(resource, field)
        this.value(resource, field, value)
      }
      // A key of the record that the relation names, or children.
      if (relation !== undefined) this.input(relation.target, value)
    }
  }

  condition(text: unknown, { where }: ResourceModel, limits: WhereLimits): void {
    if (typeof text !== 'string' || where === null) return
    const { vocabulary } = this.#version
    for (const { resource, field, value } of namesInText(text, where, { vocabulary, limits })) {
      this.field(resource, field)
      this.value(resource, field, value)
    }
  }
}

function usesInQuery({ kind, resource, version }: ResourceEndpoint, limits: WhereLimits) {
  const paths = kind === 'summary' ? summaryPaths(resource, version) : sortPaths(resource, version)
  const filters = kind === 'list' || kind === 'summary' ? [...resource.namedFilters.values()] : []
  return (query: string): readonly string[] => {
    const uses = new Uses(version)
    for (const [parameter, text] of new URLSearchParams(query)) {
      if (parameter === 'where') uses.condition(text, resource, limits)
      if (parameter === 'fields') uses.input(resource, Object.fromEntries(text.split(',').map((name) => [name, null])))
      if (parameter === 'sort' || parameter === 'group_by')
        for (const word of text.split(',')) {
          const path = paths.get(word.replace(/^-/, '').replace(/:.*$/, ''))
          if (path !== undefined) uses.path(resource, path)
        }
      for (const { name, column, deprecated } of filters) {
        if (version.vocabulary.filter(resource, name) !== parameter) continue
        if (deprecated !== null) uses.add(filterName(resource, name, version))
        uses.value(resource, column.field, text)
      }
    }
    return [...uses.names]
  }
}

const sortPaths = (resource: ResourceModel, { vocabulary }: Version): ReadonlyMap<string, ValuePath> =>
  new Map([...resource.sorts.values()].map((each) => [vocabulary.path(resource, each), each]))

const summaryPaths = (resource: ResourceModel, { vocabulary }: Version): ReadonlyMap<string, ValuePath> =>
  new Map(
    [...summaryNames(resource, vocabulary).orders].flatMap(([name, by]): [string, ValuePath][] =>
      by === 'count' ? [] : [[name, 'group' in by ? by.group : by.sum]],
    ),
  )

function usesInBody(
  targets: readonly Pick<Target, 'input'>[],
  where: unknown,
  { resource, version }: ResourceEndpoint,
  limits: WhereLimits,
): readonly string[] {
  const uses = new Uses(version)
  for (const { input } of targets) uses.input(resource, input)
  uses.condition(where, resource, limits)
  return [...uses.names]
}
