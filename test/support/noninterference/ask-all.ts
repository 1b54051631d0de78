// A service whose lists can be asked everything: conditions, searches and sums of all values, and of those that relations lead to.

import { isSecret } from '../../../src/resource/contradiction/report/definition-index.ts'
import type { SpecBase } from '../../../src/resource/field/field.ts'
import { type Definition, definitionOf } from '../../../src/resource/language/definition.ts'
import type { Service } from '../../../src/resource/language/service.ts'
import { testsOfKind } from '../../../src/resource/model/rule/where.ts'

/** The same service, of which more can be asked; what the library keeps in it is the very same. */
export function askAll(service: Service<unknown>): Service<unknown> {
  const { resources } = definitionOf(service)
  const byName = new Map(Object.values(resources).map((each) => [each.name, each]))
  const entries = Object.entries(resources).map(([name, each]) => [
    name,
    libraryNames.has(each.name) ? each : { ...each, ...questionsOf(each, byName) },
  ])
  return { ...service, resources: Object.fromEntries(entries) }
}
const libraryNames: ReadonlySet<string> = new Set(['ApiKey', 'Session', 'SignInMethod'])

function questionsOf(definition: Definition, byName: ReadonlyMap<string, Definition>): Partial<Definition> {
  const { name, fields } = definition
  const near = Object.entries(fields).flatMap(([field, spec]) => {
    const target = byName.get((spec as { readonly target?: string }).target ?? '')
    return target === undefined ? [] : [{ field, target, isList: spec.kind !== 'one' }]
  })
  const led = near.flatMap(({ field, target }) => comparable(target).map((each) => `${field}.${each}`))
  const groups = [
    ...grouped(definition),
    ...near
      .filter(({ isList }) => !isList)
      .flatMap(({ field, target }) => grouped(target).map((each) => `${field}.${each}`)),
  ]
  const texts = [
    ...searched(definition),
    ...near
      .filter(({ isList, target }) => isList && target.name !== name)
      .flatMap(({ field, target }) => searched(target).map((each) => `${field}.${each}`)),
  ]
  return {
    where: ['id', 'createdAt', ...comparable(definition), ...led],
    ...(texts.length === 0 ? {} : { search: texts }),
    ...(groups.length === 0 ? {} : { summary: { by: groups } }),
  }
}

const named = ({ fields, protect = {} }: Definition, isFit: (spec: SpecBase) => boolean): readonly string[] =>
  Object.keys(fields).filter((field) => protect[field]?.filter === undefined && isFit(fields[field]!))

const comparable = (of: Definition) => named(of, (spec) => !isSecret(spec) && testsOfKind(spec).length > 0)
const grouped = (of: Definition) =>
  named(of, ({ kind }) => ['choice', 'state', 'boolean', 'one', 'timestamp'].includes(kind))
const searched = (of: Definition) =>
  named(of, ({ kind }) => kind === 'text').filter((field) => of.protect?.[field]?.read === undefined)
