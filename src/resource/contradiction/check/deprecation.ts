// Checks deprecations: valid dates, and a replacement that exists. (contract 9.2.1)

import type { Deprecating } from '../../deprecation.ts'
import type { SpecBase } from '../../field/field.ts'
import { initialValue, kindOf } from '../../field/registry.ts'
import { isActorDefault, isToMany } from '../../field/relation.ts'
import type { Definition } from '../../language/definition.ts'
import type { DefinitionIndex } from '../report/definition-index.ts'
import { instead, type Report } from '../report/report.ts'
import { isDay } from './access.ts'

export function deprecationContradictions({ resources }: DefinitionIndex, report: Report): void {
  for (const definition of resources.values()) {
    const { name, fields, filter = {}, actions } = definition
    for (const [field, spec] of Object.entries(fields)) {
      check(`${name}.${field}`, spec.deprecated, field, Object.keys(fields), report)
      if (spec.deprecated !== undefined) checkNeed(field, spec, definition, report)
      checkInside(`${name}.${field}`, spec, report)
    }
    for (const [each, { deprecated }] of Object.entries(filter))
      check(`${name}.filter.${each}`, deprecated, each, Object.keys(filter), report)
    for (const [each, { deprecated }] of Object.entries(actions))
      check(`${name}.${each}`, deprecated, each, Object.keys(actions), report)
    if (actions['read']?.deprecated !== undefined)
      report(`${name}.read`, 'without reading, nothing of it can be used', 'deprecate its fields and other actions')
  }
}

/** Values of choices and parts of objects, at any depth. */
function checkInside(where: string, spec: SpecBase, report: Report): void {
  const { values = [], deprecatedValues = {} } = spec as ChoiceSpec
  for (const [value, deprecation] of Object.entries(deprecatedValues)) {
    const at = `${where}.deprecatedValues.${value}`
    if (!values.includes(value)) report(at, 'it is none of the values', instead(value, values))
    check(at, deprecation, value, values, report)
  }
  const parts = kindOf(spec).parts?.(spec) ?? []
  const names = parts.map(([path]) => path.slice(1))
  for (const [path, of] of parts) {
    const at = `${where}${path}`
    if (of.deprecated !== undefined && !path.startsWith('.'))
      report(at, `it is deprecated and has no name of its own`, `write deprecated(${spec.kind}(…), …)`)
    else check(at, of.deprecated, path.slice(1), names, report)
    if (of.deprecated !== undefined && path.startsWith('.') && !of.readOnly && initialValue(of) === undefined)
      report(at, 'it is deprecated, and clients must send it', 'make it optional, or give it a default')
    checkInside(at, of, report)
  }
}

type ChoiceSpec = SpecBase & {
  readonly values?: readonly string[]
  readonly deprecatedValues?: Readonly<Record<string, Deprecating>>
}

function check(
  where: string,
  deprecation: Deprecating | undefined,
  own: string,
  replacements: readonly string[],
  report: Report,
): void {
  if (deprecation === undefined) return
  const { since, sunset, use } = deprecation
  for (const [part, day] of Object.entries({ since, sunset }))
    if (!isDay(day)) report(where, `its ${part} ${day} is no day`, 'write it as 2026-11-20')
  if (sunset <= since) report(where, 'its sunset is not after its deprecation', 'correct one of them')
  if (use === own) report(where, 'it is to be used instead of itself', 'name something else')
  else if (use !== undefined && !replacements.includes(use)) {
    const others = replacements.filter((each) => each !== own)
    report(where, `${use}, to be used instead, is not there`, instead(use, others))
  }
}

function checkNeed(field: string, spec: SpecBase, { name, actions }: Definition, report: Report): void {
  const inner = spec.kind === 'argument' ? (spec as SpecBase & { readonly of: SpecBase }).of : spec
  // Links and children are never demanded.
  if (isToMany(inner)) return
  if (initialValue(inner) !== undefined || isActorDefault(inner)) return
  for (const [action, { accept }] of Object.entries(actions)) {
    if (action !== 'update' && accept?.includes(field))
      report(`${name}.${field}`, `it is deprecated, and ${action} demands it`, 'make it optional, or give it a default')
  }
}
