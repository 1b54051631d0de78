// Follows rules from record to record: limits their depth and finds cycles of `readable`.

import { defaultLimits } from '../../../limits.ts'
import { isToMany, type ManySpec, type OneSpec } from '../../field/relation.ts'
import type { Definition } from '../../language/definition.ts'
import type { RuleNode } from '../../language/rule/rule.ts'
import { within } from '../../language/rule/rule-parts.ts'
import { isAboveList } from '../../naming/casing.ts'
import { type DefinitionIndex, own, rulesOf } from './definition-index.ts'
import type { Report } from './report.ts'

export interface Step {
  readonly words: string
  readonly target: Definition
  readonly rule: RuleNode
}

/** Null if the rule concerns its own record, or names something missing. */
export function stepOf(rule: RuleNode, definition: Definition, definitions: DefinitionIndex): Step | null {
  if (rule.rule !== 'through' && rule.rule !== 'some') return null
  const field = rule.rule === 'through' ? rule.relation : rule.list
  const spec = own(definition.fields, field)
  const fits = rule.rule === 'through' ? spec?.kind === 'one' : isToMany(spec)
  const target = fits ? definitions.resources.get((spec as OneSpec | ManySpec).target) : undefined
  return target === undefined ? null : { words: `${rule.rule} ${field}`, target, rule: rule.of }
}

/** Follows the read rule of that record. */
function readableStep(rule: RuleNode, definition: Definition, definitions: DefinitionIndex): Step | null {
  if (rule.rule !== 'readable') return null
  const spec = own(definition.fields, rule.relation)
  const target = spec?.kind === 'one' ? definitions.resources.get((spec as OneSpec).target) : undefined
  const read = own(target?.actions, 'read')
  return target === undefined || read === undefined
    ? null
    : { words: `readable ${rule.relation}`, target, rule: read.allow }
}

/** Reports cycles, in which no rule could be evaluated. */
export function hasReadableRings(definitions: DefinitionIndex, report: Report): boolean {
  let hasRings = false
  const targetsIn = (rule: RuleNode, definition: Definition): readonly string[] =>
    [...within(rule)].flatMap((each) => {
      const readable = readableStep(each, definition, definitions)
      const step = stepOf(each, definition, definitions)
      return [
        ...(readable === null ? [] : [readable.target.name]),
        ...(step === null ? [] : targetsIn(step.rule, step.target)),
      ]
    })
  const next = (definition: Definition) =>
    targetsIn(own(definition.actions, 'read')?.allow ?? { rule: 'nobody' }, definition)
  for (const definition of definitions.resources.values()) {
    const reached = new Set(next(definition))
    for (const name of reached)
      for (const target of next(definitions.resources.get(name) ?? definition)) reached.add(target)
    if (!reached.has(definition.name)) continue
    hasRings = true
    report(
      `${definition.name}.read`,
      'it is as readable as something that is as readable as itself',
      'give one of them an allow',
    )
  }
  return hasRings
}

const { ruleSteps: stepsMax } = defaultLimits

export function checkDepths(definitions: DefinitionIndex, report: Report): void {
  const longest = (rule: RuleNode, definition: Definition): readonly string[] => {
    let found: readonly string[] = []
    for (const each of within(rule)) {
      const step = stepOf(each, definition, definitions) ?? readableStep(each, definition, definitions)
      if (step === null) continue
      // Records above one are no further step.
      const own = each.rule === 'some' && isAboveList(each.list) ? [] : [step.words]
      const path = [...own, ...longest(step.rule, step.target)]
      if (path.length > found.length) found = path
    }
    return found
  }
  const check = (where: string, rule: RuleNode, definition: Definition) => {
    const path = longest(rule, definition)
    if (path.length > stepsMax)
      report(where, `it leads ${path.length} records deep (${path.join(', ')})`, `${stepsMax} are the most: shorten it`)
  }
  for (const definition of definitions.resources.values()) {
    for (const [where, rule] of rulesOf(definition)) check(where, rule, definition)
    for (const [field, spec] of Object.entries(definition.fields)) {
      const { into, target } = spec as OneSpec
      const there = definitions.resources.get(target)
      if (spec.kind === 'one' && into !== undefined && there !== undefined)
        check(`${definition.name}.${field}`, into, there)
    }
    for (const [name, { where }] of Object.entries(definition.queries ?? {}))
      if (where !== undefined) check(`${definition.name}.queries.${name}`, where, definition)
  }
}
