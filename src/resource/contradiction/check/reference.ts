// Checks `into` and `same` of relations: a rule that fits the target, and a relation that both have.

import { type SpecBase, shown } from '../../field/field.ts'
import { kindOf } from '../../field/registry.ts'
import type { OneSpec } from '../../field/relation.ts'
import type { Definition } from '../../language/definition.ts'
import type { RuleNode } from '../../language/rule/rule.ts'
import { type DefinitionIndex, own } from '../report/definition-index.ts'
import { instead, type Report } from '../report/report.ts'
import { checkRulesOf } from './rule.ts'

export function referenceContradictions(definitions: DefinitionIndex, report: Report): void {
  for (const definition of definitions.resources.values()) {
    for (const [field, spec] of Object.entries(definition.fields)) {
      const where = `${definition.name}.${field}`
      checkIntoOf(where, spec, definitions, report)
      if (spec.kind === 'one') checkSame(where, spec as OneSpec, definition, definitions, report)
      else checkNoSame(where, spec, report)
    }
  }
}

function checkIntoOf(where: string, spec: SpecBase, definitions: DefinitionIndex, report: Report): void {
  const { into, target } = spec as OneSpec
  if (spec.kind === 'one' && into !== undefined) checkInto(where, target, into, definitions, report)
  for (const [path, of] of kindOf(spec).parts?.(spec) ?? []) checkIntoOf(`${where}${path}`, of, definitions, report)
}

/** A rule about records of the target. */
export function checkInto(
  where: string,
  target: string,
  into: unknown,
  definitions: DefinitionIndex,
  report: Report,
): void {
  const definition = definitions.resources.get(target)
  if (definition === undefined) return
  if (typeof (into as RuleNode | null)?.rule !== 'string') {
    report(where, 'its into is no rule', "write a rule such as own('…')")
    return
  }
  const inside: Report = (place, problem, remedy) => report(place, `into ${target}: ${problem}`, remedy)
  checkRulesOf(into as RuleNode, { definitions, definition, where, report: inside })
}

function checkSame(
  where: string,
  { same, target }: OneSpec,
  definition: Definition,
  definitions: DefinitionIndex,
  report: Report,
): void {
  const there = definitions.resources.get(target)
  if (same === undefined || there === undefined) return
  const common = relationsOf(definition).filter((field) => targetOf(there, field) === targetOf(definition, field))
  for (const each of [same].flat().map((name: unknown) => (typeof name === 'string' ? name : shown(name))))
    if (targetOf(definition, each) === undefined)
      report(where, `its same names ${each}, which is no relation of ${definition.name}`, instead(each, common))
    else if (targetOf(there, each) !== targetOf(definition, each))
      report(where, `its same names ${each}, by which ${target} does not lead to the same`, instead(each, common))
}

function checkNoSame(where: string, spec: SpecBase, report: Report): void {
  for (const [path, of] of kindOf(spec).parts?.(spec) ?? []) {
    if ((of as OneSpec).same !== undefined)
      report(`${where}${path}`, 'its same compares with the record, and it is no relation of one', 'strike same')
    checkNoSame(`${where}${path}`, of, report)
  }
}

const targetOf = (definition: Definition, field: string): string | undefined => {
  const spec = own(definition.fields, field)
  return spec?.kind === 'one' ? (spec as OneSpec).target : undefined
}
const relationsOf = (definition: Definition): readonly string[] =>
  Object.keys(definition.fields).filter((field) => targetOf(definition, field) !== undefined)
