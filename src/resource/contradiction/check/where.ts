// Checks `where`: each path leads to a comparable value, and no name is ambiguous. (contract 12.1.1)

import { defaultLimits } from '../../../limits.ts'
import type { Contradiction, SpecBase } from '../../field/field.ts'
import { type EitherSpec, isEither, isToMany, type OneSpec } from '../../field/relation.ts'
import type { Definition } from '../../language/definition.ts'
import { testsOfKind } from '../../model/rule/where.ts'
import { a } from '../../naming/indefinite-article.ts'
import { type DefinitionIndex, isSecret, own, rowFields } from '../report/definition-index.ts'
import { instead, type Report } from '../report/report.ts'

export function whereContradictions(definitions: DefinitionIndex, report: Report): void {
  for (const definition of definitions.resources.values()) {
    const { name, where = [] } = definition
    for (const [index, path] of where.entries()) {
      if (where.indexOf(path) < index) report(`${name}.where`, `it names ${path} twice`, 'strike one')
      else checkPath(path, definition, definitions, report)
    }
  }
}

const { whereLists: listsMax, ruleSteps: stepsMax } = defaultLimits

function checkPath(path: string, definition: Definition, definitions: DefinitionIndex, report: Report): void {
  const found = misfitOf(path.split('.'), definition, definitions)
  if (found !== null) report(`${definition.name}.where`, `${path}: ${found[0]}`, found[1])
}

/** Null if there is no problem. */
function misfitOf(
  names: readonly string[],
  definition: Definition,
  definitions: DefinitionIndex,
): Contradiction | null {
  let holder = definition
  let lists = 0
  for (const [index, name] of names.slice(0, -1).entries()) {
    const part = names.slice(index).join('.')
    if (own(holder.fields, part) !== undefined) {
      const word = names.slice(index).find((each) => groupWords.includes(each))
      return word === undefined
        ? misfitOfEnd(part, holder)
        : [`${word} is a word of conditions`, 'call the part otherwise']
    }
    const relations = relationsOf(holder)
    const spec = own(relations, name) as OneSpec | undefined
    if (own(holder.fields, name)?.kind === 'object')
      return [
        `${name} has no part ${names.slice(index + 1).join('.')} that can be compared`,
        'name a text, a number, a time or a choice of it',
      ]
    if (spec === undefined) return [`${holder.name} has no relation ${name}`, instead(name, Object.keys(relations))]
    if ((spec as SpecBase).kind !== 'one') lists++
    if (groupWords.includes(name)) return [`${name} is a word of conditions`, 'call the relation otherwise']
    const target = definitions.resources.get(spec.target)
    // Reported for the relation.
    if (target === undefined) return null
    holder = target
  }
  if (lists > listsMax) return [`it leads through ${lists} lists`, `${listsMax} are the most: shorten it`]
  const steps = names.length - 1
  if (steps > stepsMax) return [`it leads ${steps} records deep`, `${stepsMax} are the most: shorten it`]
  return misfitOfEnd(names.at(-1)!, holder)
}

const groupWords: readonly string[] = ['and', 'or', 'not']

function misfitOfEnd(name: string, holder: Definition): Contradiction | null {
  const fields = rowFields(holder)
  const spec = own(fields, name)
  const stored = own(holder.fields, name)
  if (groupWords.includes(name)) return [`${name} is a word of conditions`, 'call the field otherwise']
  if (own(holder.protect, name)?.filter !== undefined)
    return [`only some may filter by ${name}, and conditions are for all who read`, 'strike it, or protect its reading']
  if (stored !== undefined && isEither(stored)) return closedBranch(stored, holder)
  if (spec !== undefined)
    return testsOfKind(spec).length === 0 ? [`${a(spec.kind)} cannot be compared`, 'strike it'] : null
  if (isToMany(stored))
    return ['it ends at a list of records, which has no value', `name a field of them, such as ${name}.createdAt`]
  if (stored !== undefined && isSecret(stored)) return [`${a(stored.kind)} is never shown`, 'strike it']
  return [`${holder.name} has no stored field ${name}`, instead(name, Object.keys(fields))]
}

/** A relation that only some may filter by; null if there is none. */
export function closedBranch({ of }: EitherSpec, { protect }: Definition): Contradiction | null {
  const closed = of.find((each) => own(protect, each)?.filter !== undefined)
  return closed === undefined
    ? null
    : [`only some may filter by ${closed}, and this is for all who read`, 'strike it, or protect its reading']
}

const relationsOf = ({ fields }: Definition): Readonly<Record<string, SpecBase>> =>
  Object.fromEntries(Object.entries(fields).filter(([, { kind }]) => ['one', 'many', 'manyToMany'].includes(kind)))
